//! Foreign JSON in a few words, for messages about it.

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
