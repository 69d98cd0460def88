//! What a search keeps of what it meets: no more than it shows.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::time::SystemTime;

/// Which entries are shown, and in which order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Order {
    /// The newest files.
    Newest,
    /// Files and folders that are least deep, so that what is left out can still be reached; each folder before what
    /// is in it.
    Tree,
}

/// One entry. The order is that of what to keep.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Hit {
    depth: usize,
    modified: Reverse<SystemTime>,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a folder, or leads to one.
    pub is_folder: bool,
}

/// Entries that were met.
#[derive(Debug)]
pub(super) struct Hits {
    order: Order,
    held: Vec<Hit>,
    /// How many were met.
    pub total: usize,
}

impl Order {
    /// Most names that are shown.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Newest => 100,
            Self::Tree => 200,
        }
    }
}

impl Hits {
    pub(super) fn new(order: Order) -> Self {
        Self { order, held: Vec::new(), total: 0 }
    }

    /// Takes a file of a search for the newest.
    pub(super) fn add_file(&mut self, modified: SystemTime, path: PathBuf) {
        self.add(Hit { depth: 0, modified: Reverse(modified), path, is_folder: false });
    }

    /// Takes an entry of a listing.
    pub(super) fn add_entry(&mut self, depth: usize, path: PathBuf, is_folder: bool) {
        self.add(Hit { depth, modified: Reverse(SystemTime::UNIX_EPOCH), path, is_folder });
    }

    fn add(&mut self, hit: Hit) {
        self.total += 1;
        self.held.push(hit);
        // Some are held beyond what is shown, so that not every one of them makes a new order.
        if self.held.len() > 4 * self.order.most() {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.held.sort_unstable();
        self.held.truncate(self.order.most());
    }

    /// What is shown, in order.
    pub(super) fn shown(&mut self) -> Vec<Hit> {
        self.cut();
        let mut shown = std::mem::take(&mut self.held);
        if self.order == Order::Tree {
            shown.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    #[test]
    fn a_folder_comes_before_what_is_in_it_and_what_is_deep_goes_first() {
        let mut hits = Hits::new(Order::Tree);
        for at in 0..1_000 {
            hits.add_entry(3, format!("/w/a/b/{at}").into(), false);
        }
        for (path, depth) in [("/w/a.txt", 1), ("/w/a/b", 2), ("/w/a", 1)] {
            hits.add_entry(depth, path.into(), !path.contains('.'));
        }
        let shown = hits.shown();
        let paths: Vec<&str> = shown.iter().map(|hit| hit.path.to_str().unwrap()).collect();
        assert_eq!((hits.total, paths.len()), (1_003, 200));
        assert_eq!((&paths[..3], paths[199]), (&["/w/a", "/w/a/b", "/w/a/b/0"][..], "/w/a.txt"));
    }

    proptest! {
        #[test]
        fn the_newest_are_kept_whatever_the_order_of_meeting(times in proptest::collection::vec(0u64..5_000, 0..1_500)) {
            let mut hits = Hits::new(Order::Newest);
            let at = |time| SystemTime::UNIX_EPOCH + Duration::from_secs(time);
            for (number, time) in times.iter().enumerate() {
                hits.add_file(at(*time), format!("/{number}").into());
            }
            let mut expected = times.clone();
            expected.sort_unstable_by_key(|time| Reverse(*time));
            expected.truncate(100);
            let shown: Vec<_> = hits.shown().into_iter().map(|hit| hit.modified.0).collect();
            prop_assert_eq!(shown, expected.into_iter().map(at).collect::<Vec<_>>());
            prop_assert_eq!(hits.total, times.len());
        }
    }
}
