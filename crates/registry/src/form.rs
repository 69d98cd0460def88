//! The form in which definitions are sent to a model (Anthropic's), and what it does not allow.

use pegboard_tool_core::ToolDefinition;
use pegboard_tool_core::ports::ToolSchema;
use serde_json::Value;
use std::sync::Arc;

/// Most bytes of a name that every model API takes.
pub(crate) const MAX_NAME: usize = 64;

/// The fields that are sent, in their order.
#[derive(serde::Serialize)]
struct Form<'d> {
    name: &'d str,
    description: &'d str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    input_examples: &'d [Value],
    input_schema: &'d Value,
}

/// One definition as JSON, keys in a fixed order. Equal definitions give equal bytes. `buffer` is room to
/// write in, so that many definitions need few allocations.
pub(crate) fn json(definition: &ToolDefinition, buffer: &mut Vec<u8>) -> Arc<str> {
    buffer.clear();
    let form = Form {
        name: definition.name.as_str(),
        description: &definition.description,
        input_examples: &definition.examples,
        input_schema: &definition.input_schema,
    };
    // JSON values and texts always serialise; an empty text would be refused in `problem`.
    match serde_json::to_writer(&mut *buffer, &form).map(|()| std::str::from_utf8(buffer)) {
        Ok(Ok(text)) => text.into(),
        Ok(Err(_)) | Err(_) => "".into(),
    }
}

/// What keeps a definition from being sent.
pub(crate) fn problem(definition: &ToolDefinition, json: &str, schema: &dyn ToolSchema) -> Option<String> {
    if json.is_empty() {
        return Some("it cannot be written as JSON".to_owned());
    }
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
