//! Reads an assistant message: a message, a whole response, or its blocks alone.

use crate::WireError;
use crate::error::ACCEPTED;
use crate::incoming::{CallKind, Found};
use crate::shape::{self, api_error, describe_object, missing, optional_text, wrong};
use pegboard_tool_core::ToolUse;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Reads a message. Blocks and fields that are not known stay in the message.
pub(crate) fn decode(raw: &Value) -> Result<Found, WireError> {
    let (blocks, stop_reason, at) = match raw {
        Value::Array(blocks) => (blocks.as_slice(), None, ""),
        Value::Object(message) => (content(message)?, optional_text(message, "stop_reason", "")?, "content"),
        other => return Err(wrong("the message", other, ACCEPTED)),
    };
    let mut found = Found { stop_reason, server_tool_open: is_server_tool_open(blocks), ..Found::default() };
    calls(blocks, at)?.into_iter().for_each(|call| found.push(call, CallKind::Function));
    Ok(found)
}

/// The message of a response, or around bare blocks.
pub(crate) fn message(raw: &Value) -> Value {
    let content = if raw.is_array() { Some(raw) } else { raw.get("content") };
    json!({"role": "assistant", "content": content})
}

/// Whether a server's tool has no result in the message.
pub(crate) fn server_tool_open(message: &Value) -> bool {
    message.get("content").and_then(Value::as_array).is_some_and(|blocks| is_server_tool_open(blocks))
}

/// Fields of a call's block that are not known here.
pub(crate) fn extra(fields: &Map<String, Value>) -> Map<String, Value> {
    shape::others(fields, &["type", "id", "name", "input"])
}

/// The blocks of a message; a text instead of blocks is a message without calls.
fn content(message: &Map<String, Value>) -> Result<&[Value], WireError> {
    match message.get("type").and_then(Value::as_str) {
        Some("error") => {
            return Err(api_error(message.get("error").unwrap_or(&Value::Null), ACCEPTED));
        }
        Some("tool_use") => {
            let found = "a single `tool_use` block".to_owned();
            let expected = "the block in an array, `[{..}]`";
            return Err(WireError::Shape { place: "the message".to_owned(), found, expected });
        }
        _ => {}
    }
    match message.get("role") {
        Some(Value::String(role)) if role == "assistant" => {}
        Some(role) => return Err(wrong("`role`", role, "`assistant`")),
        None => {
            let found = describe_object(message);
            return Err(WireError::Shape { place: "the message".to_owned(), found, expected: ACCEPTED });
        }
    }
    match message.get("content") {
        Some(Value::Array(blocks)) => Ok(blocks),
        Some(Value::String(_)) => Ok(&[]),
        Some(other) => Err(wrong("`content`", other, "an array of blocks")),
        None => Err(missing("`content`", "an array of blocks")),
    }
}

fn calls(blocks: &[Value], at: &str) -> Result<Vec<ToolUse>, WireError> {
    let mut calls = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let place = format!("{at}[{index}]");
        let Value::Object(fields) = block else {
            return Err(wrong(&format!("`{place}`"), block, "a block, an object with a `type`"));
        };
        match fields.get("type") {
            Some(Value::String(kind)) if kind == "tool_use" => calls.push(call(fields, &place)?),
            Some(Value::String(_)) => {}
            Some(other) => {
                return Err(wrong(&format!("`{place}.type`"), other, "the kind of the block, a text"));
            }
            None if fields.contains_key("role") => {
                let expected = "a block; give the last assistant message alone, not the conversation";
                let found = "a message".to_owned();
                return Err(WireError::Shape { place: format!("`{place}`"), found, expected });
            }
            None => {
                return Err(missing(&format!("`{place}.type`"), "the kind of the block, such as `tool_use`"));
            }
        }
    }
    Ok(calls)
}

/// One call. Its name may be unknown and its input no object: such a call is answered, not refused.
/// Without an id there is nothing to answer.
fn call(fields: &Map<String, Value>, place: &str) -> Result<ToolUse, WireError> {
    let id = shape::text(fields, "id", place, "the id of the call, a text")?;
    let name = shape::text(fields, "name", place, "the name of the tool, a text")?;
    let input = fields.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    Ok(ToolUse::new(id, name, input).with_extra(extra(fields)))
}

/// Whether a `server_tool_use` has no result block in the same message.
fn is_server_tool_open(blocks: &[Value]) -> bool {
    let text = |block: &Value, field: &str| block.get(field).and_then(Value::as_str).map(str::to_owned);
    let answered: HashSet<String> = blocks.iter().filter_map(|block| text(block, "tool_use_id")).collect();
    let asked =
        blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("server_tool_use"));
    asked.into_iter().any(|block| text(block, "id").is_none_or(|id| !answered.contains(&id)))
}
