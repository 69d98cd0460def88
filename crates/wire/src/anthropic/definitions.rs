//! Writes definitions of tools.

use pegboard_tool_core::{ToolDefinition, ToolName};
use serde_json::{Value, json};

/// Most bytes of a tool's name.
pub const MAX_NAME_BYTES: usize = 64;

/// A tool cannot be offered under its name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "the tool name `{name}` is longer than {MAX_NAME_BYTES} characters, which the API refuses; offer the tool under a shorter name"
)]
#[non_exhaustive]
pub struct DefinitionNameError {
    /// Which.
    pub name: ToolName,
}

/// The `tools` of a request, in the order given: name, description, schema.
///
/// # Errors
/// When a name is longer than [`MAX_NAME_BYTES`].
pub fn definitions(definitions: &[&ToolDefinition]) -> Result<Value, DefinitionNameError> {
    definitions.iter().map(|definition| one(definition)).collect::<Result<Vec<_>, _>>().map(Value::from)
}

fn one(definition: &ToolDefinition) -> Result<Value, DefinitionNameError> {
    if definition.name.as_str().len() > MAX_NAME_BYTES {
        return Err(DefinitionNameError { name: definition.name.clone() });
    }
    Ok(json!({
        "name": definition.name.as_str(),
        "description": definition.description,
        "input_schema": &*definition.input_schema,
    }))
}
