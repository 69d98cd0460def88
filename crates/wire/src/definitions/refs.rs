//! References in a schema, put in their places. Only references into the schema itself are followed.

use serde_json::{Map, Value};

/// Most nodes of a schema after its references are resolved: few references can make very many.
const MAX_NODES: usize = 20_000;
/// Deepest nesting.
const MAX_DEPTH: usize = 64;

/// A schema without references.
#[derive(Debug, Default)]
pub(crate) struct Inlined {
    /// The schema; where it refers to itself, and where a reference leads nowhere, anything goes.
    pub(crate) schema: Value,
    /// Whether it refers to itself, or is too large or too deep without references.
    pub(crate) is_endless: bool,
    /// References that lead nowhere.
    pub(crate) unresolved: Vec<String>,
}

/// Puts what references mean in their places.
pub(crate) fn inline(schema: &Value) -> Inlined {
    let mut inliner = Inliner { root: schema, open: Vec::new(), nodes: 0, found: Inlined::default() };
    let mut value = inliner.node(schema, 0);
    if let Value::Object(root) = &mut value {
        for name in ["$defs", "definitions"] {
            root.shift_remove(name);
        }
    }
    Inlined { schema: value, ..inliner.found }
}

struct Inliner<'s> {
    root: &'s Value,
    /// References that are being followed.
    open: Vec<&'s str>,
    nodes: usize,
    found: Inlined,
}

impl<'s> Inliner<'s> {
    fn node(&mut self, value: &'s Value, depth: usize) -> Value {
        self.nodes += 1;
        if self.nodes > MAX_NODES || depth > MAX_DEPTH {
            self.found.is_endless = true;
            return Value::Object(Map::new());
        }
        match value {
            Value::Object(fields) => match fields.get("$ref").and_then(Value::as_str) {
                Some(reference) => self.reference(reference, fields, depth),
                None => Value::Object(self.fields(fields, depth)),
            },
            Value::Array(items) => items.iter().map(|item| self.node(item, depth + 1)).collect(),
            other => other.clone(),
        }
    }

    fn fields(&mut self, fields: &'s Map<String, Value>, depth: usize) -> Map<String, Value> {
        let mut inlined = Map::new();
        for (name, value) in fields {
            let value = match name.as_str() {
                "$ref" if value.is_string() => continue,
                // Data, and what is only referred to.
                "enum" | "const" | "default" | "examples" => value.clone(),
                "$defs" | "definitions" if depth == 0 => continue,
                _ => self.node(value, depth + 1),
            };
            inlined.insert(name.clone(), value);
        }
        inlined
    }

    /// What a reference means, with the fields beside it.
    fn reference(&mut self, reference: &'s str, fields: &'s Map<String, Value>, depth: usize) -> Value {
        let target = match reference.strip_prefix('#') {
            Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                self.root.pointer(&decoded(pointer))
            }
            _ => None,
        };
        let mut meant = match target {
            None => {
                self.found.unresolved.push(reference.chars().take(200).collect());
                Value::Object(Map::new())
            }
            Some(_) if self.open.contains(&reference) => {
                self.found.is_endless = true;
                Value::Object(Map::new())
            }
            Some(target) => {
                self.open.push(reference);
                let meant = self.node(target, depth + 1);
                self.open.pop();
                meant
            }
        };
        let beside = self.fields(fields, depth);
        match &mut meant {
            Value::Object(meant) => meant.extend(beside),
            // `true` or `false`.
            _ if !beside.is_empty() => return Value::Object(beside),
            _ => {}
        }
        meant
    }
}

/// A pointer in a URI: `%25` stands for `%`.
fn decoded(pointer: &str) -> String {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_put_in_their_places() {
        let inlined = inline(&json!({
            "type": "object",
            "properties": {
                "a": {"$ref": "#/$defs/A~1b", "description": "mine"},
                "c": {"$ref": "#/properties/a"},
                "x": {"enum": [{"$ref": "#/no"}]},
                "$ref": {"type": "string"},
                "far": {"$ref": "https://example.org/s.json"},
                "none": {"$ref": "#/$defs/None"},
            },
            "$defs": {"A/b": {"type": "string", "description": "its"}},
        }));
        assert_eq!(
            inlined.schema.to_string(),
            r##"{"type":"object","properties":{"a":{"type":"string","description":"mine"},"c":{"type":"string","description":"mine"},"x":{"enum":[{"$ref":"#/no"}]},"$ref":{"type":"string"},"far":{},"none":{}}}"##
        );
        assert_eq!(inlined.unresolved, ["https://example.org/s.json", "#/$defs/None"]);
        assert!(!inlined.is_endless);
    }

    #[test]
    fn what_is_endless_is_cut() {
        let list = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        let inlined = inline(&list);
        assert!(inlined.is_endless);
        // Each reference twice as large as the one before.
        let mut defs = Map::new();
        defs.insert("d0".to_owned(), json!({"type": "string"}));
        for n in 1..40 {
            let below = format!("#/$defs/d{}", n - 1);
            defs.insert(format!("d{n}"), json!({"properties": {"a": {"$ref": below}, "b": {"$ref": below}}}));
        }
        let bomb = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d39"}}, "$defs": defs});
        let inlined = inline(&bomb);
        assert!(inlined.is_endless && inlined.schema.to_string().len() < 3_000_000);
    }
}
