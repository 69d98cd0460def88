//! Other names of closed files. A hard link has a name of its own, which no pattern closes, and the same content: it
//! is recognised by device and inode. Who asks about a file with one name pays nothing for this.

use super::lines::{Kind, Patterns};
use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Names of a folder that are looked at, and how long. When that is not enough nobody can tell, and every file with
/// several names is closed.
const MOST_ENTRIES: usize = 1_000_000;
const MOST_TIME: Duration = Duration::from_secs(10);
/// How long one look counts. A new name changes its file, which is seen at once; a folder that is moved does not.
const FRESH: Duration = Duration::from_secs(30);
/// A file that changed less than this before the look may have got its new name after it: clocks of files are coarse.
const SLACK: Duration = Duration::from_secs(2);

/// Device and inode.
type Identity = (u64, u64);

/// The closed files of one folder that have several names, as they were at the last look.
#[derive(Debug, Default)]
pub(super) struct ClosedLinks {
    last: Mutex<Option<Look>>,
}

#[derive(Debug)]
struct Look {
    began: Instant,
    began_at: SystemTime,
    /// Nothing when there was too much to look at.
    closed: Option<HashSet<Identity>>,
}

/// Whether a file is another name of a closed one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Linked {
    /// It is.
    Closed,
    /// It is not.
    Open,
    /// That takes too long to find out.
    Unknown,
}

/// The file at `canonical`, when it has several names.
pub(super) fn of_many_names(canonical: &Path) -> Option<Metadata> {
    let meta = canonical.symlink_metadata().ok()?;
    (meta.is_file() && meta.nlink() > 1).then_some(meta)
}

/// Whether two names are those of one file.
pub(super) fn is_same(file: &Metadata, other: &Path) -> bool {
    std::fs::metadata(other).is_ok_and(|other| identity(&other) == identity(file))
}

impl ClosedLinks {
    /// Whether `file` is another name of a file that `patterns` close below `root`; without patterns all of it is
    /// closed. What was true `since` then counts.
    pub(super) fn tell(
        &self,
        file: &Metadata,
        root: &Path,
        patterns: Option<&[(&'static str, Patterns)]>,
        since: Instant,
    ) -> Linked {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.as_ref().is_some_and(|look| look.counts(file, since)) {
            let (began, began_at) = (Instant::now(), SystemTime::now());
            let closed = Search { patterns, left: MOST_ENTRIES, until: began + MOST_TIME }.run(root);
            *last = Some(Look { began, began_at, closed });
        }
        match last.as_ref().and_then(|look| look.closed.as_ref()) {
            None => Linked::Unknown,
            Some(closed) if closed.contains(&identity(file)) => Linked::Closed,
            Some(_) => Linked::Open,
        }
    }
}

impl Look {
    /// Whether every name that `file` has was there at this look.
    fn counts(&self, file: &Metadata, since: Instant) -> bool {
        if self.began >= since {
            return true;
        }
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(file.ctime()), u32::try_from(file.ctime_nsec())) else {
            return false;
        };
        let changed = UNIX_EPOCH.checked_add(Duration::new(seconds, nanos));
        let is_older = changed.is_some_and(|changed| changed + SLACK < self.began_at);
        is_older && self.began.elapsed() < FRESH
    }
}

fn identity(meta: &Metadata) -> Identity {
    (meta.dev(), meta.ino())
}

struct Search<'p> {
    patterns: Option<&'p [(&'static str, Patterns)]>,
    left: usize,
    until: Instant,
}

impl Search<'_> {
    /// The closed files below `root` that have several names; nothing when there is too much to look at.
    fn run(mut self, root: &Path) -> Option<HashSet<Identity>> {
        let mut found = HashSet::new();
        let mut folders: Vec<(PathBuf, bool)> = vec![(root.to_path_buf(), self.patterns.is_none())];
        while let Some((folder, is_closed)) = folders.pop() {
            if Instant::now() >= self.until {
                return None;
            }
            // What we cannot look into, this process cannot read by a name in there either.
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                self.left = self.left.checked_sub(1)?;
                let Ok(kind) = entry.file_type() else { continue };
                let is_folder = kind.is_dir();
                if !is_folder && !kind.is_file() {
                    continue;
                }
                let path = entry.path();
                let is_closed = is_closed || self.close(path.strip_prefix(root).unwrap_or(&path), is_folder);
                if is_folder {
                    folders.push((path, is_closed));
                } else if is_closed && let Some(meta) = of_many_names(&path) {
                    found.insert(identity(&meta));
                }
            }
        }
        Some(found)
    }

    fn close(&self, below: &Path, is_folder: bool) -> bool {
        let kind = if is_folder { Kind::Folder } else { Kind::File };
        self.patterns.unwrap_or_default().iter().any(|(_, patterns)| patterns.names(below, kind))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Builder;
    use super::*;

    #[test]
    fn a_look_counts_until_a_file_gets_a_new_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let file = |name: &str| root.join(name);
        std::fs::create_dir(file("closed")).unwrap();
        for name in ["closed/a", "b", "other"] {
            std::fs::write(file(name), name).unwrap();
        }
        std::fs::hard_link(file("other"), file("another")).unwrap();
        let mut builder = Builder::new();
        builder.add("closed/").unwrap();
        let patterns = [("x", builder.build().unwrap())];
        let links = ClosedLinks::default();
        let tell = |name: &str, since| {
            let meta = of_many_names(&file(name)).unwrap();
            links.tell(&meta, &root, Some(&patterns), since)
        };
        let begin = Instant::now();
        assert!(of_many_names(&file("b")).is_none() && of_many_names(&file("closed")).is_none());
        assert_eq!(tell("another", begin), Linked::Open);
        std::fs::hard_link(file("closed/a"), file("link")).unwrap();
        // The question is older than the look.
        assert_eq!(tell("link", begin), Linked::Open);
        assert_eq!(tell("link", Instant::now()), Linked::Closed);
        // Without patterns everything is closed.
        let meta = of_many_names(&file("another")).unwrap();
        assert_eq!(ClosedLinks::default().tell(&meta, &root, None, begin), Linked::Closed);
    }

    #[test]
    fn what_is_too_much_to_look_at_is_not_told() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..20 {
            std::fs::write(dir.path().join(number.to_string()), "").unwrap();
        }
        let search = |left, until| Search { patterns: None, left, until }.run(dir.path());
        let later = Instant::now() + MOST_TIME;
        assert_eq!(search(20, later), Some(HashSet::new()));
        assert_eq!(search(19, later), None);
        assert_eq!(search(20, Instant::now()), None);
    }
}
