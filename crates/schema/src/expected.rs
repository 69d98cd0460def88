//! What a schema expects, in a few words.

use crate::show;
use serde_json::{Map, Value};

/// Choices that are listed.
const LISTED: usize = 12;

/// What `schema` expects, such as "an array of strings"; follows references within `root`.
pub(crate) fn expected(root: &Value, schema: &Value) -> Option<String> {
    describe(root, schema, 4)
}

fn describe(root: &Value, schema: &Value, levels: usize) -> Option<String> {
    let object = schema.as_object().filter(|_| levels > 0)?;
    if let Some(target) = object.get("$ref").and_then(Value::as_str) {
        return describe(root, root.pointer(target.strip_prefix('#')?)?, levels - 1);
    }
    if let Some(value) = object.get("const") {
        return Some(show::value(value));
    }
    if let Some(choices) = object.get("enum").and_then(Value::as_array) {
        return Some(one_of(choices));
    }
    if let Some(types) = object.get("type") {
        let names: Vec<_> = match types {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        let words: Vec<_> = names.into_iter().map(|name| typed(root, object, name, levels)).collect();
        return (!words.is_empty()).then(|| words.join(" or "));
    }
    let forms = ["anyOf", "oneOf"].iter().find_map(|keyword| object.get(*keyword)?.as_array())?;
    let mut words: Vec<String> = Vec::new();
    for form in forms.iter().take(LISTED) {
        let word = describe(root, form, levels - 1)?;
        if !words.contains(&word) {
            words.push(word);
        }
    }
    Some(words.join(" or "))
}

fn typed(root: &Value, object: &Map<String, Value>, name: &str, levels: usize) -> String {
    match name {
        "array" => {
            let item =
                object.get("items").and_then(|items| match items.get("$ref").and_then(Value::as_str) {
                    Some(target) => root.pointer(target.strip_prefix('#')?),
                    None => Some(items),
                });
            match item.and_then(|item| item.get("type")).and_then(Value::as_str) {
                Some("null") | None => "an array".to_owned(),
                Some(item) if levels > 0 => format!("an array of {item}s"),
                Some(_) => "an array".to_owned(),
            }
        }
        "object" => {
            let required = object.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let names: Vec<_> = required.iter().filter_map(Value::as_str).collect();
            if names.is_empty() {
                "an object".to_owned()
            } else {
                format!("an object with {}", show::names(names.into_iter(), LISTED))
            }
        }
        "integer" => "an integer".to_owned(),
        "null" => "null".to_owned(),
        other => format!("a {other}"),
    }
}

/// "one of .." for a list of choices.
pub(crate) fn one_of(choices: &[Value]) -> String {
    let mut text = choices.iter().take(LISTED).map(show::value).collect::<Vec<_>>().join(", ");
    if choices.len() > LISTED {
        text.push_str(&format!(" and {} more", choices.len() - LISTED));
    }
    if choices.len() == 1 { text } else { format!("one of {text}") }
}

/// The type of a value, with its article.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_are_said_in_words() {
        let root = json!({"$defs": {"edit": {"type": "object", "required": ["old", "new"]}, "loop": {"$ref": "#/$defs/loop"}}});
        for (schema, words) in [
            (json!({"type": "string"}), Some("a string")),
            (json!({"type": ["integer", "null"]}), Some("an integer or null")),
            (json!({"type": "array", "items": {"$ref": "#/$defs/edit"}}), Some("an array of objects")),
            (json!({"$ref": "#/$defs/edit"}), Some("an object with `old`, `new`")),
            (json!({"enum": ["a", "b"]}), Some("one of \"a\", \"b\"")),
            (json!({"anyOf": [{"type": "boolean"}, {"type": "null"}]}), Some("a boolean or null")),
            (json!({"const": 5}), Some("5")),
            (json!({"$ref": "#/$defs/loop"}), None),
            (json!(true), None),
        ] {
            assert_eq!(expected(&root, &schema).as_deref(), words, "{schema}");
        }
    }
}
