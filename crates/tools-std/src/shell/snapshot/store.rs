//! The private folder of the captures.

use super::{MOST_BYTES, Snapshot, SnapshotProblem};
use crate::safe_name::hex;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Captures that are kept.
const MOST_KEPT: usize = 8;
/// Age at which a file of a capture that never ended is removed, in seconds.
const ABANDONED_SECONDS: u64 = 3_600;
/// Names take room beside the text.
const MOST_FILE_BYTES: u64 = 4 * MOST_BYTES as u64;

/// A folder that only the user can use.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
}

/// A kept capture.
#[derive(Debug, Deserialize, Serialize)]
struct Kept {
    names: BTreeSet<String>,
    left_out: BTreeSet<String>,
    text: String,
    /// Of all else, so that a file that a fault cut is not used.
    digest: String,
}

impl Kept {
    fn new(names: BTreeSet<String>, left_out: BTreeSet<String>, text: String) -> Self {
        let mut kept = Self { names, left_out, text, digest: String::new() };
        kept.digest = kept.right_digest();
        kept
    }

    fn right_digest(&self) -> String {
        let mut hash = Sha256::new();
        for names in [&self.names, &self.left_out] {
            hash.update((names.len() as u64).to_le_bytes());
            // No name of a shell holds a newline.
            names.iter().for_each(|name| hash.update(format!("{name}\n")));
        }
        hash.update(&self.text);
        hex(&hash.finalize())
    }
}

impl Store {
    /// Makes the folder when it is not there.
    pub(super) fn open(folder: PathBuf) -> Result<Self, SnapshotProblem> {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let found = std::fs::symlink_metadata(&folder)?;
        if !found.is_dir() || !is_own(&found, 0o077) {
            return Err(SnapshotProblem::NotPrivate(folder));
        }
        Ok(Self { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The capture of this key. What is damaged counts as not there.
    pub(super) fn read(&self, key: &str) -> Result<Option<Snapshot>, SnapshotProblem> {
        let path = self.path(key);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP) => return Err(SnapshotProblem::NotPrivate(path)),
            Err(error) => return Err(io::Error::from(error).into()),
        };
        let found = file.metadata()?;
        if !found.is_file() || !is_own(&found, 0o077) {
            return Err(SnapshotProblem::NotPrivate(path));
        }
        let mut bytes = Vec::new();
        file.take(MOST_FILE_BYTES).read_to_end(&mut bytes)?;
        let kept: Option<Kept> = serde_json::from_slice(&bytes).ok();
        Ok(kept.filter(|kept| kept.digest == kept.right_digest()).map(|kept| Snapshot {
            text: kept.text.into(),
            names: Arc::new(kept.names),
            left_out: Arc::new(kept.left_out),
        }))
    }

    /// Keeps a capture: whole or not at all.
    pub(super) fn keep(&self, key: &str, snapshot: &Snapshot) -> Result<(), SnapshotProblem> {
        let (names, left_out) = (snapshot.names().as_ref().clone(), snapshot.left_out().clone());
        let kept = Kept::new(names, left_out, snapshot.text().to_owned());
        let mut file = tempfile::Builder::new().prefix("new-").tempfile_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(&kept).map_err(io::Error::from)?)?;
        file.persist(self.path(key)).map_err(|error| error.error)?;
        self.sweep();
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// Removes old captures, and what captures that were killed left.
    fn sweep(&self) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut kept = Vec::new();
        for entry in entries {
            let Ok(changed) = entry.metadata().and_then(|found| found.modified()) else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_temporary =
                ["capture-", "try-", "said-", "new-"].iter().any(|kind| name.starts_with(kind));
            let age = SystemTime::now().duration_since(changed).unwrap_or_default().as_secs();
            if is_temporary && age > ABANDONED_SECONDS {
                let _another_removed_it = std::fs::remove_file(entry.path());
            } else if name.ends_with(".json") {
                kept.push((changed, entry.path()));
            }
        }
        kept.sort();
        for (_, old) in kept.iter().rev().skip(MOST_KEPT) {
            let _another_removed_it = std::fs::remove_file(old);
        }
    }
}

fn is_own(found: &std::fs::Metadata, others: u32) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & others == 0
}
