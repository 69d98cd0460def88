//! [`Scheduler`] and its settings.

use crate::turn::Turn;
use async_trait::async_trait;
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::{Observer, ToolInvoker, TurnEvents, TurnExecutor, TurnOutcome};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Shared calls that run at once when nothing else is said.
pub const DEFAULT_MAX_CONCURRENCY: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// Which calls may run beside each other.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum Schedule {
    /// Shared calls that follow each other run together, everything else runs alone, in call order.
    #[default]
    Batches,
    /// A call starts when every earlier call that conflicts with it is done: one of the two writes what the other
    /// touches. The outcome is that of running them one after another.
    Conflicts,
}

/// When a call of a message that still arrives may begin.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the three of the command line")]
pub enum Start {
    /// When it is complete.
    Block,
    /// When it is complete, if it writes nothing; else when the message ended.
    ReadOnly,
    /// When the message ended.
    #[default]
    End,
}

/// What becomes of a message's other calls when a `Bash` call of it ran and failed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum Siblings {
    /// They go on.
    #[default]
    Independent,
    /// Those that are not done are cancelled, also those that arrive later.
    Cancelled,
}

/// Runs the calls of a message.
#[derive(Clone, Debug)]
pub struct Scheduler {
    pub(crate) invoker: Arc<dyn ToolInvoker>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) max_concurrency: NonZeroUsize,
    pub(crate) schedule: Schedule,
    pub(crate) start: Start,
    pub(crate) siblings: Siblings,
}

impl Scheduler {
    /// Batches of at most [`DEFAULT_MAX_CONCURRENCY`] calls at once, begun when the message ended, whose
    /// calls are independent, and which nobody watches.
    #[must_use]
    pub fn new(invoker: Arc<dyn ToolInvoker>) -> Self {
        Self {
            invoker,
            observer: Arc::new(()),
            max_concurrency: DEFAULT_MAX_CONCURRENCY,
            schedule: Schedule::default(),
            start: Start::default(),
            siblings: Siblings::default(),
        }
    }

    /// The same with another limit of calls that run at once.
    #[must_use]
    pub fn with_max_concurrency(self, max_concurrency: NonZeroUsize) -> Self {
        Self { max_concurrency, ..self }
    }

    /// The same, watched.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer, ..self }
    }

    /// The same with another order.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// The same with another moment to begin.
    #[must_use]
    pub fn with_start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// The same with another rule for the siblings of a failed `Bash` call.
    #[must_use]
    pub fn with_siblings(self, siblings: Siblings) -> Self {
        Self { siblings, ..self }
    }
}

#[async_trait]
impl TurnExecutor for Scheduler {
    async fn run(&self, events: Box<dyn TurnEvents>, ctx: ToolContext) -> TurnOutcome {
        Turn::new(self, ctx).run(events).await
    }
}
