//! From [`Tool`] to [`DynTool`]: the one place where typed and untyped meet.

use super::{
    DynTool, Invocation, PartialInput, Progress, ProgressSink, PromptContext, RawOutput, Tool, ToolCheck,
};
use crate::schema_form::output_schema_of;
use crate::{
    Accesses, Availability, Concurrency, DefinitionError, Effects, Grant, InvalidInput, ResultContent,
    ToolContext, ToolDefinition, ToolEnv, ToolError, input_schema_of,
};
use async_trait::async_trait;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Puts a tool behind a pointer. Its definition is made here, once.
///
/// # Errors
/// When its name or an alias is no tool name, or its input type is no object.
pub fn dyn_tool<T: Tool>(tool: T) -> Result<Arc<dyn DynTool>, DefinitionError> {
    let mut definition = ToolDefinition::new(tool.name(), tool.description(), input_schema_of::<T::Input>())?;
    definition.output_schema = Some(Arc::new(output_schema_of::<T::Output>()));
    let definition = tool.define(definition);
    Ok(Arc::new(Bridge { tool: Arc::new(tool), definition }))
}

struct Bridge<T> {
    tool: Arc<T>,
    definition: ToolDefinition,
}

impl<T> fmt::Debug for Bridge<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.definition.name).finish()
    }
}

#[async_trait]
impl<T: Tool> DynTool for Bridge<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        self.tool.availability(env)
    }

    fn prepare(&self, input: Arc<Value>, ctx: &ToolContext) -> Result<Box<dyn Invocation>, InvalidInput> {
        let parsed = parse::<T::Input>(&input).map_err(|error| {
            InvalidInput::new(format!("the input of {} does not fit: {error}", self.definition.name))
        })?;
        let view = if self.tool.backfills() {
            let mut copy = (*input).clone();
            self.tool.backfill(&mut copy, ctx);
            Arc::new(copy)
        } else {
            input
        };
        let concurrency = self.tool.concurrency(&parsed, ctx);
        Ok(Box::new(Parsed {
            effects: self.tool.effects(&parsed, ctx),
            accesses: self.tool.accesses(&parsed, ctx),
            changes_context: concurrency == Concurrency::Exclusive && self.tool.changes_context(&parsed, ctx),
            time_limit: self.tool.time_limit(&parsed, ctx),
            tool: Arc::clone(&self.tool),
            ctx: ctx.clone(),
            concurrency,
            input: parsed,
            view,
        }))
    }

    fn map_output(&self, data: &Value) -> Result<Vec<ResultContent>, InvalidInput> {
        let output = T::Output::deserialize(data)
            .map_err(|error| InvalidInput::new(format!("no output of {}: {error}", self.definition.name)))?;
        Ok(self.tool.to_result(&output))
    }

    fn render_result(&self, data: &Value) -> Option<String> {
        T::Output::deserialize(data).ok().and_then(|output| self.tool.render_result(&output))
    }

    fn prompt(&self, context: &PromptContext) -> Option<String> {
        self.tool.prompt(context)
    }

    fn partial(&self) -> Option<Arc<dyn PartialInput>> {
        self.tool.partial()
    }
}

/// An input as the tool's type. No arguments are an empty object, also where the type is the unit.
fn parse<I: DeserializeOwned>(input: &Value) -> Result<I, serde_json::Error> {
    I::deserialize(input).or_else(|error| match input {
        Value::Object(fields) if fields.is_empty() => I::deserialize(&Value::Null).map_err(|_| error),
        _ => Err(error),
    })
}

struct Parsed<T: Tool> {
    tool: Arc<T>,
    input: T::Input,
    view: Arc<Value>,
    ctx: ToolContext,
    concurrency: Concurrency,
    effects: Effects,
    accesses: Accesses,
    changes_context: bool,
    time_limit: Option<Duration>,
}

impl<T: Tool> fmt::Debug for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("tool", &self.tool.name())
            .field("view", &self.view)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<T: Tool> Invocation for Parsed<T> {
    fn concurrency(&self) -> Concurrency {
        self.concurrency
    }

    fn effects(&self) -> Effects {
        self.effects
    }

    fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    fn changes_context(&self) -> bool {
        self.changes_context
    }

    fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    fn view(&self) -> &Value {
        &self.view
    }

    fn describe(&self) -> String {
        self.tool.describe(&self.input)
    }

    fn render_use(&self) -> Option<String> {
        self.tool.render_use(&self.input, &self.ctx)
    }

    async fn validate(&self) -> Result<(), InvalidInput> {
        self.tool.validate(&self.input, &self.ctx).await
    }

    async fn check_permissions(&self) -> ToolCheck {
        self.tool.check_permissions(&self.input, &self.ctx).await
    }

    async fn call(
        self: Box<Self>,
        grant: Grant,
        ctx: ToolContext,
        progress: Arc<dyn ProgressSink>,
    ) -> Result<RawOutput, ToolError> {
        let Self { tool, input, .. } = *self;
        let output = tool.call_granted(input, grant, ctx, Progress::new(progress)).await?;
        let content = tool.to_result(&output.data);
        let data = serde_json::to_value(&output.data).map_err(|error| {
            ToolError::new(crate::ErrorKind::Bug, "the tool's output is no JSON").with_source(error)
        })?;
        Ok(RawOutput {
            data,
            content,
            is_error: false,
            new_messages: output.new_messages,
            context_change: output.context_change,
            mcp_meta: output.mcp_meta,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{ContextSnapshot, ToolBuilder, ToolContext, ToolOutput};
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn a_tool_without_parameters_takes_an_empty_object() {
        let tool = ToolBuilder::new("Ping", "Answers.")
            .build(|(): (), _ctx| async { Ok(ToolOutput::new("pong".to_owned())) })
            .unwrap();
        let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")));
        assert!(tool.prepare(Arc::new(json!({})), &ctx).is_ok());
        assert!(tool.prepare(Arc::new(json!({"a": 1})), &ctx).is_err());
        assert!(tool.prepare(Arc::new(json!([])), &ctx).is_err());
    }
}
