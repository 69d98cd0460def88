//! How a file looks: enough to put it back, and to see whether somebody changed it.

use super::objects::{Objects, hash_of};
use super::prune::BackupLimits;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(crate) enum FileState {
    /// Nothing.
    Absent,
    /// A file with this content.
    File {
        /// SHA-256 of the content, in hex.
        hash: String,
        /// Permission bits.
        mode: u32,
    },
    /// A file that was too large to be kept, of this size and time of change.
    Large { size: u64, modified_ns: String },
    /// A symbolic link.
    Link { to: PathBuf },
    /// A folder, which is made again but not filled.
    Folder { mode: u32 },
}

impl FileState {
    /// Looks at a path and keeps what is there. `None` for what cannot be put back: devices, sockets, pipes.
    pub(crate) fn keep(path: &Path, objects: &Objects, limits: &BackupLimits) -> io::Result<Option<Self>> {
        let Some(meta) = metadata(path)? else { return Ok(Some(Self::Absent)) };
        if meta.is_symlink() {
            return Ok(Some(Self::Link { to: fs::read_link(path)? }));
        }
        if meta.is_dir() {
            return Ok(Some(Self::Folder { mode: mode(&meta) }));
        }
        if !meta.is_file() {
            return Ok(None);
        }
        if meta.len() > limits.max_file_bytes {
            return Ok(Some(Self::large(&meta)));
        }
        let hash = objects.keep(&mut File::open(path)?)?;
        Ok(Some(Self::File { hash, mode: mode(&meta) }))
    }

    /// Looks at a path and keeps nothing.
    pub(crate) fn look(path: &Path) -> io::Result<Self> {
        let Some(meta) = metadata(path)? else { return Ok(Self::Absent) };
        if meta.is_symlink() {
            return Ok(Self::Link { to: fs::read_link(path)? });
        }
        if meta.is_dir() {
            return Ok(Self::Folder { mode: mode(&meta) });
        }
        if !meta.is_file() {
            return Ok(Self::large(&meta));
        }
        Ok(Self::File { hash: hash_of(path)?, mode: mode(&meta) })
    }

    fn large(meta: &Metadata) -> Self {
        let modified = meta.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = modified.unwrap_or_default().as_nanos().to_string();
        Self::Large { size: meta.len(), modified_ns }
    }
}

fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn mode(meta: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(meta: &Metadata) -> u32 {
    if meta.permissions().readonly() { 0o444 } else { 0o644 }
}
