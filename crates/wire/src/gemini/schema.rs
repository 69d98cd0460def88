//! A schema in the subset of OpenAPI that Gemini takes. Keywords that it does not know are dropped.

use serde_json::{Map, Value, json};

/// Keywords that go over as they are.
const KEPT: &[&str] = &[
    "title",
    "description",
    "default",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "required",
    "nullable",
];

/// The schema of a tool's input, without references; `None` when it has no fields.
///
/// # Errors
/// Says what the subset cannot say: an object whose fields are not listed.
pub(super) fn subset(schema: &Value) -> Result<Option<Value>, String> {
    let is_listed =
        |root: &Value| root.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    if is_listed(schema) {
        return convert(schema, "input").map(Some);
    }
    let is_open = schema.get("additionalProperties").is_some_and(|more| more != &json!(false));
    let is_choice =
        ["anyOf", "oneOf", "allOf", "patternProperties"].iter().any(|name| schema.get(name).is_some());
    if is_open || is_choice { Err("`input` may have any fields".to_owned()) } else { Ok(None) }
}

fn convert(schema: &Value, at: &str) -> Result<Value, String> {
    let Value::Object(given) = schema else { return Err(format!("`{at}` may be anything")) };
    let given = &joined(given);
    let mut sent = Map::new();
    let (kinds, takes_null) = kinds(given);
    if let [kind] = kinds.as_slice() {
        sent.insert("type".to_owned(), kind.to_ascii_uppercase().into());
    }
    for name in KEPT {
        if let Some(value) = given.get(*name) {
            sent.insert((*name).to_owned(), value.clone());
        }
    }
    if takes_null {
        sent.insert("nullable".to_owned(), true.into());
    }
    if let Some(format) =
        given.get("format").and_then(Value::as_str).filter(|format| is_format(&kinds, format))
    {
        sent.insert("format".to_owned(), format.into());
    }
    enumerate(given, &mut sent);
    if kinds.contains(&"object") || given.contains_key("properties") {
        object(given, &mut sent, at)?;
    }
    if kinds.contains(&"array") || given.contains_key("items") {
        let items = given.get("items").ok_or_else(|| format!("the items of `{at}` may be anything"))?;
        sent.insert("items".to_owned(), convert(items, &format!("{at}[]"))?);
    }
    choices(given, &kinds, &mut sent, at)?;
    let says_something = sent.contains_key("type") || sent.contains_key("anyOf");
    if says_something { Ok(Value::Object(sent)) } else { Err(format!("`{at}` may be anything")) }
}

/// The types of a schema without null, and whether null is one.
fn kinds(given: &Map<String, Value>) -> (Vec<&str>, bool) {
    let mut kinds: Vec<&str> = match given.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ if given.contains_key("properties") => vec!["object"],
        _ if given.contains_key("items") => vec!["array"],
        _ => match given
            .get("enum")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .or(given.get("const").map(std::slice::from_ref))
        {
            Some(values) if values.iter().any(Value::is_string) => vec!["string"],
            Some(values) if values.iter().any(Value::is_number) => vec!["number"],
            Some(values) if values.iter().any(Value::is_boolean) => vec!["boolean"],
            _ => Vec::new(),
        },
    };
    let all = kinds.len();
    kinds.retain(|kind| *kind != "null");
    let takes_null = kinds.len() < all;
    (kinds, takes_null)
}

fn is_format(kinds: &[&str], format: &str) -> bool {
    match kinds {
        ["string"] => format == "date-time",
        ["integer"] => matches!(format, "int32" | "int64"),
        ["number"] => matches!(format, "float" | "double"),
        _ => false,
    }
}

/// Enumerations are of texts only; other values are told in the description.
fn enumerate(given: &Map<String, Value>, sent: &mut Map<String, Value>) {
    let values = match (given.get("enum"), given.get("const")) {
        (Some(Value::Array(values)), _) => values.clone(),
        (_, Some(value)) => vec![value.clone()],
        _ => return,
    };
    let values: Vec<Value> = values.into_iter().filter(|value| !value.is_null()).collect();
    if values.iter().all(Value::is_string) {
        sent.insert("enum".to_owned(), values.into());
        return;
    }
    let listed: Vec<String> = values.iter().take(50).map(Value::to_string).collect();
    let said = sent.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = format!("{said} One of: {}.", listed.join(", "));
    sent.insert("description".to_owned(), text.trim_start().into());
}

fn object(given: &Map<String, Value>, sent: &mut Map<String, Value>, at: &str) -> Result<(), String> {
    let is_open = given.get("additionalProperties").is_some_and(|more| more != &json!(false));
    let fields =
        given.get("properties").and_then(Value::as_object).filter(|fields| !fields.is_empty() && !is_open);
    let Some(fields) = fields else { return Err(format!("`{at}` may have any fields")) };
    let mut properties = Map::new();
    for (name, field) in fields {
        properties.insert(name.clone(), convert(field, &format!("{at}.{name}"))?);
    }
    // The API refuses a required field that is not listed.
    if let Some(Value::Array(required)) = sent.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(|name| properties.contains_key(name)));
    }
    sent.insert("properties".to_owned(), properties.into());
    Ok(())
}

/// Alternatives: several types, `anyOf`, `oneOf`. Null among them is a mark.
fn choices(
    given: &Map<String, Value>,
    kinds: &[&str],
    sent: &mut Map<String, Value>,
    at: &str,
) -> Result<(), String> {
    let listed = given.get("anyOf").or_else(|| given.get("oneOf")).and_then(Value::as_array);
    let mut alternatives = Vec::new();
    match (listed, kinds) {
        (Some(listed), _) => {
            for (number, choice) in listed.iter().enumerate() {
                if choice.get("type").and_then(Value::as_str) == Some("null") {
                    sent.insert("nullable".to_owned(), true.into());
                } else {
                    alternatives.push(convert(choice, &format!("{at}|{number}"))?);
                }
            }
        }
        (None, [_, _, ..]) => {
            for kind in kinds {
                let mut one = given.clone();
                one.insert("type".to_owned(), (*kind).into());
                one.shift_remove("description");
                alternatives.push(convert(&Value::Object(one), at)?);
            }
            for name in ["properties", "items", "required"] {
                sent.shift_remove(name);
            }
        }
        (None, _) => {}
    }
    match alternatives.as_slice() {
        [] => {}
        // One alternative besides null is the schema itself.
        [Value::Object(only)] => {
            for (name, value) in only {
                if !sent.contains_key(name) {
                    sent.insert(name.clone(), value.clone());
                }
            }
        }
        _ => drop(sent.insert("anyOf".to_owned(), alternatives.into())),
    }
    Ok(())
}

/// A schema with the parts of its `allOf` joined into it: fields and what is required add up, of anything
/// else the first counts.
fn joined(given: &Map<String, Value>) -> Map<String, Value> {
    let mut whole = given.clone();
    let Some(Value::Array(parts)) = whole.shift_remove("allOf") else { return whole };
    for part in parts.iter().filter_map(Value::as_object).map(joined) {
        for (name, value) in part {
            match (whole.get_mut(&name), value) {
                (Some(Value::Object(ours)), Value::Object(theirs)) if name == "properties" => {
                    ours.extend(theirs)
                }
                (Some(Value::Array(ours)), Value::Array(theirs)) if name == "required" => ours.extend(theirs),
                (Some(_), _) => {}
                (None, value) => drop(whole.insert(name, value)),
            }
        }
    }
    whole
}
