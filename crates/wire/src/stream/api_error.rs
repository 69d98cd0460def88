//! Errors that an API reports in the middle of a stream, in whatever words.

use super::StreamError;
use super::machine::Flow;
use crate::WireForm;
use crate::shape::{describe, excerpt};
use serde_json::Value;

/// An event that many forms have or none: an error, a whole message, or nothing of interest.
pub(super) fn undecided(event: &Value) -> Result<Flow, StreamError> {
    if let Some(error) = api_error(event) {
        return Err(error);
    }
    match event {
        Value::Object(_) if WireForm::of(event).is_none() => Ok(Flow::More),
        _ => Err(StreamError::WholeMessage { found: describe(event) }),
    }
}

/// The error that an event of any form reports.
pub(crate) fn api_error(event: &Value) -> Option<StreamError> {
    let text = |value: &Value, field: &str| match value.get(field) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let kind = event.get("type").and_then(Value::as_str);
    let is_error = kind == Some("error");
    if kind.is_some() && !is_error {
        // An event of another kind may tell about errors of others.
        return None;
    }
    let error = match event.get("error") {
        Some(Value::String(message)) => return Some(api("error", message)),
        Some(error @ Value::Object(_)) => error,
        _ if is_error => event,
        _ => return None,
    };
    let kind = ["status", "code", "type"].into_iter().find_map(|field| text(error, field));
    let message = text(error, "message").unwrap_or_else(|| "without a text".to_owned());
    Some(api(kind.as_deref().unwrap_or("error"), &message))
}

fn api(kind: &str, message: &str) -> StreamError {
    let shown: String = message.chars().take(300).flat_map(char::escape_debug).collect();
    StreamError::Api { kind: excerpt(kind), message: shown }
}

/// The error of an event that is named so and is no JSON.
pub(super) fn api_error_text(json: &[u8]) -> StreamError {
    api("error", &String::from_utf8_lossy(json))
}
