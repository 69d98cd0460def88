//! Where in a growing value the next piece belongs: the way from the root to the innermost open container.

use serde_json::Value;

/// An open container.
#[derive(Clone, Debug)]
pub(super) enum Level {
    /// An array; what is open in it is its last item.
    Array,
    /// An object, and the key whose value is read.
    Object(String),
}

/// Puts `value` into the innermost open container.
pub(super) fn place(root: &mut Value, levels: &[Level], value: Value) {
    let Some((innermost, outer)) = levels.split_last() else {
        *root = value;
        return;
    };
    match (walk(root, outer), innermost) {
        (Some(Value::Array(items)), Level::Array) => items.push(value),
        (Some(Value::Object(fields)), Level::Object(key)) => {
            fields.insert(key.clone(), value);
        }
        _ => {}
    }
}

/// The text that is being written.
pub(super) fn text<'v>(root: &'v mut Value, levels: &[Level]) -> Option<&'v mut String> {
    match walk(root, levels) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn walk<'v>(root: &'v mut Value, levels: &[Level]) -> Option<&'v mut Value> {
    levels.iter().try_fold(root, |value, level| match (value, level) {
        (Value::Array(items), Level::Array) => items.last_mut(),
        (Value::Object(fields), Level::Object(key)) => fields.get_mut(key),
        _ => None,
    })
}
