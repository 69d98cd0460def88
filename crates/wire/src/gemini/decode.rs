//! Reads what the model wrote: a whole response, a content, or its parts alone.

use super::own_id::own_id;
use crate::WireError;
use crate::incoming::{CallKind, Found};
use crate::shape::{self, api_error, describe_object, missing, optional_text, wrong};
use pegboard_tool_core::ToolUse;
use serde_json::{Map, Value, json};

/// What is accepted.
const ACCEPTED: &str = "a whole API response, a content with role `model` or an array of parts";

/// Reads a message. Parts and fields that are not known stay in the message.
pub(crate) fn decode(raw: &Value) -> Result<Found, WireError> {
    let mut response_id = None;
    let (parts, stop_reason, at) = match raw {
        Value::Array(parts) => (parts.as_slice(), None, String::new()),
        Value::Object(fields) => {
            response_id = fields.get("responseId").and_then(Value::as_str);
            let (content, stop_reason, at) = match fields.get("candidates") {
                Some(Value::Array(candidates)) => response(candidates)?,
                Some(other) => return Err(wrong("`candidates`", other, "an array")),
                None => (fields, None, ""),
            };
            (parts(content, at)?, stop_reason, format!("{at}parts"))
        }
        other => return Err(wrong("the message", other, ACCEPTED)),
    };
    let mut found = Found { stop_reason, ..Found::default() };
    for (index, part) in parts.iter().enumerate() {
        let place = format!("{at}[{index}]");
        let Value::Object(part) = part else {
            return Err(wrong(&format!("`{place}`"), part, "a part, an object"));
        };
        if let Some((call, kind)) = call(part, response_id, found.calls.len(), &place)? {
            found.push(call, kind);
        }
    }
    Ok(found)
}

/// The content of a response, or around bare parts.
pub(crate) fn message(raw: &Value) -> Value {
    if raw.is_array() {
        return json!({"role": "model", "parts": raw});
    }
    raw.pointer("/candidates/0/content").unwrap_or(raw).clone()
}

/// The call that a part is, if it is one.
pub(super) fn call(
    part: &Map<String, Value>,
    response_id: Option<&str>,
    ordinal: usize,
    place: &str,
) -> Result<Option<(ToolUse, CallKind)>, WireError> {
    let call = match part.get("functionCall") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(call)) => call,
        Some(other) => return Err(wrong(&format!("`{place}.functionCall`"), other, "a call, an object")),
    };
    let place = format!("{place}.functionCall");
    let name = shape::text(call, "name", &place, "the name of the tool, a text")?;
    let given = optional_text(call, "id", &format!("{place}."))?.filter(|id| !id.is_empty());
    let kind = if given.is_some() { CallKind::Function } else { CallKind::OwnId };
    let id = given.unwrap_or_else(|| own_id(response_id, ordinal, part));
    let input = match call.get("args") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(args) => args.clone(),
    };
    Ok(Some((ToolUse::new(id, name, input).with_extra(shape::others(part, &["functionCall"])), kind)))
}

type Chosen<'v> = (&'v Map<String, Value>, Option<String>, &'static str);

/// The first candidate: its content, and why it ended.
fn response(candidates: &[Value]) -> Result<Chosen<'_>, WireError> {
    let Some(candidate) = candidates.first().and_then(Value::as_object) else {
        return Err(missing("`candidates[0]`", "a candidate, an object with a `content`"));
    };
    let reason = optional_text(candidate, "finishReason", "candidates[0].")?;
    match candidate.get("content") {
        Some(Value::Object(content)) => Ok((content, reason, "candidates[0].content.")),
        Some(other) => Err(wrong("`candidates[0].content`", other, "a content")),
        None => Err(missing("`candidates[0].content`", "a content")),
    }
}

fn parts<'v>(content: &'v Map<String, Value>, at: &str) -> Result<&'v [Value], WireError> {
    if let Some(error @ Value::Object(_)) = content.get("error") {
        return Err(api_error(error, ACCEPTED));
    }
    match content.get("role") {
        None => {}
        Some(Value::String(role)) if role == "model" => {}
        Some(role) => return Err(wrong(&format!("`{at}role`"), role, "`model`")),
    }
    match content.get("parts") {
        Some(Value::Array(parts)) => Ok(parts),
        Some(other) => Err(wrong(&format!("`{at}parts`"), other, "an array of parts")),
        None if at.is_empty() => {
            let found = describe_object(content);
            Err(WireError::Shape { place: "the message".to_owned(), found, expected: ACCEPTED })
        }
        None => Ok(&[]),
    }
}
