//! A tool that is only listed, and a validator that wants the required fields.

use pegboard_registry::Offer;
use pegboard_tool_core::ports::{InputValidator, SchemaError, ToolSchema};
use pegboard_tool_core::{
    Availability, DynTool, InvalidInput, Invocation, ResultContent, ToolContext, ToolDefinition, ToolEnv,
    ToolOrigin,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) definition: ToolDefinition,
    pub(crate) absent: Option<String>,
}

impl DynTool for Plain {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn availability(&self, _env: &ToolEnv) -> Availability {
        self.absent.clone().map_or(Availability::Here, Availability::Absent)
    }

    fn prepare(&self, _input: Arc<Value>, _ctx: &ToolContext) -> Result<Box<dyn Invocation>, InvalidInput> {
        Err(InvalidInput::new("only listed"))
    }

    fn map_output(&self, _data: &Value) -> Result<Vec<ResultContent>, InvalidInput> {
        Ok(Vec::new())
    }
}

pub(crate) fn definition(name: &str, required: &[&str]) -> ToolDefinition {
    ToolDefinition::new(name, format!("Is {name}."), json!({"type": "object", "required": required})).unwrap()
}

pub(crate) fn tool(definition: ToolDefinition) -> Arc<dyn DynTool> {
    Arc::new(Plain { definition, absent: None })
}

pub(crate) fn plain(name: &str) -> Arc<dyn DynTool> {
    tool(definition(name, &[]))
}

pub(crate) fn mcp(server: &str, name: &str, called: &str) -> Offer {
    let mut definition = definition(called, &[]);
    definition.origin = ToolOrigin::Mcp { server: server.into(), tool: name.into() };
    Offer::new(tool(definition))
}

/// Wants the required fields, counts what it prepared, and refuses schemas that say `broken`.
#[derive(Debug, Default)]
pub(crate) struct Required {
    pub(crate) prepared: AtomicUsize,
}

impl InputValidator for Required {
    fn prepare(&self, definition: &ToolDefinition) -> Result<Arc<dyn ToolSchema>, SchemaError> {
        self.prepared.fetch_add(1, Ordering::Relaxed);
        if definition.input_schema.get("broken").is_some() {
            return Err(SchemaError::new(definition.name.as_str(), "it is broken"));
        }
        let fields = definition.input_schema.get("required").and_then(Value::as_array).cloned();
        Ok(Arc::new(Fields(fields.unwrap_or_default())))
    }
}

#[derive(Debug)]
struct Fields(Vec<Value>);

impl ToolSchema for Fields {
    fn check(&self, input: &Value) -> Result<(), InvalidInput> {
        let mut missing = self.0.iter().filter_map(Value::as_str).filter(|field| input.get(field).is_none());
        missing.next().map_or(Ok(()), |field| Err(InvalidInput::new(format!("{field} is missing"))))
    }
}
