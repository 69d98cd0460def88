//! What the model has read, and one lock per file. State of the session.

use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Hash of a file's content.
pub(crate) type ContentHash = [u8; 32];

/// Hashes a file's content.
pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    Sha256::digest(bytes).into()
}

/// How much of a file the model has seen.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
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
    seen: Mutex<HashMap<PathBuf, Seen>>,
    locks: Mutex<HashMap<PathBuf, Weak<Mutex<()>>>>,
    /// Folders in which something was changed.
    changed_in: Mutex<HashSet<PathBuf>>,
}

impl ReadLedger {
    /// Notes that the model saw the whole of `content` at `canonical`, by whatever tool.
    pub fn note_whole(&self, canonical: &Path, content: &[u8]) {
        self.note(canonical, Seen { hash: hash(content), extent: Extent::Whole });
    }

    /// Notes what the model saw. Seeing less of the same content takes nothing back.
    pub(crate) fn note(&self, canonical: &Path, seen: Seen) {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(canonical) {
            Some(known) if known.hash == seen.hash => known.extent = known.extent.max(seen.extent),
            Some(known) => *known = seen,
            None => {
                all.insert(canonical.to_path_buf(), seen);
            }
        }
    }

    /// What the model knows of the file.
    pub(crate) fn seen(&self, canonical: &Path) -> Option<Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(canonical).copied()
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
