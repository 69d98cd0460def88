//! Reads an assistant message: a message, a whole response, or its blocks alone.

use crate::error::ACCEPTED;
use crate::shape::{describe, describe_object, excerpt};
use crate::{IncomingTurn, WireError, WireForm};
use pegboard_tool_core::ToolUse;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Reads a message. Blocks and fields that are not known stay in `raw`.
pub(crate) fn decode(raw: Value) -> Result<IncomingTurn, WireError> {
    let (blocks, stop_reason, at) = match &raw {
        Value::Array(blocks) => (blocks.as_slice(), None, ""),
        Value::Object(message) => (content(message)?, stop_reason(message)?, "content"),
        other => return Err(shape("the message", other, ACCEPTED)),
    };
    let calls = calls(blocks, at)?;
    let server_tool_open = server_tool_open(blocks);
    Ok(IncomingTurn { form: WireForm::Anthropic, calls, stop_reason, server_tool_open, raw })
}

/// The blocks of a message; a text instead of blocks is a message without calls.
fn content(message: &Map<String, Value>) -> Result<&[Value], WireError> {
    match message.get("type").and_then(Value::as_str) {
        Some("error") => {
            let text = message.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
            let found = format!("an error of the API (`{}`)", excerpt(text.unwrap_or("without a text")));
            return Err(WireError::Shape { place: "the message".to_owned(), found, expected: ACCEPTED });
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
        Some(role) => return Err(shape("`role`", role, "`assistant`")),
        None => {
            let found = describe_object(message);
            return Err(WireError::Shape { place: "the message".to_owned(), found, expected: ACCEPTED });
        }
    }
    match message.get("content") {
        Some(Value::Array(blocks)) => Ok(blocks),
        Some(Value::String(_)) => Ok(&[]),
        Some(other) => Err(shape("`content`", other, "an array of blocks")),
        None => Err(missing("`content`", "an array of blocks")),
    }
}

fn stop_reason(message: &Map<String, Value>) -> Result<Option<String>, WireError> {
    match message.get("stop_reason") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(reason)) => Ok(Some(reason.clone())),
        Some(other) => Err(shape("`stop_reason`", other, "a text or null")),
    }
}

fn calls(blocks: &[Value], at: &str) -> Result<Vec<ToolUse>, WireError> {
    let mut calls = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let place = format!("{at}[{index}]");
        let Value::Object(fields) = block else {
            return Err(shape(&format!("`{place}`"), block, "a block, an object with a `type`"));
        };
        match fields.get("type") {
            Some(Value::String(kind)) if kind == "tool_use" => calls.push(call(fields, &place)?),
            Some(Value::String(_)) => {}
            Some(other) => {
                return Err(shape(&format!("`{place}.type`"), other, "the kind of the block, a text"));
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
    let text = |name: &str, expected: &'static str| match fields.get(name) {
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(other) => Err(shape(&format!("`{place}.{name}`"), other, expected)),
        None => Err(missing(&format!("`{place}.{name}`"), expected)),
    };
    let id = text("id", "the id of the call, a text")?;
    let name = text("name", "the name of the tool, a text")?;
    let input = fields.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    let mut extra = Map::new();
    for (name, value) in fields {
        if !matches!(name.as_str(), "type" | "id" | "name" | "input") {
            extra.insert(name.clone(), value.clone());
        }
    }
    Ok(ToolUse::new(id, name, input).with_extra(extra))
}

/// Whether a `server_tool_use` has no result block in the same message.
fn server_tool_open(blocks: &[Value]) -> bool {
    let text = |block: &Value, field: &str| block.get(field).and_then(Value::as_str).map(str::to_owned);
    let answered: HashSet<String> = blocks.iter().filter_map(|block| text(block, "tool_use_id")).collect();
    let asked =
        blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("server_tool_use"));
    asked.into_iter().any(|block| text(block, "id").is_none_or(|id| !answered.contains(&id)))
}

fn shape(place: &str, found: &Value, expected: &'static str) -> WireError {
    WireError::Shape { place: place.to_owned(), found: describe(found), expected }
}

fn missing(place: &str, expected: &'static str) -> WireError {
    WireError::Shape { place: place.to_owned(), found: "missing".to_owned(), expected }
}
