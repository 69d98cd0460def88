//! Inputs that say the right thing in other words, as models and the forms of their messages write them: a whole
//! number with a fraction of zero (`5.0`), and null for a field that may be left out.

use serde_json::{Map, Number, Value};

/// Most levels of values within values that are looked at.
const MAX_DEPTH: usize = 64;
/// Most schemas that are held against values.
const MAX_STEPS: usize = 100_000;
/// Whole numbers up to this are exact in every form of a message.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// `input` in the words of `schema`; nothing when there is nothing to say otherwise.
pub(crate) fn reworded(schema: &Value, input: &Value) -> Option<Value> {
    let mut rewording = Rewording { root: schema, steps: 0, changes: 0 };
    let mut input = input.clone();
    rewording.value(schema, &mut input, 0);
    (rewording.changes > 0).then_some(input)
}

struct Rewording<'s> {
    root: &'s Value,
    steps: usize,
    changes: usize,
}

impl<'s> Rewording<'s> {
    fn value(&mut self, schema: &'s Value, value: &mut Value, depth: usize) {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            return;
        }
        let Some(schema) = schema.as_object() else { return };
        if let Some(target) = self.target(schema) {
            self.value(target, value, depth + 1);
        }
        for form in forms(schema) {
            self.value(form, value, depth + 1);
        }
        match value {
            Value::Number(number) if has_type(schema, "integer") && !has_type(schema, "number") => {
                if let Some(whole) = whole(number) {
                    *number = whole;
                    self.changes += 1;
                }
            }
            Value::Object(fields) => self.fields(schema, fields, depth),
            Value::Array(items) => {
                for (item, schema) in items.iter_mut().zip(item_schemas(schema)) {
                    self.value(schema, item, depth + 1);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn fields(&mut self, schema: &'s Map<String, Value>, fields: &mut Map<String, Value>, depth: usize) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
        let mut needless = Vec::new();
        for (name, value) in fields.iter_mut() {
            let Some(schema) = properties.get(name) else { continue };
            if value.is_null() && !is_required(name) && !self.takes_null(schema, depth) {
                needless.push(name.clone());
            } else {
                self.value(schema, value, depth + 1);
            }
        }
        for name in needless {
            fields.shift_remove(&name);
            self.changes += 1;
        }
    }

    /// Whether null may fit the schema.
    fn takes_null(&mut self, schema: &'s Value, depth: usize) -> bool {
        self.steps += 1;
        let Some(schema) = schema.as_object() else { return schema == true };
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            return true;
        }
        let holds_null = |keyword: &str| {
            schema.get(keyword).and_then(Value::as_array).is_none_or(|all| all.contains(&Value::Null))
        };
        let is_typed = schema.contains_key("type") && !has_type(schema, "null");
        if is_typed || !holds_null("enum") || schema.get("const").is_some_and(|only| !only.is_null()) {
            return false;
        }
        if let Some(target) = self.target(schema)
            && !self.takes_null(target, depth + 1)
        {
            return false;
        }
        ["anyOf", "oneOf"].into_iter().all(|keyword| {
            let forms = schema.get(keyword).and_then(Value::as_array);
            forms.is_none_or(|forms| forms.iter().any(|form| self.takes_null(form, depth + 1)))
        }) && schema
            .get("allOf")
            .and_then(Value::as_array)
            .is_none_or(|all| all.iter().all(|one| self.takes_null(one, depth + 1)))
    }

    /// What a reference within the schema leads to.
    fn target(&self, schema: &Map<String, Value>) -> Option<&'s Value> {
        self.root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
    }
}

fn forms(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword).and_then(Value::as_array))
        .flatten()
}

/// The schema of each item of an array.
fn item_schemas(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let first = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
    let rest = schema.get("items").filter(|items| items.is_object());
    first.chain(std::iter::repeat_with(move || rest).map_while(|rest| rest))
}

fn has_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(all)) => all.iter().any(|one| one == name),
        _ => false,
    }
}

/// The same number without a fraction, when it has none.
fn whole(number: &Number) -> Option<Number> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    // `-0.0` prints as `-0`, which is no unsigned number.
    let is_whole = value.fract() == 0.0 && value.abs() <= MAX_EXACT;
    let digits = format!("{:.0}", if value == 0.0 { 0.0 } else { value });
    is_whole.then(|| digits.parse::<i64>().ok().map(Number::from)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_means_the_same_is_put_in_the_words_of_the_schema() {
        let schema = json!({
            "type": "object",
            "required": ["must"],
            "properties": {
                "must": {"type": "string"},
                "n": {"type": "integer"},
                "maybe": {"type": ["integer", "null"]},
                "real": {"type": "number"},
                "either": {"anyOf": [{"$ref": "#/$defs/count"}, {"type": "null"}]},
                "flag": {"type": "boolean"},
                "kind": {"enum": ["a", "b"]},
                "loose": {"enum": ["a", null]},
                "any": {},
                "inner": {"$ref": "#/$defs/inner"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/count"}},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            },
            "$defs": {
                "count": {"type": "integer"},
                "inner": {"type": "object", "properties": {"x": {"type": "string"}}, "required": []},
                "loop": {"$ref": "#/$defs/loop"},
            },
        });
        for (input, expected) in [
            (json!({"n": 5.0, "real": 5.0}), Some(json!({"n": 5, "real": 5.0}))),
            (
                json!({"n": -3.0, "maybe": 1e1, "either": 0.0}),
                Some(json!({"n": -3, "maybe": 10, "either": 0})),
            ),
            (json!({"n": -0.0}), Some(json!({"n": 0}))),
            (json!({"n": 1.5}), None),
            (json!({"n": 1e300}), None),
            (json!({"n": "5.0"}), None),
            (json!({"n": 7, "flag": true}), None),
            (json!({"flag": null, "kind": null, "n": null}), Some(json!({}))),
            (json!({"maybe": null, "either": null, "loose": null, "any": null}), None),
            (json!({"must": null, "unknown": null}), None),
            (json!({"inner": {"x": null, "y": null}}), Some(json!({"inner": {"y": null}}))),
            (json!({"inner": null}), Some(json!({}))),
            (json!({"list": [1.0, 2.5, null]}), Some(json!({"list": [1, 2.5, null]}))),
            (json!({"pair": [1.0, 1.0, 1.0]}), Some(json!({"pair": [1.0, 1, 1.0]}))),
            (json!([]), None),
        ] {
            assert_eq!(reworded(&schema, &input), expected, "{input}");
        }
        let looped = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"$ref": "#/$defs/l"}}});
        assert_eq!(reworded(&looped, &json!({"a": null})), None);
        assert_eq!(reworded(&looped, &json!({"a": 1.0})), None);
    }
}
