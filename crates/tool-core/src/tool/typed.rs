//! [`Tool`]: what an author writes. Everything has a default that fails closed, except the call.

use super::{PartialInput, Progress, ToolCheck, ToolOutput};
use crate::{
    Accesses, Availability, Concurrency, Effects, InvalidInput, ResultContent, ToolContext, ToolDefinition,
    ToolEnv, ToolError,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// What a system prompt is made for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PromptContext {
    /// Names of all tools that the model is offered.
    pub tool_names: Vec<String>,
}

/// A tool. Turn it into what the layers hold with [`crate::dyn_tool`].
///
/// # Contract
/// - `call` is safe to cancel at any await: when `ctx.cancel` fires it should end soon, and it may be
///   dropped. What must not be interrupted goes into one blocking closure.
/// - A tool acts on the paths and hosts of `ctx`'s grant, see [`Tool::call_granted`].
/// - A panic is caught and becomes an error result.
pub trait Tool: Send + Sync + 'static {
    /// Input, deserialised after the schema check. Use `#[serde(deny_unknown_fields)]`.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// Structured output.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// Progress events; `()` for none.
    type Progress: Serialize + Send + 'static;

    /// Canonical name, such as `Read`.
    fn name(&self) -> &str;

    /// Text for the model. Static: the same at every call.
    fn description(&self) -> String;

    /// Runs the call.
    fn call(
        &self,
        input: Self::Input,
        ctx: ToolContext,
        progress: Progress<Self::Progress>,
    ) -> impl Future<Output = Result<ToolOutput<Self::Output>, ToolError>> + Send;

    /// Runs the call on what was judged. Tools that touch files or hosts implement this one and act
    /// on `grant` only; the default forwards to [`Tool::call`].
    fn call_granted(
        &self,
        input: Self::Input,
        _grant: crate::Grant,
        ctx: ToolContext,
        progress: Progress<Self::Progress>,
    ) -> impl Future<Output = Result<ToolOutput<Self::Output>, ToolError>> + Send {
        self.call(input, ctx, progress)
    }

    /// Last touches on the definition: aliases, examples, limits. Called once.
    fn define(&self, definition: ToolDefinition) -> ToolDefinition {
        definition
    }

    /// Whether the tool can work here.
    fn availability(&self, _env: &ToolEnv) -> Availability {
        Availability::Here
    }

    /// Whether this call may run beside others. Default: no.
    fn concurrency(&self, _input: &Self::Input, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    /// The worst that this call may do. Default: anything.
    fn effects(&self, _input: &Self::Input, _ctx: &ToolContext) -> Effects {
        Effects::Destructive
    }

    /// What this call may touch. Default: everything.
    fn accesses(&self, _input: &Self::Input, _ctx: &ToolContext) -> Accesses {
        Accesses::Everything
    }

    /// Whether this call may end with a context change. Default: an exclusive one may.
    fn changes_context(&self, input: &Self::Input, ctx: &ToolContext) -> bool {
        self.concurrency(input, ctx) == Concurrency::Exclusive
    }

    /// Time limit of this call as a whole, when it has its own.
    fn time_limit(&self, _input: &Self::Input, _ctx: &ToolContext) -> Option<Duration> {
        None
    }

    /// Completes the copy of the input that hooks and rules see, such as making paths absolute. The
    /// call itself keeps the model's own input.
    fn backfill(&self, _input: &mut Value, _ctx: &ToolContext) {}

    /// Whether [`Tool::backfill`] does anything; one that does not costs no copy.
    fn backfills(&self) -> bool {
        false
    }

    /// Checks what a schema cannot say. Runs before hooks and rules, so it has no side effects.
    fn validate(
        &self,
        _input: &Self::Input,
        _ctx: &ToolContext,
    ) -> impl Future<Output = Result<(), InvalidInput>> + Send {
        std::future::ready(Ok(()))
    }

    /// What only the tool knows about whether it may run. Default: nothing.
    fn check_permissions(
        &self,
        _input: &Self::Input,
        _ctx: &ToolContext,
    ) -> impl Future<Output = ToolCheck> + Send {
        std::future::ready(ToolCheck::PassThrough)
    }

    /// What the model reads. Default: a text as it is, anything else as JSON.
    fn to_result(&self, output: &Self::Output) -> Vec<ResultContent> {
        match serde_json::to_value(output) {
            Ok(Value::String(text)) => vec![ResultContent::Text(text)],
            Ok(Value::Null) | Err(_) => Vec::new(),
            Ok(other) => vec![ResultContent::Text(other.to_string())],
        }
    }

    /// The line that people see about this call. Default: the name.
    fn describe(&self, _input: &Self::Input) -> String {
        self.name().to_owned()
    }

    /// What people see of the call in detail, such as a diff; `None` for nothing more.
    fn render_use(&self, _input: &Self::Input, _ctx: &ToolContext) -> Option<String> {
        None
    }

    /// What people see of an output; `None` for the text that the model reads.
    fn render_result(&self, _output: &Self::Output) -> Option<String> {
        None
    }

    /// Text for the system prompt; `None` for nothing.
    fn prompt(&self, _context: &PromptContext) -> Option<String> {
        None
    }

    /// Paints a call while its input still streams.
    fn partial(&self) -> Option<Arc<dyn PartialInput>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContextSnapshot, DynTool, Invocation, ToolBuilder, dyn_tool};
    use futures::executor::block_on;
    use serde_json::json;

    /// Says no more than it must.
    struct Least;

    impl Tool for Least {
        type Input = ();
        type Output = String;
        type Progress = ();

        fn name(&self) -> &'static str {
            "Least"
        }

        fn description(&self) -> String {
            "Says no more than it must.".to_owned()
        }

        async fn call(
            &self,
            _input: (),
            _ctx: ToolContext,
            _progress: Progress<()>,
        ) -> Result<ToolOutput<String>, ToolError> {
            Ok(ToolOutput::new("done".to_owned()))
        }
    }

    fn ctx() -> ToolContext {
        ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")))
    }

    #[track_caller]
    fn fails_closed(tool: &dyn DynTool) {
        let definition = tool.definition();
        assert_eq!(definition.concurrency, Concurrency::Exclusive);
        assert_eq!(definition.effects, Effects::Destructive);
        assert_eq!(definition.max_inline_chars, Some(50_000));
        assert_eq!(tool.availability(&ToolEnv::new()), Availability::Here);

        let call: Box<dyn Invocation> = tool.prepare(Arc::new(json!({})), &ctx()).unwrap();
        assert_eq!(call.concurrency(), Concurrency::Exclusive);
        assert_eq!(call.effects(), Effects::Destructive);
        assert_eq!(*call.accesses(), Accesses::Everything);
        assert!(call.changes_context());
        assert_eq!(call.time_limit(), None);
        assert_eq!(block_on(call.check_permissions()), ToolCheck::PassThrough);
        assert_eq!(*call.view(), json!({}));
    }

    #[test]
    fn what_a_tool_does_not_say_fails_closed() {
        fails_closed(&*dyn_tool(Least).unwrap());
    }

    #[test]
    fn what_a_builder_is_not_told_fails_closed() {
        let tool = ToolBuilder::new("Least", "Says no more than it must.")
            .build(|(): (), _ctx| async { Ok(ToolOutput::new("done".to_owned())) })
            .unwrap();
        fails_closed(&*tool);
    }

    #[test]
    fn a_shared_tool_changes_no_context() {
        let tool = ToolBuilder::new("Beside", "Runs beside others.")
            .concurrency(Concurrency::Shared)
            .build(|(): (), _ctx| async { Ok(ToolOutput::new("done".to_owned())) })
            .unwrap();
        assert!(!tool.prepare(Arc::new(json!({})), &ctx()).unwrap().changes_context());
    }
}
