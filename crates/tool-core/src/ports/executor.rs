//! All calls of one message. Port of `scheduler`; the events come from `wire`.

use super::Finished;
use crate::{ContextSnapshot, ToolContext, ToolUse};
use async_trait::async_trait;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

/// Why a message ended, in the API's own words where it is another than asking for tools.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum StopReason {
    /// The message asks for its tools to be run, or says nothing about it.
    ToolUse,
    /// Something else, such as `max_tokens`: its calls are not run.
    Other(String),
}

/// What happens while a message arrives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TurnEvent {
    /// A call's block began.
    CallStarted {
        /// Id of the call.
        id: Arc<str>,
        /// Name as called.
        name: Arc<str>,
    },
    /// More of a call's input.
    InputDelta {
        /// Id of the call.
        id: Arc<str>,
        /// JSON text, which may end anywhere.
        text: String,
    },
    /// A call is complete.
    CallReady(ToolUse),
    /// The message ended.
    Ended(StopReason),
    /// The message failed; what was started is kept, nothing further starts.
    Failed(String),
    /// The message is written again from its beginning, with new calls. What the dropped attempt started is not
    /// started again: an equal call takes its place.
    Restarted,
}

/// Events of a message, one after the other.
#[async_trait]
pub trait TurnEvents: Debug + Send {
    /// The next event; `None` after the last.
    async fn next(&mut self) -> Option<TurnEvent>;
}

/// Events that are all there already.
#[async_trait]
impl TurnEvents for VecDeque<TurnEvent> {
    async fn next(&mut self) -> Option<TurnEvent> {
        self.pop_front()
    }
}

/// How a turn ended.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "hosts must handle each end")]
pub enum TurnEnd {
    /// All calls are answered; the conversation may go on.
    Completed,
    /// A person, a hook or an interrupt stopped it; the text is for the user.
    Stopped(String),
    /// It was cancelled.
    Cancelled,
    /// A hook left this call open.
    Deferred(ToolUse),
    /// The message failed.
    Failed(String),
}

/// What a turn gave.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TurnOutcome {
    /// One a call, in call order.
    pub calls: Vec<Finished>,
    /// Texts for the model after the last result, in call order.
    pub messages: Vec<String>,
    /// How it ended.
    pub end: TurnEnd,
    /// The context after the turn.
    pub context: Arc<ContextSnapshot>,
}

impl TurnOutcome {
    /// An outcome.
    #[must_use]
    pub fn new(
        calls: Vec<Finished>,
        messages: Vec<String>,
        end: TurnEnd,
        context: Arc<ContextSnapshot>,
    ) -> Self {
        Self { calls, messages, end, context }
    }
}

/// Runs the calls of one message.
///
/// # Contract
/// - Exactly one result a call, in call order, also after cancellation, a panic or a stop (unless
///   the turn ends deferred).
/// - An exclusive call overlaps nothing. Context changes take effect between batches only.
/// - Watches `ctx.cancel`. Two calls with one id: the first stands, the repeat is reported.
#[async_trait]
pub trait TurnExecutor: Debug + Send + Sync {
    /// Runs a turn.
    async fn run(&self, events: Box<dyn TurnEvents>, ctx: ToolContext) -> TurnOutcome;
}

const _: fn(&dyn TurnExecutor) = |_| ();
