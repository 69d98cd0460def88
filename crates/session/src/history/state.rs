//! How a file looks: enough to put it back, and to see whether somebody changed it.

use super::change::Named;
use super::objects::{Objects, hash_of};
use super::prune::BackupLimits;
use crate::line_log::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
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
    Link {
        /// Where it leads, as written.
        #[serde(flatten)]
        to: Named,
    },
    /// A folder, which is made again but not filled.
    Folder {
        /// Permission bits.
        mode: u32,
    },
    /// A folder that was not there before, with all that is in it.
    Tree {
        /// SHA-256 over the names and states in it, in hex.
        hash: String,
    },
}

impl FileState {
    /// Looks at a path and keeps what is there. `None` for what cannot be put back: devices, sockets, pipes.
    pub(crate) fn keep(path: &Path, objects: &Objects, limits: &BackupLimits) -> io::Result<Option<Self>> {
        let Some(meta) = metadata(path)? else { return Ok(Some(Self::Absent)) };
        if meta.is_symlink() {
            return Ok(Some(Self::Link { to: Named::of(&fs::read_link(path)?) }));
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
            return Ok(Self::Link { to: Named::of(&fs::read_link(path)?) });
        }
        if meta.is_dir() {
            return Ok(Self::Folder { mode: mode(&meta) });
        }
        if !meta.is_file() {
            return Ok(Self::large(&meta));
        }
        Ok(Self::File { hash: hash_of(path)?, mode: mode(&meta) })
    }

    /// Looks at a path that a call changed, of which this is known from before.
    pub(crate) fn look_after(path: &Path, before: &Self) -> io::Result<Self> {
        match Self::look(path)? {
            Self::Folder { .. } if *before == Self::Absent => Ok(Self::Tree { hash: tree_hash(path)? }),
            other => Ok(other),
        }
    }

    fn large(meta: &Metadata) -> Self {
        let modified = meta.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = modified.unwrap_or_default().as_nanos().to_string();
        Self::Large { size: meta.len(), modified_ns }
    }
}

/// Everything below a folder, outer ones after what is in them; sorted.
pub(crate) fn below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        if fs::symlink_metadata(&entry)?.is_dir() {
            found.extend(below(&entry)?);
        }
        found.push(entry);
    }
    Ok(found)
}

fn tree_hash(folder: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    for path in below(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).as_os_str().as_encoded_bytes().to_vec();
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(&name);
        hash.update(serde_json::to_vec(&FileState::look(&path)?)?);
    }
    Ok(hex(&hash.finalize()))
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
