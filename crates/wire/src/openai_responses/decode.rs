//! Reads the output of a response: a whole response, or its items alone.

use crate::WireError;
use crate::incoming::{CallKind, Found};
use crate::openai_chat::arguments;
use crate::shape::{self, api_error, describe_object, missing, optional_text, wrong};
use pegboard_tool_core::ToolUse;
use serde_json::{Map, Value};

/// What is accepted.
const ACCEPTED: &str = "a whole API response or the array of its output items";

/// Reads the output. Items and fields that are not known stay in the message.
pub(crate) fn decode(raw: &Value) -> Result<Found, WireError> {
    let (items, stop_reason, at) = match raw {
        Value::Array(items) => (items.as_slice(), None, ""),
        Value::Object(response) => (output(response)?, stop_reason(response)?, "output"),
        other => return Err(wrong("the message", other, ACCEPTED)),
    };
    let mut found = Found { stop_reason, ..Found::default() };
    for (index, item) in items.iter().enumerate() {
        let place = format!("{at}[{index}]");
        let Value::Object(fields) = item else {
            return Err(wrong(&format!("`{place}`"), item, "an item, an object with a `type`"));
        };
        if let Some((call, kind)) = call(fields, &place)? {
            found.push(call, kind);
            // One call that was cut says that the response was.
            if let Some(status) = cut_status(fields)
                && matches!(found.stop_reason.as_deref(), None | Some("completed"))
            {
                found.stop_reason = Some(status.to_owned());
            }
        }
    }
    Ok(found)
}

/// The items of a response.
pub(crate) fn message(raw: &Value) -> Value {
    raw.get("output").unwrap_or(raw).clone()
}

/// Why a response ended: its status, for an incomplete one the reason.
pub(crate) fn stop_reason(response: &Map<String, Value>) -> Result<Option<String>, WireError> {
    let status = optional_text(response, "status", "")?;
    if status.as_deref() != Some("incomplete") {
        return Ok(status);
    }
    let reason = response.get("incomplete_details").and_then(|details| details.get("reason"));
    Ok(reason.and_then(Value::as_str).map(str::to_owned).or(status))
}

/// The status of an item that is not complete.
pub(crate) fn cut_status(item: &Map<String, Value>) -> Option<&str> {
    item.get("status").and_then(Value::as_str).filter(|status| *status != "completed")
}

/// The call that an item is, when it is one of ours.
pub(crate) fn call(
    fields: &Map<String, Value>,
    place: &str,
) -> Result<Option<(ToolUse, CallKind)>, WireError> {
    let kind = match fields.get("type").and_then(Value::as_str) {
        Some("function_call") => CallKind::Function,
        Some("custom_tool_call") => CallKind::Custom,
        _ => return Ok(None),
    };
    let id = shape::text(fields, "call_id", place, "the id of the call, a text")?;
    let name = shape::text(fields, "name", place, "the name of the tool, a text")?;
    let call = match kind {
        CallKind::Custom => {
            let input = fields.get("input").cloned().unwrap_or_else(|| "".into());
            ToolUse::new(id, name, input)
        }
        CallKind::Function | CallKind::OwnId => arguments(id, name, fields.get("arguments")),
    };
    let named = ["type", "call_id", "name", "arguments", "input"];
    Ok(Some((call.with_extra(shape::others(fields, &named)), kind)))
}

fn output(response: &Map<String, Value>) -> Result<&[Value], WireError> {
    if let Some(error @ Value::Object(_)) = response.get("error") {
        return Err(api_error(error, ACCEPTED));
    }
    match response.get("output") {
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(wrong("`output`", other, "an array of items")),
        None if response.contains_key("type") => {
            let found = "a single item".to_owned();
            let expected = "the item in an array, `[{..}]`";
            Err(WireError::Shape { place: "the message".to_owned(), found, expected })
        }
        None if response.contains_key("object") => Err(missing("`output`", "an array of items")),
        None => {
            let found = describe_object(response);
            Err(WireError::Shape { place: "the message".to_owned(), found, expected: ACCEPTED })
        }
    }
}
