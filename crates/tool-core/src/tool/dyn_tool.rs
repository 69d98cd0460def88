//! [`DynTool`] and [`Invocation`]: what the layers hold. A call is parsed once, and judged and run
//! as the same value.

use super::{ProgressSink, PromptContext, RawOutput};
use crate::{
    Accesses, Availability, Concurrency, Effects, Grant, InvalidInput, ResultContent, ToolContext,
    ToolDefinition, ToolEnv, ToolError,
};
use async_trait::async_trait;
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// A tool's own word on whether a call may run.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "gates must handle each answer")]
pub enum ToolCheck {
    /// Nothing special: the ordinary flow.
    PassThrough,
    /// The tool sees no reason to ask.
    Allow,
    /// A person must be asked; modes and allow rules do not lift it.
    Ask(String),
    /// Never.
    Deny(String),
}

/// A tool behind a pointer.
#[async_trait]
pub trait DynTool: Debug + Send + Sync {
    /// Name, text, schemas, aliases, origin.
    fn definition(&self) -> &ToolDefinition;

    /// Whether it can work here.
    fn availability(&self, env: &ToolEnv) -> Availability;

    /// Parses an input that passed the schema check.
    ///
    /// # Errors
    /// When it cannot be deserialised; the text is for the model.
    fn prepare(&self, input: Arc<Value>, ctx: &ToolContext) -> Result<Box<dyn Invocation>, InvalidInput>;

    /// Turns a replaced structured output (from a hook) into what the model reads.
    ///
    /// # Errors
    /// When it has not the shape of the tool's output.
    fn map_output(&self, data: &Value) -> Result<Vec<ResultContent>, InvalidInput>;

    /// What people see of a structured output; `None` for the text that the model reads.
    fn render_result(&self, _data: &Value) -> Option<String> {
        None
    }

    /// Text for the system prompt.
    fn prompt(&self, _context: &PromptContext) -> Option<String> {
        None
    }

    /// Paints a call while its input still streams.
    fn partial(&self) -> Option<Arc<dyn PartialInput>> {
        None
    }
}

const _: fn(&dyn DynTool) = |_| ();

/// Looks at the input of a call while it still streams. Must not block.
pub trait PartialInput: Debug + Send + Sync {
    /// The JSON text so far, which may end anywhere.
    fn input(&self, call_id: &str, text_so_far: &str);
}

const _: fn(&dyn PartialInput) = |_| ();

/// One call, parsed once.
#[async_trait]
pub trait Invocation: Debug + Send + Sync {
    /// Whether it may run beside others.
    fn concurrency(&self) -> Concurrency;

    /// The worst that it may do.
    fn effects(&self) -> Effects;

    /// What it may touch.
    fn accesses(&self) -> &Accesses;

    /// Whether it may end with a context change; such a call is never shared.
    fn changes_context(&self) -> bool;

    /// Its own time limit, when it has one.
    fn time_limit(&self) -> Option<Duration>;

    /// The input with paths made absolute and the like: what hooks and rules see.
    fn view(&self) -> &Value;

    /// The line that people see.
    fn describe(&self) -> String;

    /// The call in detail for people, such as a diff.
    fn render_use(&self) -> Option<String>;

    /// Checks what a schema cannot say.
    async fn validate(&self) -> Result<(), InvalidInput>;

    /// The tool's own word on whether it may run.
    async fn check_permissions(&self) -> ToolCheck;

    /// Runs it, on what was judged.
    async fn call(
        self: Box<Self>,
        grant: Grant,
        ctx: ToolContext,
        progress: Arc<dyn ProgressSink>,
    ) -> Result<RawOutput, ToolError>;
}

const _: fn(&dyn Invocation) = |_| ();
