//! What users attached to events. Port of `hooks`; the full list of events lives there.

use crate::{ToolContext, ToolResult};
use async_trait::async_trait;
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// Events that the pipeline itself fires.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HookEvent {
    /// Before the rules look at a call.
    PreToolUse,
    /// An ask is about to be put to a person.
    PermissionRequest,
    /// After a call that succeeded.
    PostToolUse,
    /// After a call that started and failed.
    PostToolUseFailure,
    /// After all calls of a message.
    PostToolBatch,
}

impl HookEvent {
    /// The name in settings and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PostToolBatch => "PostToolBatch",
        }
    }
}

/// The call that an event is about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct HookCall<'a> {
    /// Canonical name of the tool.
    pub tool: &'a str,
    /// Aliases of the tool: a matcher that names one means the tool.
    pub aliases: &'a [crate::ToolName],
    /// Id of the call.
    pub tool_use_id: &'a str,
    /// Input, backfilled.
    pub input: &'a Value,
    /// Where.
    pub ctx: &'a ToolContext,
}

impl<'a> HookCall<'a> {
    /// A call of `tool`.
    pub fn new(
        tool: &'a str,
        aliases: &'a [crate::ToolName],
        tool_use_id: &'a str,
        input: &'a Value,
        ctx: &'a ToolContext,
    ) -> Self {
        Self { tool, aliases, tool_use_id, input, ctx }
    }
}

/// A merged decision of pre-hooks. `Ord` is the strictness.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the pipeline must handle each decision")]
pub enum HookDecision {
    /// Lets it run, as far as rules and safety have nothing against it.
    Allow,
    /// Puts it to a person.
    Ask,
    /// Ends the turn with the call open, for the host to resume.
    Defer,
    /// Refuses it.
    Deny,
}

/// How one handler ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a new outcome must be decided about")]
pub enum HookReportOutcome {
    /// It answered, or had nothing to say.
    Answered,
    /// Its output is no answer.
    NotUnderstood,
    /// Its output is an answer that breaks the schema.
    WrongSchema,
    /// It ended with an unexpected code.
    Crashed,
    /// A signal ended it.
    Killed,
    /// It reached its time limit and was killed.
    TimedOut,
    /// It could not be started.
    CouldNotStart,
    /// The call was cancelled while it ran.
    Cancelled,
}

/// What became of one handler, for the person who runs the program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookReport {
    /// Which handler: its command or another short name, and its source.
    pub handler: String,
    /// How it ended.
    pub outcome: HookReportOutcome,
    /// What it decided, if anything.
    pub decision: Option<HookDecision>,
    /// A text for the user: a notice of a failure, or `None`.
    pub notice: Option<String>,
    /// How long it ran.
    pub duration: Duration,
}

impl HookReport {
    /// A report of one handler.
    pub fn new(handler: impl Into<String>, outcome: HookReportOutcome, duration: Duration) -> Self {
        Self { handler: handler.into(), outcome, decision: None, notice: None, duration }
    }
}

/// Merged answer of all `PreToolUse` handlers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PreOutcome {
    /// The strictest decision; `None` when nobody said anything. An allow that saw an input which
    /// another handler replaced is not in here.
    pub decision: Option<HookDecision>,
    /// Reasons of that decision, joined.
    pub reason: Option<String>,
    /// The whole input, replaced.
    pub updated_input: Option<Arc<Value>>,
    /// Texts for the model, next to the result.
    pub additional_context: Vec<String>,
    /// Texts for the user.
    pub system_messages: Vec<String>,
    /// The turn stops; the text is for the user.
    pub stop: Option<String>,
    /// One a handler, in configuration order.
    pub reports: Vec<HookReport>,
}

/// Merged answer of handlers that run after something happened.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PostOutcome {
    /// Texts for the model: reasons of blocks, then context.
    pub additional_context: Vec<String>,
    /// Texts for the user.
    pub system_messages: Vec<String>,
    /// Another structured output, not yet checked for its shape.
    pub updated_output: Option<Value>,
    /// The turn stops; the text is for the user.
    pub stop: Option<String>,
    /// What the event announces must not happen (a prompt, a stop, a compaction, a change of settings), and why.
    pub blocked: Option<String>,
    /// Answers that only this event takes, such as `sessionTitle` or `watchPaths`, by their public names.
    pub fields: serde_json::Map<String, Value>,
    /// Variables that handlers left for later commands.
    pub context_change: Option<crate::ContextChange>,
    /// One a handler, in configuration order.
    pub reports: Vec<HookReport>,
}

