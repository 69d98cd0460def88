//! The form in which definitions are sent to a model (Anthropic's), and what it does not allow.

use pegboard_tool_core::ToolDefinition;
use pegboard_tool_core::ports::ToolSchema;
use serde_json::{Map, Value};

/// Most bytes of a name that every model API takes.
pub(crate) const MAX_NAME: usize = 64;

/// One definition as JSON, keys in a fixed order. Equal definitions give equal bytes.
pub(crate) fn json(definition: &ToolDefinition) -> String {
    let mut object = Map::new();
    object.insert("name".to_owned(), definition.name.as_str().into());
    object.insert("description".to_owned(), definition.description.as_str().into());
    if !definition.examples.is_empty() {
        object.insert("input_examples".to_owned(), Value::Array(definition.examples.clone()));
    }
    let mut text = Value::Object(object).to_string();
    // The schema may be large, so it is written and not copied first.
    text.pop();
    text.push_str(",\"input_schema\":");
    text.push_str(&definition.input_schema.to_string());
    text.push('}');
    text
}

/// What keeps a definition from being sent.
pub(crate) fn problem(definition: &ToolDefinition, schema: &dyn ToolSchema) -> Option<String> {
    let name = definition.name.as_str();
    if name.len() > MAX_NAME {
        return Some(format!("the name has {} characters; model APIs take at most {MAX_NAME}", name.len()));
    }
    // The field is public, so it may have been replaced since the definition was made.
    if definition.input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Some("the input schema has no `\"type\": \"object\"` at its root".to_owned());
    }
    definition.examples.iter().zip(1..).find_map(|(example, number)| {
        schema.check(example).err().map(|error| format!("example {number} does not fit: {}", error.text))
    })
}
