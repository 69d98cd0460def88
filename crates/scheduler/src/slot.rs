//! One call of a turn and how far it got.

use pegboard_tool_core::ports::{Finished, Prepared, Ready};
use pegboard_tool_core::{Accesses, Concurrency, ToolUse};
use std::sync::Arc;

/// A call in its place.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) call: Arc<ToolUse>,
    pub(crate) state: State,
    /// As it was validated last; exclusive while it never was.
    pub(crate) concurrency: Concurrency,
    /// What it touches; everything when that is not known.
    pub(crate) accesses: Accesses,
    /// Whether it says that it may change the context.
    pub(crate) changes_context: bool,
    /// Whether a change of the context counts: it runs alone.
    pub(crate) may_change: bool,
}

/// How far a call got.
#[derive(Debug)]
pub(crate) enum State {
    /// It is valid and waits for its turn.
    Waiting {
        prepared: Prepared,
        /// Generation of the context for which it was validated.
        generation: u64,
    },
    /// It is being decided, or runs.
    Begun,
    /// It was decided, may not run beside the others any more, and waits to run alone.
    Stricter(Box<Ready>),
    /// It has its result.
    Finished(Box<Finished>),
}

impl Slot {
    /// A call that is waiting.
    pub(crate) fn waiting(call: Arc<ToolUse>, prepared: Prepared, generation: u64) -> Self {
        let mut slot = Self {
            call,
            state: State::Begun,
            concurrency: Concurrency::Exclusive,
            accesses: Accesses::Everything,
            changes_context: true,
            may_change: false,
        };
        slot.wait(prepared, generation);
        slot
    }

    /// A call that has its result.
    pub(crate) fn finished(call: Arc<ToolUse>, finished: Box<Finished>) -> Self {
        Self {
            call,
            state: State::Finished(finished),
            concurrency: Concurrency::Exclusive,
            accesses: Accesses::nothing(),
            changes_context: false,
            may_change: false,
        }
    }

    /// A call that an earlier attempt at the message began.
    pub(crate) fn taken_over(call: Arc<ToolUse>) -> Self {
        Self {
            call,
            state: State::Begun,
            concurrency: Concurrency::Exclusive,
            accesses: Accesses::Everything,
            changes_context: true,
            may_change: true,
        }
    }

    /// Waits, as validated now.
    pub(crate) fn wait(&mut self, prepared: Prepared, generation: u64) {
        self.concurrency = prepared.concurrency;
        self.accesses = prepared.accesses.clone();
        self.changes_context = prepared.changes_context;
        self.may_change = prepared.concurrency == Concurrency::Exclusive;
        self.state = State::Waiting { prepared, generation };
    }

    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.state, State::Finished(_))
    }

    pub(crate) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting { .. })
    }

    pub(crate) fn is_stricter(&self) -> bool {
        matches!(self.state, State::Stricter(_))
    }

    /// Whether it touches nothing but by looking at it.
    pub(crate) fn only_reads(&self) -> bool {
        use pegboard_tool_core::AccessMode::Read;
        let reads = match &self.accesses {
            Accesses::Everything => false,
            Accesses::Only(all) => all.iter().all(|access| access.mode == Read),
        };
        reads && !self.changes_context && self.concurrency == Concurrency::Shared
    }
}