/// An answer in place of the approver.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "the pipeline must handle each answer")]
pub enum PermissionAnswer {
    /// Yes, maybe with another input, which is judged again.
    Allow {
        /// The whole input, replaced.
        updated_input: Option<Value>,
        /// Permission updates, in the public form; applied by the host.
        updated_permissions: Vec<Value>,
    },
    /// No.
    Deny {
        /// For the model.
        message: Option<String>,
        /// The turn stops.
        interrupt: bool,
    },
}

/// Merged answer of all `PermissionRequest` handlers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PermissionOutcome {
    /// An answer in place of the approver; `None` leaves the question to it.
    pub answer: Option<PermissionAnswer>,
    /// Texts for the user.
    pub system_messages: Vec<String>,
    /// One a handler, in configuration order.
    pub reports: Vec<HookReport>,
}

/// One resolved call, as `PostToolBatch` handlers see it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchCall {
    /// Canonical name of the tool.
    pub tool: Arc<str>,
    /// Input that ran.
    pub input: Arc<Value>,
    /// The result, as the model sees it.
    pub result: ToolResult,
}

impl BatchCall {
    /// A resolved call.
    #[must_use]
    pub fn new(tool: Arc<str>, input: Arc<Value>, result: ToolResult) -> Self {
        Self { tool, input, result }
    }
}

/// Runs what users attached to events.
///
/// # Contract
/// - `interested` is synchronous and cheap: with no handlers an event costs nothing.
/// - All methods watch `ctx.cancel` and leave no process behind.
/// - A handler that fails in any way never turns into an allow.
#[async_trait]
pub trait HookRunner: Debug + Send + Sync {
    /// Whether any handler could run for this event and tool.
    fn interested(&self, event: HookEvent, tool: &str, aliases: &[crate::ToolName]) -> bool;

    /// Before the rules look.
    async fn pre(&self, call: &HookCall<'_>) -> PreOutcome;

    /// After a success. `response` is the structured output.
    async fn post(&self, call: &HookCall<'_>, response: &Value, duration: Duration) -> PostOutcome;

    /// After a failure. `error` is what the model reads.
    async fn failure(&self, call: &HookCall<'_>, error: &str, duration: Duration) -> PostOutcome;

    /// An ask without a safety reason is about to be put. Default: nobody answers.
    async fn permission_request(
        &self,
        _call: &HookCall<'_>,
        _suggestions: &[Value],
    ) -> Option<PermissionAnswer> {
        None
    }

    /// The same with what became of the handlers. Default: the answer alone.
    async fn permission(&self, call: &HookCall<'_>, suggestions: &[Value]) -> PermissionOutcome {
        let answer = self.permission_request(call, suggestions).await;
        PermissionOutcome { answer, ..PermissionOutcome::default() }
    }

    /// After all calls of a message. Default: nothing.
    async fn batch(&self, _calls: &[BatchCall], _ctx: &ToolContext) -> PostOutcome {
        PostOutcome::default()
    }

    /// Any other event by its name, with its input in the public form. Default: nothing.
    async fn fire(&self, _event: &str, _input: Value, _ctx: &ToolContext) -> PostOutcome {
        PostOutcome::default()
    }
}

const _: fn(&dyn HookRunner) = |_| ();

/// No hooks.
#[async_trait]
impl HookRunner for () {
    fn interested(&self, _event: HookEvent, _tool: &str, _aliases: &[crate::ToolName]) -> bool {
        false
    }

    async fn pre(&self, _call: &HookCall<'_>) -> PreOutcome {
        PreOutcome::default()
    }

    async fn post(&self, _call: &HookCall<'_>, _response: &Value, _duration: Duration) -> PostOutcome {
        PostOutcome::default()
    }

    async fn failure(&self, _call: &HookCall<'_>, _error: &str, _duration: Duration) -> PostOutcome {
        PostOutcome::default()
    }
}
