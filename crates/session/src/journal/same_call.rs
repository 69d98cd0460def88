//! Whether two calls are the same one: name and input, whatever the order of the input's keys.

use super::record::{CallRecord, InputRecord};
use pegboard_tool_core::{RawInput, ToolUse};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Stands for the name and the input of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(crate) fn of(call: &ToolUse) -> Self {
        match &call.input {
            RawInput::Json(input) => Self::json(&call.name, input),
            RawInput::Unreadable(text) => Self::unreadable(&call.name, text),
        }
    }

    pub(crate) fn of_record(call: &CallRecord) -> Self {
        match &call.input {
            InputRecord::Json(input) => Self::json(&call.name, input),
            InputRecord::Unreadable(text) => Self::unreadable(&call.name, text),
        }
    }

    fn json(name: &str, input: &Value) -> Self {
        let mut hash = named(name, b'j');
        feed(&mut hash, input);
        Self(hash.finalize().into())
    }

    fn unreadable(name: &str, text: &str) -> Self {
        let mut hash = named(name, b'u');
        put(&mut hash, text);
        Self(hash.finalize().into())
    }
}

fn named(name: &str, kind: u8) -> Sha256 {
    let mut hash = Sha256::new();
    put(&mut hash, name);
    hash.update([kind]);
    hash
}

/// A text with its length, so that no two lists of texts look alike.
fn put(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

fn feed(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update(b"n"),
        Value::Bool(flag) => hash.update(if *flag { b"t" } else { b"f" }),
        Value::Number(number) => {
            hash.update(b"#");
            put(hash, &number.to_string());
        }
        Value::String(text) => {
            hash.update(b"s");
            put(hash, text);
        }
        Value::Array(items) => {
            hash.update(b"[");
            hash.update((items.len() as u64).to_le_bytes());
            items.iter().for_each(|item| feed(hash, item));
        }
        Value::Object(fields) => {
            hash.update(b"{");
            hash.update((fields.len() as u64).to_le_bytes());
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| key.as_str());
            for (key, field) in sorted {
                put(hash, key);
                feed(hash, field);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn order_of_keys_does_not_matter_and_everything_else_does() {
        let of = |name: &str, input: Value| Fingerprint::of(&ToolUse::new("1", name, input));
        let same = of("Edit", json!({"a": 1, "b": {"c": [1, 2], "d": null}}));
        assert_eq!(same, of("Edit", json!({"b": {"d": null, "c": [1, 2]}, "a": 1})));
        for other in [
            of("Write", json!({"a": 1, "b": {"c": [1, 2], "d": null}})),
            of("Edit", json!({"a": 1, "b": {"c": [2, 1], "d": null}})),
            of("Edit", json!({"a": "1", "b": {"c": [1, 2], "d": null}})),
            of("Edit", json!({"a": 1, "b": {"c": [1, 2]}})),
            Fingerprint::of(&ToolUse::unreadable("1", "Edit", "{")),
        ] {
            assert_ne!(same, other);
        }
    }
}
