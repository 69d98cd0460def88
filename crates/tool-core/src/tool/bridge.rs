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
        let parsed = T::Input::deserialize(&*input).map_err(|error| {
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
