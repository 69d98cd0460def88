//! JSON Schemas in the form that model APIs accept: no references, closed objects, an object at the
//! root.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Schema of the input type `T`: draft 2020-12, references inlined (a recursive type keeps its
/// `$defs`), `additionalProperties: false` on every object that lists its properties and does not say otherwise,
/// without `$schema` and the Rust type's title.
#[must_use]
pub fn input_schema_of<T: JsonSchema>() -> Value {
    let mut schema = inlined::<T>();
    if let Value::Object(root) = &mut schema {
        root.remove("$schema");
        root.remove("title");
        root.remove("description");
        if root.get("type").is_none() && !root.contains_key("anyOf") && !root.contains_key("oneOf") {
            root.insert("type".to_owned(), json!("object"));
        }
    }
    close(&mut schema);
    match schema {
        Value::Object(mut root) if root.get("type") == Some(&json!("null")) => {
            // The unit type: a tool without parameters.
            root.clear();
            root.insert("type".to_owned(), json!("object"));
            root.insert("properties".to_owned(), Value::Object(Map::new()));
            root.insert("additionalProperties".to_owned(), json!(false));
            Value::Object(root)
        }
        other => other,
    }
}

/// Schema of an output type, inlined, as [`input_schema_of`] but left open.
pub(crate) fn output_schema_of<T: JsonSchema>() -> Value {
    let mut schema = inlined::<T>();
    if let Value::Object(root) = &mut schema {
        root.remove("$schema");
        root.remove("title");
    }
    schema
}

fn inlined<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("properties").is_some_and(Value::is_object)
                && object.get("type") == Some(&json!("object"))
                && !object.contains_key("additionalProperties")
            {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
            if object.get("type") == Some(&json!("object")) && !object.contains_key("properties") {
                let closed = object.get("additionalProperties") == Some(&json!(false));
                if closed {
                    object.insert("properties".to_owned(), Value::Object(Map::new()));
                }
            }
            object.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Inner {
        /// A number.
        n: u8,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Outer {
        first: Inner,
        more: Vec<Inner>,
        maybe: Option<String>,
    }

    #[test]
    fn schemas_have_no_references_and_closed_objects() {
        let schema = input_schema_of::<Outer>();
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$schema"), "{text}");
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(schema["properties"]["first"]["additionalProperties"], json!(false));
        assert_eq!(schema["properties"]["more"]["items"]["additionalProperties"], json!(false));
        assert_eq!(schema["properties"]["first"]["properties"]["n"]["description"], json!("A number."));
    }

    #[test]
    fn no_parameters_is_an_empty_closed_object() {
        let expected = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(input_schema_of::<()>(), expected);
    }
}
