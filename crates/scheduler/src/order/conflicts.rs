//! Conflicts: a call begins when every earlier call that conflicts with it has its result.
//!
//! Calls are taken up in order into an index of who read and wrote what last, so that a call learns the few that
//! it waits for without looking at all before it. A call that may touch everything or change the context is a
//! barrier: it waits for all before it, and nothing behind it is taken up before it is done, because it may change
//! where paths lead.

use super::Next;
use super::resources::{Name, Touched};
use crate::slot::{Slot, State};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// The order of now.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    /// The calls before it were taken up.
    taken: usize,
    /// Those of them without a result.
    open: BTreeSet<usize>,
    /// The barrier that waits or runs.
    barrier: Option<usize>,
    /// How many calls each waits for.
    waits_for: HashMap<usize, usize>,
    /// Who waits for each.
    holds: HashMap<usize, Vec<usize>>,
    /// Those that wait for nothing more.
    free: BTreeSet<usize>,
    /// Those that were decided and run alone.
    stricter: BTreeSet<usize>,
    files: BTreeMap<Name, Users>,
}

/// Who touched a resource since its last writer, and that writer.
#[derive(Debug, Default)]
struct Users {
    writer: Option<usize>,
    readers: Vec<usize>,
}

/// Whether nothing may run beside a call, whatever it is.
pub(super) fn is_barrier(slot: &Slot) -> bool {
    slot.changes_context || matches!(Touched::of(&slot.accesses), Touched::Everything)
}

impl Conflicts {
    pub(super) fn next(
        &mut self,
        slots: &[Slot],
        generation: u64,
        may_start: impl Fn(&Slot) -> bool,
    ) -> Next {
        if let Some(next) = self.take(slots, generation) {
            return next;
        }
        let first_stricter = self.stricter.first().copied();
        if let Some(at) = first_stricter {
            // Everything that runs ends first; calls behind it do not begin.
            let runs = |at: &usize| slots.get(*at).is_some_and(|slot| matches!(slot.state, State::Begun));
            if self.open.iter().any(runs) {
                return Next::Wait;
            }
            if self.open.first() == Some(&at) {
                self.stricter.remove(&at);
                return Next::Alone(at);
            }
        }
        let may = |at: &&usize| {
            slots.get(**at).is_some_and(|slot| slot.is_waiting() && may_start(slot))
                && first_stricter.is_none_or(|stricter| **at < stricter)
        };
        match self.free.iter().find(may).copied() {
            Some(at) => {
                self.free.remove(&at);
                Next::Begin(at)
            }
            None => Next::Wait,
        }
    }

    /// Takes up calls until a barrier; says when one has to be looked at again first.
    fn take(&mut self, slots: &[Slot], generation: u64) -> Option<Next> {
        while self.barrier.is_none() {
            let at = self.taken;
            let slot = slots.get(at)?;
            if let State::Waiting { generation: then, .. } = slot.state
                && then != generation
            {
                return Some(Next::Check(at));
            }
            self.taken += 1;
            if slot.is_finished() {
                continue;
            }
            // One that runs already, begun by an earlier attempt: nothing is begun beside it.
            if !slot.is_waiting() {
                self.barrier = Some(at);
                self.open.insert(at);
                continue;
            }
            let touched =
                if slot.changes_context { Touched::Everything } else { Touched::of(&slot.accesses) };
            let before = match touched {
                Touched::Everything => {
                    self.barrier = Some(at);
                    self.open.clone()
                }
                Touched::Only(names) => self.before(at, &names),
            };
            self.open.insert(at);
            let before: Vec<usize> =
                before.into_iter().filter(|earlier| self.open.contains(earlier)).collect();
            if before.is_empty() {
                self.free.insert(at);
            } else {
                self.waits_for.insert(at, before.len());
                for earlier in before {
                    self.holds.entry(earlier).or_default().push(at);
                }
            }
        }
        None
    }

    /// The calls that conflict with a new one, which is noted as a user of what it touches.
    fn before(&mut self, at: usize, names: &[(Name, bool)]) -> BTreeSet<usize> {
        let mut before = BTreeSet::new();
        for (name, writes) in names {
            self.overlapping(name, |users| {
                before.extend(users.writer);
                if *writes {
                    before.extend(users.readers.iter().copied());
                }
            });
        }
        for (name, writes) in names {
            let users = self.files.entry(name.clone()).or_default();
            if *writes {
                *users = Users { writer: Some(at), readers: Vec::new() };
            } else if users.readers.last() != Some(&at) && users.writer != Some(at) {
                users.readers.push(at);
            }
        }
        before.remove(&at);
        before
    }

    /// The users of everything that overlaps with `name`.
    fn overlapping(&self, name: &Name, mut each: impl FnMut(&Users)) {
        let mut look = |name: &Name| {
            if let Some(users) = self.files.get(name) {
                each(users);
            }
        };
        match name {
            Name::Other(_) => look(name),
            Name::File(path) => {
                look(name);
                path.ancestors().for_each(|above| look(&Name::Tree(above.to_path_buf())));
            }
            Name::Tree(path) => {
                path.ancestors().skip(1).for_each(|above| look(&Name::Tree(above.to_path_buf())));
                let is_below = |below: &Path| below.starts_with(path);
                let files = self.files.range(Name::File(path.clone())..);
                for (_, users) in
                    files.take_while(|(name, _)| matches!(name, Name::File(file) if is_below(file)))
                {
                    each(users);
                }
                let trees = self.files.range(Name::Tree(path.clone())..);
                for (_, users) in
                    trees.take_while(|(name, _)| matches!(name, Name::Tree(tree) if is_below(tree)))
                {
                    each(users);
                }
            }
        }
    }

    pub(super) fn finished(&mut self, at: usize) {
        self.open.remove(&at);
        self.free.remove(&at);
        self.stricter.remove(&at);
        self.waits_for.remove(&at);
        for held in self.holds.remove(&at).unwrap_or_default() {
            let Some(count) = self.waits_for.get_mut(&held) else { continue };
            *count -= 1;
            if *count == 0 {
                self.waits_for.remove(&held);
                self.free.insert(held);
            }
        }
        if self.barrier == Some(at) {
            self.barrier = None;
            // All before it are done, so nobody has to wait for them.
            self.files.clear();
        }
    }

    pub(super) fn stricter(&mut self, at: usize) {
        self.stricter.insert(at);
    }
}
