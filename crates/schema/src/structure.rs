//! The cheap look at a schema when its tool is registered: visibly broken ones are named then, not at
//! the first call. Values that are data (`enum`, `const`, `default`, `examples`) are not looked into.

use serde_json::{Map, Value};

/// Most levels of schemas within schemas.
const MAX_DEPTH: usize = 64;

/// Most schemas within one.
const MAX_SCHEMAS: usize = 20_000;

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Says what is visibly wrong with `schema`.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("its root must be an object with `\"type\": \"object\"`".to_owned());
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if schema.get(keyword).is_some() {
            return Err(format!("`{keyword}` may not stand at its root; model APIs refuse that"));
        }
    }
    let mut left = MAX_SCHEMAS;
    visit(schema, "", MAX_DEPTH, &mut left)
}

fn visit(schema: &Value, path: &str, levels: usize, left: &mut usize) -> Result<(), String> {
    let object = match schema {
        Value::Object(object) => object,
        Value::Bool(_) => return Ok(()),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(format!("a schema must be an object or a boolean, at {}", place(path)));
        }
    };
    if levels == 0 {
        return Err(format!("schemas are nested more than {MAX_DEPTH} levels deep"));
    }
    *left = left.checked_sub(1).ok_or_else(|| format!("it has more than {MAX_SCHEMAS} schemas in it"))?;
    words(object, path)?;
    for (keyword, value) in object {
        let here = || format!("{path}/{keyword}");
        match keyword.as_str() {
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                let Value::Object(schemas) = value else {
                    return Err(format!("`{keyword}` must be an object, at {}", place(path)));
                };
                for (name, schema) in schemas {
                    visit(schema, &format!("{path}/{keyword}/{name}"), levels - 1, left)?;
                }
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let Value::Array(schemas) = value else {
                    return Err(format!("`{keyword}` must be an array, at {}", place(path)));
                };
                if schemas.is_empty() && keyword != "prefixItems" {
                    return Err(format!("`{keyword}` must not be empty, at {}", place(path)));
                }
                for schema in schemas {
                    visit(schema, &here(), levels - 1, left)?;
                }
            }
            "items" => match value {
                Value::Array(schemas) => {
                    for schema in schemas {
                        visit(schema, &here(), levels - 1, left)?;
                    }
                }
                one => visit(one, &here(), levels - 1, left)?,
            },
            "additionalProperties"
            | "additionalItems"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "unevaluatedProperties"
            | "unevaluatedItems" => {
                visit(value, &here(), levels - 1, left)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Keywords whose values are words, lists of words or references.
fn words(object: &Map<String, Value>, path: &str) -> Result<(), String> {
    let wrong = |problem: &str| Err(format!("{problem}, at {}", place(path)));
    if let Some(given) = object.get("type") {
        let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
        let fits = match given {
            Value::Array(names) => !names.is_empty() && names.iter().all(known),
            one => known(one),
        };
        if !fits {
            return wrong(&format!("`type` is {}, which is no JSON type", crate::show::value(given)));
        }
    }
    if let Some(required) = object.get("required") {
        // Draft 3 had booleans here; the engine refuses them too.
        let fits = required.as_array().is_some_and(|names| names.iter().all(Value::is_string));
        if !fits {
            return wrong("`required` must be an array of names");
        }
    }
    if object.get("enum").is_some_and(|values| !values.is_array()) {
        return wrong("`enum` must be an array");
    }
    for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
        match object.get(keyword) {
            None => {}
            Some(Value::String(target)) if target.starts_with('#') => {}
            Some(Value::String(_)) => {
                return wrong(&format!("`{keyword}` leads out of the schema; it must start with `#`"));
            }
            Some(_) => return wrong(&format!("`{keyword}` must be a text")),
        }
    }
    Ok(())
}

fn place(path: &str) -> String {
    if path.is_empty() { "its root".to_owned() } else { crate::show::name(path) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn broken_schemas_are_named_with_their_place() {
        let cases = [
            (json!({"type": "string"}), "its root must be"),
            (json!([]), "its root must be"),
            (json!({"type": "object", "anyOf": [{}]}), "`anyOf` may not stand at its root"),
            (json!({"type": "object", "properties": []}), "`properties` must be an object, at its root"),
            (json!({"type": "object", "properties": {"a": 5}}), "an object or a boolean, at `/properties/a`"),
            (json!({"type": "object", "properties": {"a": {"type": "text"}}}), "`type` is \"text\""),
            (json!({"type": "object", "required": true}), "`required` must be"),
            (json!({"type": "object", "properties": {"a": {"anyOf": []}}}), "must not be empty"),
            (json!({"type": "object", "properties": {"a": {"enum": 1}}}), "`enum` must be"),
            (json!({"type": "object", "properties": {"a": {"$ref": "https://x.test/s"}}}), "leads out"),
        ];
        for (schema, expected) in cases {
            let problem = check(&schema).unwrap_err();
            assert!(problem.contains(expected), "{schema}: {problem}");
        }
    }

    #[test]
    fn properties_and_data_may_be_called_like_keywords() {
        let schema = json!({"type": "object", "properties": {
            "$ref": {"type": "string"}, "type": {"enum": [{"type": "nonsense"}]}, "required": true,
            "x": {"default": {"properties": 5}, "items": [{}, true], "$ref": "#/$defs/y"},
        }, "$defs": {"y": {}}});
        assert_eq!(check(&schema), Ok(()));
    }

    #[test]
    fn depth_is_bounded() {
        // `json!` copies what it is given, by recursion, so the levels are put together by hand.
        let level = |inner, _| Value::Object(Map::from_iter([("not".to_owned(), inner)]));
        let mut schema = json!({"type": "object"});
        schema["not"] = (0..100_000).fold(json!({}), level);
        assert!(check(&schema).unwrap_err().contains("64 levels"));
        // Such a value cannot be dropped on this stack either.
        std::mem::forget(schema);
    }
}
