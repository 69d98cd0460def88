//! [`HookHandler`]: one event in, one answer out. The seam for handlers of any kind.

use crate::HandlerEnd;
use async_trait::async_trait;
use pegboard_tool_core::ToolContext;
use serde_json::Value;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One firing of an event, as every handler gets it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookInput {
    /// Name of the event.
    pub event: Arc<str>,
    /// The input in the public form.
    pub json: Arc<Value>,
    /// The same as text.
    pub text: Arc<str>,
    /// Where, and what cancels it.
    pub ctx: ToolContext,
    /// Most time that the handler may take.
    pub time_limit: Duration,
    /// File to which `export NAME=value` lines may be added (some events only).
    pub env_file: Option<Arc<Path>>,
}

impl HookInput {
    /// A firing.
    pub fn new(event: impl Into<Arc<str>>, json: Value, ctx: ToolContext, time_limit: Duration) -> Self {
        let text = Arc::from(json.to_string());
        Self { event: event.into(), json: Arc::new(json), text, ctx, time_limit, env_file: None }
    }
}

/// Answers an event.
///
/// # Contract
/// - Never fails and never panics: what goes wrong is a [`HandlerEnd`] that says so, never an answer.
/// - Ends at `time_limit` with `TimedOut`, and soon after `ctx.cancel` with `Cancelled`, in both cases
///   without an answer; leaves nothing running. (The runner enforces both, and drops the future.)
/// - `testing::handler_conformance` (feature `testing`) checks it.
#[async_trait]
pub trait HookHandler: Debug + Send + Sync {
    /// A short name for people, such as the command.
    fn label(&self) -> String;

    /// Two handlers of one identity run once a firing; `None` is equal to nothing.
    fn identity(&self) -> Option<String> {
        None
    }

    /// Answers one event.
    async fn handle(&self, input: &HookInput) -> HandlerEnd;
}

const _: fn(&dyn HookHandler) = |_| ();
