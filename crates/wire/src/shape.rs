//! Foreign JSON in a few words, for messages about it.

use crate::WireError;
use serde_json::{Map, Value};

/// Most characters of foreign text that are shown.
const SHOWN: usize = 40;

/// What a value is, such as "an object with the fields `a`, `b`".
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(text) => format!("the text `{}`", excerpt(text)),
        Value::Array(items) if items.is_empty() => "an empty array".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(fields) => describe_object(fields),
    }
}

/// What an object is, by the names of its first fields.
pub(crate) fn describe_object(fields: &Map<String, Value>) -> String {
    let names: Vec<String> = fields.keys().take(5).map(|name| format!("`{}`", excerpt(name))).collect();
    let more = if fields.len() > names.len() { ", .." } else { "" };
    match names.as_slice() {
        [] => "an empty object".to_owned(),
        [name] => format!("an object with the field {name}"),
        _ => format!("an object with the fields {}{more}", names.join(", ")),
    }
}

/// The beginning of a text, without anything that a terminal could obey.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars().take(SHOWN) {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("..");
    }
    shown
}

/// Something else stands where a message needs something.
pub(crate) fn wrong(place: &str, found: &Value, expected: &'static str) -> WireError {
    WireError::Shape { place: place.to_owned(), found: describe(found), expected }
}

/// Nothing stands where a message needs something.
pub(crate) fn missing(place: &str, expected: &'static str) -> WireError {
    WireError::Shape { place: place.to_owned(), found: "missing".to_owned(), expected }
}

/// A text that a message needs.
pub(crate) fn text<'v>(
    fields: &'v Map<String, Value>,
    name: &str,
    place: &str,
    expected: &'static str,
) -> Result<&'v str, WireError> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(wrong(&format!("`{place}.{name}`"), other, expected)),
        None => Err(missing(&format!("`{place}.{name}`"), expected)),
    }
}

/// A text that a message may have; null is none.
pub(crate) fn optional_text(
    fields: &Map<String, Value>,
    name: &str,
    place: &str,
) -> Result<Option<String>, WireError> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(&format!("`{place}{name}`"), other, "a text or null")),
    }
}

/// The error of the API that stands where a message should.
pub(crate) fn api_error(error: &Value, expected: &'static str) -> WireError {
    let text = error.get("message").and_then(Value::as_str);
    let found = format!("an error of the API (`{}`)", excerpt(text.unwrap_or("without a text")));
    WireError::Shape { place: "the message".to_owned(), found, expected }
}

/// The fields of an object, except those named.
pub(crate) fn others(fields: &Map<String, Value>, named: &[&str]) -> Map<String, Value> {
    let others = fields.iter().filter(|(name, _)| !named.contains(&name.as_str()));
    others.map(|(name, value)| (name.clone(), value.clone())).collect()
}
