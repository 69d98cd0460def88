//! One call through the pipeline, in three steps. Port of `dispatch`, driven by a scheduler.

use crate::{
    Accesses, Concurrency, ContextChange, ErrorKind, PartialInput, ToolContext, ToolResult, ToolUse,
};
use async_trait::async_trait;
use serde_json::Value;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The next proof, or the end of the call.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a step goes on or ends")]
pub enum Step<T> {
    /// The call goes on.
    Next(T),
    /// The call has its result.
    Done(Box<Finished>),
}

/// A call that passed validation. What is in it besides the facts for scheduling is known to the
/// invoker that made it, and to nobody else.
pub struct Prepared {
    /// Id as received.
    pub id: Arc<str>,
    /// Canonical name of the tool.
    pub tool: Arc<str>,
    /// Whether it may run beside others.
    pub concurrency: Concurrency,
    /// What it may touch.
    pub accesses: Accesses,
    /// Whether it may end with a context change.
    pub changes_context: bool,
    payload: Box<dyn Any + Send + Sync>,
}

/// A call that may run. Carries the generation under which it was decided: if context or rules moved
/// since, it is decided again.
#[non_exhaustive]
pub struct Ready {
    /// The call as it would run: after hooks, maybe stricter than before.
    pub prepared: Prepared,
    /// Generation of the context.
    pub context_generation: u64,
    /// Generation of the rules.
    pub rules_generation: u64,
}

impl Prepared {
    /// A validated call; `payload` is the invoker's own.
    pub fn new(
        id: Arc<str>,
        tool: Arc<str>,
        concurrency: Concurrency,
        accesses: Accesses,
        changes_context: bool,
        payload: Box<dyn Any + Send + Sync>,
    ) -> Self {
        Self { id, tool, concurrency, accesses, changes_context, payload }
    }

    /// Takes out the invoker's own part.
    #[must_use]
    pub fn into_payload(self) -> Box<dyn Any + Send + Sync> {
        self.payload
    }

    /// Looks at the invoker's own part.
    #[must_use]
    pub fn payload(&self) -> &(dyn Any + Send + Sync) {
        &*self.payload
    }
}

impl Ready {
    /// A decided call.
    #[must_use]
    pub fn new(prepared: Prepared, context_generation: u64, rules_generation: u64) -> Self {
        Self { prepared, context_generation, rules_generation }
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("id", &self.id).field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").field("prepared", &self.prepared).finish_non_exhaustive()
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "schedulers and reports must handle each outcome")]
pub enum Outcome {
    /// It ran and succeeded.
    Succeeded,
    /// It ran and failed.
    Failed(ErrorKind),
    /// Its name or input was wrong; nothing ran.
    Invalid,
    /// A rule, a hook or a person refused it; nothing ran.
    Refused,
    /// It was cancelled, before or while it ran.
    Cancelled,
    /// The turn was stopped before it ran.
    NotRun,
    /// A hook left it open for the host.
    Deferred,
}

/// A call that has its result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finished {
    /// The result; the only one.
    pub result: ToolResult,
    /// Canonical name of the tool, or the name as called when there is none.
    pub tool: Arc<str>,
    /// The input that ran or would have run.
    pub input: Arc<Value>,
    /// The input as hooks see it, with absolute paths, when a hook wanted to see it.
    pub view: Option<Arc<Value>>,
    /// How it ended.
    pub outcome: Outcome,
    /// A change for the calls after it.
    pub context_change: Option<ContextChange>,
    /// Texts for the model after the results: hook context, messages, a person's comment.
    pub messages: Vec<String>,
    /// The turn stops, and why, in words for the user.
    pub stop: Option<String>,
    /// How long the execution took; zero when nothing ran.
    pub duration: Duration,
}

impl Finished {
    /// A call with its result and nothing else.
    pub fn new(result: ToolResult, tool: impl Into<Arc<str>>, input: Arc<Value>, outcome: Outcome) -> Self {
        Self {
            result,
            tool: tool.into(),
            input,
            outcome,
            view: None,
            context_change: None,
            messages: Vec::new(),
            stop: None,
            duration: Duration::ZERO,
        }
    }

    /// An error result of a call that did not run.
    pub fn not_run(call: &ToolUse, outcome: Outcome, text: impl Into<String>) -> Self {
        let input = match &call.input {
            crate::RawInput::Json(input) => Arc::clone(input),
            crate::RawInput::Unreadable(text) => Arc::new(Value::String(text.to_string())),
        };
        Self::new(ToolResult::error(Arc::clone(&call.id), text), Arc::clone(&call.name), input, outcome)
    }
}

/// Takes calls through the pipeline.
///
/// # Contract
/// - No step fails or panics through: whatever happens becomes a [`Finished`].
/// - `decide` is called only after every earlier call that may change the context has finished, and
///   holds no slot while it waits. `execute` decides again when `ready` is of an older generation.
/// - Every step watches `ctx.cancel`.
#[async_trait]
pub trait ToolInvoker: fmt::Debug + Send + Sync {
    /// Phase 2. Does not wait.
    fn validate(&self, call: ToolUse, ctx: &ToolContext) -> Step<Prepared>;

    /// Phases 3 and 4.
    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready>;

    /// Phases 5 to 7.
    async fn execute(&self, call: Ready, ctx: ToolContext) -> Finished;

    /// Who paints a call of the tool `name` while its input still streams. Default: nobody.
    fn partial(&self, _name: &str) -> Option<Arc<dyn PartialInput>> {
        None
    }

    /// Runs the hooks of a finished batch, when there are any. Gives texts for the model, and
    /// whether the turn stops. Default: nothing.
    async fn finish_batch(
        &self,
        _finished: &[Finished],
        _ctx: &ToolContext,
    ) -> (Vec<String>, Option<String>) {
        (Vec::new(), None)
    }

    /// The three steps in a row, for one call.
    async fn invoke(&self, call: ToolUse, ctx: ToolContext) -> Finished {
        let prepared = match self.validate(call, &ctx) {
            Step::Next(prepared) => prepared,
            Step::Done(finished) => return *finished,
        };
        match self.decide(prepared, &ctx).await {
            Step::Next(ready) => self.execute(ready, ctx).await,
            Step::Done(finished) => *finished,
        }
    }
}

const _: fn(&dyn ToolInvoker) = |_| ();
