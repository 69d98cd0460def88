//! What the model has read, and one lock per file. State of the session, which outlives its processes when it has a
//! folder.

mod kept;

use kept::Kept;
use pegboard_tool_core::ToolContext;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Hash of a file's content.
pub(crate) type ContentHash = [u8; 32];

/// Hashes a file's content.
pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    Sha256::digest(bytes).into()
}

/// How much of a file the model has seen.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Extent {
    /// A first page that was cut by our limits: it does not count as read.
    Partial,
    /// Lines that it asked for: enough to edit, not to overwrite.
    Range,
    /// Everything.
    Whole,
}

/// What the model knows of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Seen {
    /// Content that it saw.
    pub hash: ContentHash,
    /// How much of it.
    pub extent: Extent,
}

/// Which files the model has read in this session, by canonical path.
#[derive(Debug, Default)]
pub struct ReadLedger {
    seen: Mutex<Reads>,
    kept: OnceLock<Kept>,
    locks: Mutex<HashMap<PathBuf, Weak<Mutex<()>>>>,
    /// Folders in which something was changed.
    changed_in: Mutex<HashSet<PathBuf>>,
}

/// What was read, each file with the number of its last reading.
#[derive(Debug, Default)]
struct Reads {
    by_path: HashMap<PathBuf, (u64, Seen)>,
    last: u64,
}

impl Reads {
    fn note(&mut self, canonical: &Path, seen: Seen) {
        self.last += 1;
        self.by_path.insert(canonical.to_path_buf(), (self.last, seen));
    }

    fn in_order(&self) -> Vec<(&Path, Seen)> {
        let mut reads: Vec<_> = self.by_path.iter().collect();
        reads.sort_unstable_by_key(|(_, (number, _))| *number);
        reads.into_iter().map(|(path, (_, seen))| (path.as_path(), *seen)).collect()
    }
}

impl ReadLedger {
    /// The ledger of a session, with what earlier processes of it left in its folder.
    pub(crate) fn of(ctx: &ToolContext) -> Arc<Self> {
        let ledger = ctx.session.of::<Self>();
        if let Some(folder) = &ctx.session_dir {
            ledger.kept.get_or_init(|| {
                let (kept, reads) = Kept::open(folder);
                let mut all = ledger.seen.lock().unwrap_or_else(PoisonError::into_inner);
                for (path, seen) in reads {
                    if !all.by_path.contains_key(&path) {
                        all.note(&path, seen);
                    }
                }
                kept
            });
        }
        ledger
    }

    /// Whether earlier processes of the session left something that cannot be used.
    pub(crate) fn is_damaged(&self) -> bool {
        self.kept.get().is_some_and(|kept| kept.is_damaged)
    }

    /// Notes that the model saw the whole of `content` at `canonical`, by whatever tool.
    pub fn note_whole(&self, canonical: &Path, content: &[u8]) {
        self.note(canonical, Seen { hash: hash(content), extent: Extent::Whole });
    }

    /// Notes what the model saw. Seeing less of the same content takes nothing back.
    pub(crate) fn note(&self, canonical: &Path, seen: Seen) {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.by_path.get(canonical).map(|(_, known)| *known);
        let extent = match known {
            Some(known) if known.hash == seen.hash => known.extent.max(seen.extent),
            _ => seen.extent,
        };
        let seen = Seen { extent, ..seen };
        all.note(canonical, seen);
        if let Some(kept) = self.kept.get().filter(|_| known != Some(seen)) {
            kept.note((canonical, seen), || all.in_order());
        }
    }

    /// What the model knows of the file.
    pub(crate) fn seen(&self, canonical: &Path) -> Option<Seen> {
        let all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        all.by_path.get(canonical).map(|(_, seen)| *seen)
    }

    /// Whether nothing was changed in `folder` before, which is noted.
    pub(crate) fn is_first_change_in(&self, folder: &Path) -> bool {
        let mut folders = self.changed_in.lock().unwrap_or_else(PoisonError::into_inner);
        !folders.contains(folder) && folders.insert(folder.to_path_buf())
    }

    /// The lock of a file: whoever reads it for the ledger or replaces it holds it meanwhile.
    pub(crate) fn lock_of(&self, canonical: &Path) -> Arc<Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(canonical).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(Mutex::new(()));
        locks.insert(canonical.to_path_buf(), Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeing_less_of_the_same_content_takes_nothing_back() {
        let ledger = ReadLedger::default();
        let path = Path::new("/w/a");
        ledger.note_whole(path, b"a");
        ledger.note(path, Seen { hash: hash(b"a"), extent: Extent::Partial });
        assert_eq!(ledger.seen(path).map(|seen| seen.extent), Some(Extent::Whole));
        ledger.note(path, Seen { hash: hash(b"b"), extent: Extent::Partial });
        assert_eq!(ledger.seen(path), Some(Seen { hash: hash(b"b"), extent: Extent::Partial }));
    }

    #[test]
    fn a_file_has_one_lock_while_somebody_holds_it() {
        let ledger = ReadLedger::default();
        let lock = ledger.lock_of(Path::new("/w/a"));
        assert!(Arc::ptr_eq(&lock, &ledger.lock_of(Path::new("/w/a"))));
        assert!(!Arc::ptr_eq(&lock, &ledger.lock_of(Path::new("/w/b"))));
        drop(lock);
        ledger.lock_of(Path::new("/w/c"));
        assert_eq!(ledger.locks.lock().unwrap().len(), 1);
    }
}
