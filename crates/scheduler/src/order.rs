//! Which waiting call may begin now.

mod batches;
mod conflicts;
mod resources;

pub(crate) use batches::Batches;
pub(crate) use conflicts::Conflicts;

use crate::scheduler::Schedule;
use crate::slot::Slot;
use pegboard_tool_core::ports::Ready;
use pegboard_tool_core::{Accesses, Concurrency};

/// The calls of a turn, in call order, and when each may begin.
///
/// INVARIANT: whatever is asked, a call begins once, and a call that no other one holds back begins.
#[derive(Debug)]
pub(crate) enum Order {
    Batches(Batches),
    Conflicts(Box<Conflicts>),
}

/// What the order wants next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Next {
    /// This call is to be validated in the context of now, then asked about again.
    Check(usize),
    /// This call may be decided, then run.
    Begin(usize),
    /// This call was decided and runs alone now.
    Alone(usize),
    /// Nothing, until a call ends or another one arrives.
    Wait,
}

impl Order {
    pub(crate) fn new(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Batches => Self::Batches(Batches::default()),
            Schedule::Conflicts => Self::Conflicts(Box::default()),
        }
    }

    /// What may begin now. `may_start` says of a waiting call whether the message lets it begin yet.
    pub(crate) fn next(
        &mut self,
        slots: &[Slot],
        generation: u64,
        may_start: impl Fn(&Slot) -> bool,
    ) -> Next {
        match self {
            Self::Batches(order) => order.next(slots, generation, may_start),
            Self::Conflicts(order) => order.next(slots, generation, may_start),
        }
    }

    /// A call has its result.
    pub(crate) fn finished(&mut self, at: usize) {
        if let Self::Conflicts(order) = self {
            order.finished(at);
        }
    }

    /// A call that began turned out stricter than what it was begun as.
    pub(crate) fn stricter(&mut self, at: usize) {
        match self {
            Self::Batches(order) => order.stricter(at),
            Self::Conflicts(order) => order.stricter(at),
        }
    }

    /// What a call is begun as.
    pub(crate) fn limits(&self, slot: &Slot) -> Limits {
        match self {
            Self::Batches(_) => Limits::Batch(slot.concurrency),
            Self::Conflicts(_) if conflicts::is_barrier(slot) => Limits::None,
            Self::Conflicts(_) => Limits::Touches(slot.accesses.clone()),
        }
    }
}

/// What a call is begun as, beside others. When its decision makes it more, it leaves them.
#[derive(Debug)]
pub(crate) enum Limits {
    /// It runs alone anyway.
    None,
    /// A member of a batch of this kind.
    Batch(Concurrency),
    /// One that touches this and leaves the context alone.
    Touches(Accesses),
}

impl Limits {
    /// Whether the call as decided may not run beside the others any more.
    pub(crate) fn are_exceeded_by(&self, ready: &Ready) -> bool {
        match self {
            Self::None => false,
            Self::Batch(concurrency) => {
                *concurrency == Concurrency::Shared && ready.prepared.concurrency == Concurrency::Exclusive
            }
            Self::Touches(accesses) => ready.prepared.changes_context || ready.prepared.accesses != *accesses,
        }
    }
}
