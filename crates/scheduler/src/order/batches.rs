//! Batches: shared calls that follow each other run together, everything else runs alone, in call order.

use super::Next;
use crate::slot::{Slot, State};
use pegboard_tool_core::Concurrency;
use std::collections::BTreeSet;

/// The batch of now: the calls from `first` to before `end`.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    /// Every call before it has its result.
    first: usize,
    /// The calls before it began.
    end: usize,
    /// Whether a shared call that follows may join.
    is_open: bool,
    /// Calls that run alone when the others of the batch are done.
    stricter: BTreeSet<usize>,
}

impl Batches {
    pub(super) fn next(
        &mut self,
        slots: &[Slot],
        generation: u64,
        may_start: impl Fn(&Slot) -> bool,
    ) -> Next {
        loop {
            while self.first < self.end && slots.get(self.first).is_some_and(Slot::is_finished) {
                self.first += 1;
            }
            if let Some(next) = self.alone(slots) {
                return next;
            }
            let Some(slot) = slots.get(self.end) else { return Next::Wait };
            match &slot.state {
                // What is invalid counts as exclusive: it parts the batch before it from the one behind.
                State::Finished(_) if self.first == self.end => {
                    self.is_open = false;
                    self.first += 1;
                    self.end += 1;
                }
                // One that an earlier attempt began runs alone.
                State::Begun if self.first == self.end => {
                    self.is_open = false;
                    self.end += 1;
                }
                State::Waiting { generation: then, .. } if *then != generation && self.could_begin() => {
                    return Next::Check(self.end);
                }
                State::Waiting { .. } if may_start(slot) => return self.begin(slot.concurrency),
                State::Waiting { .. } | State::Begun | State::Stricter(_) | State::Finished(_) => {
                    return Next::Wait;
                }
            }
        }
    }

    /// The next of those that left the batch, when the others are done.
    fn alone(&mut self, slots: &[Slot]) -> Option<Next> {
        if self.stricter.is_empty() {
            return None;
        }
        let batch = slots.get(self.first..self.end).unwrap_or_default();
        let others = batch.iter().any(|slot| !slot.is_finished() && !slot.is_stricter());
        if others {
            return Some(Next::Wait);
        }
        self.stricter.pop_first().map(Next::Alone)
    }

    fn could_begin(&self) -> bool {
        self.first == self.end || self.is_open
    }

    fn begin(&mut self, concurrency: Concurrency) -> Next {
        let is_shared = concurrency == Concurrency::Shared;
        let joins = self.first < self.end && self.is_open && is_shared;
        if self.first < self.end && !joins {
            return Next::Wait;
        }
        self.is_open = is_shared;
        self.end += 1;
        Next::Begin(self.end - 1)
    }

    pub(super) fn stricter(&mut self, at: usize) {
        // Nothing joins a batch that one of its calls left: what follows comes after that call.
        self.is_open = false;
        self.stricter.insert(at);
    }
}
