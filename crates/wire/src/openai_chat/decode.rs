//! Reads an assistant message: a message, a whole response, or its calls alone.

use crate::WireError;
use crate::incoming::{CallKind, Found, call_of_text};
use crate::shape::{self, api_error, describe_object, missing, optional_text, wrong};
use pegboard_tool_core::ToolUse;
use serde_json::{Map, Value, json};

/// What is accepted.
const ACCEPTED: &str =
    "an assistant message with `tool_calls`, a whole API response or an array of `tool_calls`";

/// Reads a message. Fields that are not known stay in the message.
pub(crate) fn decode(raw: &Value) -> Result<Found, WireError> {
    let (calls, stop_reason, at) = match raw {
        Value::Array(calls) => (calls.as_slice(), None, String::new()),
        Value::Object(fields) => {
            let (message, stop_reason, at) = match fields.get("choices") {
                Some(Value::Array(choices)) => response(choices)?,
                Some(other) => return Err(wrong("`choices`", other, "an array")),
                None => (fields, None, ""),
            };
            (calls(message, at)?, stop_reason, format!("{at}tool_calls"))
        }
        other => return Err(wrong("the message", other, ACCEPTED)),
    };
    let mut found = Found { stop_reason, ..Found::default() };
    for (index, call) in calls.iter().enumerate() {
        let place = format!("{at}[{index}]");
        let Value::Object(fields) = call else {
            return Err(wrong(&format!("`{place}`"), call, "a call, an object with `id` and `function`"));
        };
        let (call, kind) = one(fields, &place)?;
        found.push(call, kind);
    }
    Ok(found)
}

/// The message of a response, or around bare calls.
pub(crate) fn message(raw: &Value) -> Value {
    if raw.is_array() {
        return json!({"role": "assistant", "content": null, "tool_calls": raw});
    }
    raw.pointer("/choices/0/message").unwrap_or(raw).clone()
}

type Chosen<'v> = (&'v Map<String, Value>, Option<String>, &'static str);

/// The first choice: its message, and why it ended.
fn response(choices: &[Value]) -> Result<Chosen<'_>, WireError> {
    let Some(choice) = choices.first().and_then(Value::as_object) else {
        return Err(missing("`choices[0]`", "a choice, an object with a `message`"));
    };
    let reason = optional_text(choice, "finish_reason", "choices[0].")?;
    match choice.get("message") {
        Some(Value::Object(message)) => Ok((message, reason, "choices[0].message.")),
        Some(other) => Err(wrong("`choices[0].message`", other, "a message")),
        None => Err(missing("`choices[0].message`", "a message; give a stream to `stream`")),
    }
}

fn calls<'v>(message: &'v Map<String, Value>, at: &str) -> Result<&'v [Value], WireError> {
    if let Some(error @ Value::Object(_)) = message.get("error") {
        return Err(api_error(error, ACCEPTED));
    }
    match message.get("role") {
        Some(Value::String(role)) if role == "assistant" => {}
        // Some servers leave it out.
        None if message.contains_key("tool_calls") => {}
        Some(role) => return Err(wrong(&format!("`{at}role`"), role, "`assistant`")),
        None => {
            let found = describe_object(message);
            return Err(WireError::Shape { place: "the message".to_owned(), found, expected: ACCEPTED });
        }
    }
    match message.get("tool_calls") {
        Some(Value::Array(calls)) => Ok(calls),
        None | Some(Value::Null) => Ok(&[]),
        Some(other) => Err(wrong(&format!("`{at}tool_calls`"), other, "an array of calls")),
    }
}

/// One call. Arguments that are no JSON make a call that is answered, not refused.
fn one(fields: &Map<String, Value>, place: &str) -> Result<(ToolUse, CallKind), WireError> {
    let id = shape::text(fields, "id", place, "the id of the call, a text")?;
    let extra = shape::others(fields, &["type", "id", "function", "custom"]);
    if let Some(Value::Object(custom)) = fields.get("custom") {
        let place = format!("{place}.custom");
        let name = shape::text(custom, "name", &place, "the name of the tool, a text")?;
        let input = custom.get("input").cloned().unwrap_or_else(|| "".into());
        return Ok((ToolUse::new(id, name, input).with_extra(extra), CallKind::Custom));
    }
    let function = match fields.get("function") {
        Some(Value::Object(function)) => function,
        Some(other) => {
            return Err(wrong(
                &format!("`{place}.function`"),
                other,
                "an object with `name` and `arguments`",
            ));
        }
        None => return Err(missing(&format!("`{place}.function`"), "an object with `name` and `arguments`")),
    };
    let name = shape::text(function, "name", &format!("{place}.function"), "the name of the tool, a text")?;
    Ok((arguments(id, name, function.get("arguments")).with_extra(extra), CallKind::Function))
}

/// Arguments are a text that holds JSON; some servers give the JSON itself.
pub(crate) fn arguments(id: &str, name: &str, given: Option<&Value>) -> ToolUse {
    match given {
        Some(Value::String(text)) => call_of_text(id, name, text),
        None | Some(Value::Null) => call_of_text(id, name, ""),
        Some(other) => ToolUse::new(id, name, other.clone()),
    }
}
