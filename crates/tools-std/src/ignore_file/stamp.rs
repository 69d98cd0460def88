//! How a file looked, so that a change of it is seen without reading it again.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that was changed less than this before it was read may change again within one tick of its clock.
const YOUNG: Duration = Duration::from_secs(2);

/// A file as it was when it was read.
#[derive(Debug)]
pub(super) struct Stamp {
    path: PathBuf,
    /// The name itself and what it leads to.
    looks: [Option<Look>; 2],
    is_young: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Look {
    modified: Option<SystemTime>,
    bytes: u64,
    /// Device, inode, and time of the last change of any kind, where the system tells.
    identity: (u64, u64, i64, i64),
}

impl Stamp {
    /// Looks at `path`, before it is read.
    pub(super) fn of(path: &Path) -> Self {
        let looks = looks(path);
        let newest = looks.iter().flatten().filter_map(|look| look.modified).max();
        let is_young = newest.is_some_and(|then| then.elapsed().map_or(true, |age| age < YOUNG));
        Self { path: path.to_path_buf(), looks, is_young }
    }

    /// Whether the file is surely the one that was read.
    pub(super) fn is_current(&self) -> bool {
        !self.is_young && looks(&self.path) == self.looks
    }
}

fn looks(path: &Path) -> [Option<Look>; 2] {
    [std::fs::symlink_metadata(path), std::fs::metadata(path)].map(|meta| meta.ok().map(|meta| look(&meta)))
}

fn look(meta: &Metadata) -> Look {
    Look { modified: meta.modified().ok(), bytes: meta.len(), identity: identity(meta) }
}

#[cfg(unix)]
fn identity(meta: &Metadata) -> (u64, u64, i64, i64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.dev(), meta.ino(), meta.ctime(), meta.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_meta: &Metadata) -> (u64, u64, i64, i64) {
    (0, 0, 0, 0)
}
