//! What the model has read, and one lock per file. State of the session, which outlives its processes when it has a
//! folder.

mod kept;
mod line_ranges;

pub(crate) use line_ranges::LineRanges;

use super::lines::lines as lines_of;
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
    /// Lines that it asked for: enough to edit, and to overwrite once they are all of the file.
    Range,
    /// Everything.
    Whole,
}

/// What the model knows of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Seen {
    /// Content that it saw.
    pub hash: ContentHash,
    /// How much of it.
    pub extent: Extent,
    /// The lines that it saw in full, as far as they are told apart; none when it saw everything.
    pub lines: LineRanges,
}

impl Seen {
    /// So much of a content, of which lines are not told apart.
    pub(crate) fn of(hash: ContentHash, extent: Extent) -> Self {
        Self { hash, extent, lines: LineRanges::default() }
    }

    /// These lines of a content that has `total`, which may be all of it.
    pub(crate) fn lines(hash: ContentHash, extent: Extent, lines: LineRanges, total: Option<usize>) -> Self {
        Self { hash, extent, lines }.completed(total)
    }

    /// The same as everything, once its lines are all.
    fn completed(mut self, total: Option<usize>) -> Self {
        if total.is_some_and(|total| self.lines.missing(total).is_empty()) {
            self.extent = Extent::Whole;
        }
        if self.extent == Extent::Whole {
            self.lines = LineRanges::default();
        }
        self
    }
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
        reads.into_iter().map(|(path, (_, seen))| (path.as_path(), seen.clone())).collect()
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
        self.note(canonical, Seen::of(hash(content), Extent::Whole));
    }

    /// Notes what the model saw. Seeing less of the same content takes nothing back.
    pub(crate) fn note(&self, canonical: &Path, seen: Seen) {
        self.note_of(canonical, seen, None);
    }

    /// Notes what the model saw of a content of `total` lines. Parts that are all of it together are the whole.
    pub(crate) fn note_of(&self, canonical: &Path, seen: Seen, total: Option<usize>) {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.by_path.get(canonical).map(|(_, known)| known.clone());
        let mut seen = seen;
        if let Some(known) = known.as_ref().filter(|known| known.hash == seen.hash) {
            seen.extent = seen.extent.max(known.extent);
            seen.lines.merge(&known.lines);
        }
        let seen = seen.completed(total);
        all.note(canonical, seen.clone());
        if let Some(kept) = self.kept.get().filter(|_| known.as_ref() != Some(&seen)) {
            kept.note((canonical, &seen), || all.in_order());
        }
    }

    /// Notes that the model changed the text `before`, of which it had seen enough, to `after`, whose bytes have this
    /// hash.
    pub(crate) fn note_edit(&self, canonical: &Path, (before, after): (&str, &str), hash: ContentHash) {
        let known = self.seen(canonical).unwrap_or_else(|| Seen::of(hash, Extent::Range));
        let lines = known.lines.after_edit(before, after);
        let total = Some(lines_of(after).count());
        self.note_of(canonical, Seen { hash, extent: known.extent, lines }, total);
    }

    /// What the model knows of the file.
    pub(crate) fn seen(&self, canonical: &Path) -> Option<Seen> {
        let all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        all.by_path.get(canonical).map(|(_, seen)| seen.clone())
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
        ledger.note(path, Seen::of(hash(b"a"), Extent::Partial));
        assert_eq!(ledger.seen(path).map(|seen| seen.extent), Some(Extent::Whole));
        ledger.note(path, Seen::of(hash(b"b"), Extent::Partial));
        assert_eq!(ledger.seen(path), Some(Seen::of(hash(b"b"), Extent::Partial)));
    }

    #[test]
    fn parts_that_are_all_of_a_content_are_the_whole() {
        let ledger = ReadLedger::default();
        let path = Path::new("/w/a");
        let part = |content: &[u8], extent, first, last| {
            let seen = Seen { hash: hash(content), extent, lines: LineRanges::of(first, last) };
            ledger.note_of(path, seen, Some(9));
            ledger.seen(path).unwrap().extent
        };
        assert_eq!(part(b"a", Extent::Partial, 1, 3), Extent::Partial);
        assert_eq!(part(b"a", Extent::Range, 6, 9), Extent::Range);
        assert_eq!(part(b"b", Extent::Range, 4, 5), Extent::Range);
        // The content changed, so the other parts are gone.
        assert_eq!(part(b"b", Extent::Range, 6, 9), Extent::Range);
        assert_eq!(part(b"b", Extent::Partial, 1, 3), Extent::Whole);
        assert_eq!(part(b"b", Extent::Range, 1, 1), Extent::Whole);
        assert_eq!(part(b"c", Extent::Range, 1, 9), Extent::Whole);
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
