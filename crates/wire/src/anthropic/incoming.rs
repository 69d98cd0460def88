//! From a message, a response or bare blocks to calls.

use crate::turn::parse;
use crate::{IncomingTurn, WireError};
use pegboard_tool_core::ToolUse;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Takes the calls out of an assistant message, a whole API response, or a bare array of blocks.
///
/// Blocks of other kinds are kept in [`IncomingTurn::message`]; `server_tool_use` is the API's own
/// and is not a call. A call's fields beside id, name and input are kept in its `extra`. Inputs that
/// are no objects are calls all the same: they are answered.
///
/// # Errors
/// When it is no JSON, has the wrong shape, no call, or two calls with one id.
pub fn decode(message: &[u8]) -> Result<IncomingTurn, WireError> {
    let message = parse(message)?;
    let stop_reason = message.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
    let calls = blocks(&message)?
        .iter()
        .enumerate()
        .filter(|(_, block)| block.get("type").and_then(Value::as_str) == Some("tool_use"))
        .map(|(index, block)| call(index, block))
        .collect::<Result<Vec<ToolUse>, WireError>>()?;
    if calls.is_empty() {
        return Err(WireError::NoCalls);
    }
    let mut ids = HashSet::new();
    if let Some(repeat) = calls.iter().find(|call| !ids.insert(&call.id)) {
        return Err(WireError::DuplicateId { id: repeat.id.to_string() });
    }
    Ok(IncomingTurn::new(calls, stop_reason, message))
}

fn blocks(message: &Value) -> Result<&[Value], WireError> {
    let wrong = |found: String| WireError::WrongShape { found };
    match message {
        Value::Array(blocks) => Ok(blocks),
        Value::Object(fields) => {
            match fields.get("role") {
                None => {}
                Some(Value::String(role)) if role == "assistant" => {}
                Some(role) => return Err(wrong(format!("its role is {}", short(role)))),
            }
            match fields.get("content") {
                Some(Value::Array(blocks)) => Ok(blocks),
                Some(Value::String(_)) => Err(WireError::NoCalls),
                Some(other) => Err(wrong(format!("`content` is {}", short(other)))),
                None if fields.get("type").is_some_and(|kind| kind == "tool_use") => {
                    Err(wrong("it is a single block; put it into an array".to_owned()))
                }
                None => Err(wrong("it has no `content`".to_owned())),
            }
        }
        other => Err(wrong(format!("it is {}", short(other)))),
    }
}

fn call(index: usize, block: &Value) -> Result<ToolUse, WireError> {
    let bad = |problem: &str| WireError::BadBlock { index, problem: problem.to_owned() };
    let Value::Object(fields) = block else { return Err(bad("it is no object")) };
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let id = text("id").ok_or_else(|| bad("its `id` is missing or no text"))?;
    let name = text("name").ok_or_else(|| bad("its `name` is missing or no text"))?;
    // A tool without parameters may come without an input.
    let input = fields.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    let known = ["type", "id", "name", "input"];
    let extra = fields.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    let extra = extra.map(|(name, value)| (name.clone(), value.clone())).collect();
    Ok(ToolUse::new(id, name, input).with_extra(extra))
}

/// A value in a few words.
fn short(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a truth value".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(text) => format!("the text `{}`", text.chars().take(40).collect::<String>()),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
