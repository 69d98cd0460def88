//! Behaviour of the validator as its users see it.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod properties;
mod texts;

use pegboard_schema::SchemaValidator;
use pegboard_tool_core::ToolDefinition;
use pegboard_tool_core::ports::{InputValidator, ToolSchema};
use serde_json::Value;
use std::sync::Arc;

/// The prepared schema of a tool called `Try`.
fn prepare(schema: Value, examples: Vec<Value>) -> Arc<dyn ToolSchema> {
    let mut definition = ToolDefinition::new("Try", "Tries.", schema).unwrap();
    definition.examples = examples;
    SchemaValidator::new().prepare(&definition).unwrap()
}
