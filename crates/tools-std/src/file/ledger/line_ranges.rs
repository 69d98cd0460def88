//! Which lines of a file were shown, in parts that may come together to all of it.

use crate::file::lines::lines;
use serde::{Deserialize, Serialize};

/// Most ranges that are remembered of a file; of more the shortest are forgotten.
const MOST: usize = 64;

/// Lines from 1, both ends included: ranges in order that do not touch.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(from = "Vec<(usize, usize)>")]
pub(crate) struct LineRanges(Vec<(usize, usize)>);

impl From<Vec<(usize, usize)>> for LineRanges {
    fn from(ranges: Vec<(usize, usize)>) -> Self {
        let mut all = Self::default();
        for (first, last) in ranges {
            all.add(first, last);
        }
        all
    }
}

impl LineRanges {
    /// One range; nothing when it ends before it begins.
    pub(crate) fn of(first: usize, last: usize) -> Self {
        vec![(first, last)].into()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the lines from `first` to `last`.
    pub(crate) fn add(&mut self, first: usize, last: usize) {
        let mut first = first.max(1);
        let mut last = last;
        if last < first {
            return;
        }
        // The usual case: the next line.
        if let Some(end) = self.0.last_mut().filter(|end| end.0 <= first && first <= end.1.saturating_add(1))
        {
            end.1 = end.1.max(last);
            return;
        }
        let touches =
            |one: &(usize, usize)| one.0 <= last.saturating_add(1) && first <= one.1.saturating_add(1);
        let from = self.0.partition_point(|one| one.1.saturating_add(1) < first);
        let count = self.0.iter().skip(from).take_while(|one| touches(one)).count();
        for one in self.0.iter().skip(from).take(count) {
            first = first.min(one.0);
            last = last.max(one.1);
        }
        self.0.splice(from..from + count, [(first, last)]);
        if self.0.len() > MOST
            && let Some((shortest, _)) = self.0.iter().enumerate().min_by_key(|(_, one)| one.1 - one.0)
        {
            self.0.remove(shortest);
        }
    }

    /// Adds all of `other`.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (first, last) in &other.0 {
            self.add(*first, *last);
        }
    }

    /// Which of the lines from 1 to `total` are not among them.
    pub(crate) fn missing(&self, total: usize) -> Vec<(usize, usize)> {
        let mut missing = Vec::new();
        let mut next = 1;
        for (first, last) in self.0.iter().chain([&(total.saturating_add(1), usize::MAX)]) {
            let end = (first - 1).min(total);
            if next <= end {
                missing.push((next, end));
            }
            next = last.saturating_add(1);
        }
        missing
    }

    /// The lines that are known after the text `before` became `after` by an edit that was made knowingly: what was
    /// known outside of the changed part, and that part when all of it was known.
    pub(crate) fn after_edit(&self, before: &str, after: &str) -> Self {
        let same =
            |pairs: &mut dyn Iterator<Item = (&str, &str)>| pairs.take_while(|(old, new)| old == new).count();
        let (old, new) = (lines(before).count(), lines(after).count());
        let head = same(&mut lines(before).zip(lines(after)));
        let tail = same(&mut lines(before).rev().zip(lines(after).rev())).min(old.min(new) - head);
        let (old_end, new_end) = (old - tail, new - tail);
        let mut known = Self::default();
        let mut is_changed_part_known = old_end == head;
        for (first, last) in &self.0 {
            known.add(*first, head.min(*last));
            is_changed_part_known |= *first <= head + 1 && old_end <= *last;
        }
        if is_changed_part_known {
            known.add(head + 1, new_end);
        }
        for (first, last) in &self.0 {
            let first = (*first).max(old_end + 1);
            if first <= *last {
                known.add(first - old_end + new_end, (*last).min(old) - old_end + new_end);
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(ranges: &LineRanges) -> BTreeSet<usize> {
        ranges.0.iter().flat_map(|(first, last)| *first..=*last).collect()
    }

    proptest! {
        #[test]
        fn ranges_are_the_set_of_their_lines(given in proptest::collection::vec((0usize..40, 0usize..40), 0..30), total in 0usize..50) {
            let ranges: LineRanges = given.clone().into();
            let lines: BTreeSet<usize> = given.iter().flat_map(|(first, last)| *first.max(&1)..=*last).collect();
            prop_assert_eq!(&set(&ranges), &lines);
            prop_assert!(ranges.0.windows(2).all(|two| two[0].1 + 1 < two[1].0));
            let missing = LineRanges::from(ranges.missing(total));
            prop_assert_eq!(set(&missing), (1..=total).filter(|line| !lines.contains(line)).collect());
            let mut merged = ranges.clone();
            merged.merge(&missing);
            prop_assert!(merged.missing(total).is_empty());
            let kept = serde_json::to_string(&ranges).unwrap();
            prop_assert_eq!(serde_json::from_str::<LineRanges>(&kept).unwrap(), ranges);
        }

        #[test]
        fn whatever_is_kept_is_bounded(given in proptest::collection::vec(any::<(usize, usize)>(), 0..300)) {
            let ranges: LineRanges = given.into();
            prop_assert!(ranges.0.len() <= MOST);
            ranges.missing(usize::MAX);
        }

        #[test]
        fn an_edit_makes_nothing_known_that_was_not(
            before in "([ab]\n){0,8}", after in "([ab]\n){0,8}", given in proptest::collection::vec((1usize..9, 1usize..9), 0..3),
        ) {
            let all = LineRanges::of(1, before.lines().count());
            prop_assert!(all.after_edit(&before, &after).missing(after.lines().count()).is_empty());
            let known: LineRanges = given.into();
            prop_assert!(known.after_edit(&before, &before).0.len() <= known.0.len());
            let total = after.lines().count();
            let unknown = known.missing(before.lines().count());
            let after_edit = known.after_edit(&before, &after);
            prop_assert!(set(&after_edit).iter().all(|line| (1..=total).contains(line)));
            // Lines that nobody saw and that are still there stay unknown, unless new ones stand for them.
            if total >= before.lines().count() && after.starts_with(&before) {
                prop_assert_eq!(after_edit.missing(before.lines().count()), unknown);
            }
        }
    }

    #[test]
    fn what_is_known_moves_with_an_edit() {
        let known = LineRanges::from(vec![(1, 2), (5, 6)]);
        for (before, after, expected) in [
            // Two lines more at the beginning, which the edit itself wrote.
            ("a\nb\nc\nd\ne\nf\n", "x\ny\nb\nc\nd\ne\nf\n", &[(1, 3), (6, 7)][..]),
            // A line was put before all others.
            ("a\nb\nc\nd\ne\nf\n", "0\na\nb\nc\nd\ne\nf\n", &[(1, 3), (6, 7)]),
            // Both ends were changed: what is between is not known.
            ("a\nb\nc\nd\ne\nf\n", "A\nb\nc\nd\ne\nF\n", &[]),
            // The last lines went.
            ("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\n", &[(1, 2)]),
            ("a\nb\nc\nd\ne\nf\n", "", &[]),
        ] {
            assert_eq!(known.after_edit(before, after).0, expected, "{after:?}");
        }
    }
}
