//! A schema in the subset that strict modes take: objects are closed; with OpenAI they list every field as
//! required, and what was optional may be null. Constraints that a subset lacks are dropped from the copy.

use super::nulls::Nulls;
use super::refs::inline;
use serde_json::{Map, Value, json};

const MAX_DEPTH: usize = 10;
const MAX_FIELDS: usize = 5_000;
const MAX_ENUM: usize = 1_000;

/// Keywords that go over as they are.
const KEPT: &[&str] = &["type", "title", "description", "enum"];
/// Keywords that OpenAI takes too.
const KEPT_BY_OPENAI: &[&str] =
    &["multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "minItems", "maxItems"];
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Whose strict mode.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dialect {
    OpenAi,
    Anthropic,
}

/// A strict schema.
#[derive(Debug)]
pub(super) struct StrictSchema {
    pub(super) schema: Value,
    /// Where its nulls mean nothing.
    pub(super) nulls: Nulls,
    /// How many fields may be absent.
    pub(super) optional: usize,
}

/// The strict schema of a tool's input, or why there is none.
pub(super) fn strict(schema: &Value, dialect: Dialect) -> Result<StrictSchema, String> {
    let inlined = inline(schema);
    if inlined.is_endless {
        return Err("its schema refers to itself or is too large".to_owned());
    }
    if let Some(reference) = inlined.unresolved.first() {
        return Err(format!("the reference `{}` leads nowhere", reference.escape_debug()));
    }
    let mut strict = Strict { dialect, fields: 0, enums: 0, optional: 0 };
    let Value::Object(mut root) = inlined.schema else { return Err("its schema is no object".to_owned()) };
    // A tool without parameters says so in many ways.
    if !root.contains_key("properties")
        && root.get("additionalProperties").is_none_or(|more| more == &json!(false))
    {
        root.insert("properties".to_owned(), json!({}));
    }
    if root.contains_key("anyOf") || root.contains_key("oneOf") {
        return Err("its schema is a choice between schemas".to_owned());
    }
    let (schema, nulls) = strict.schema(&Value::Object(root), "input", 0)?;
    Ok(StrictSchema { schema, nulls, optional: strict.optional })
}

struct Strict {
    dialect: Dialect,
    optional: usize,
    fields: usize,
    enums: usize,
}

impl Strict {
    fn schema(&mut self, schema: &Value, at: &str, depth: usize) -> Result<(Value, Nulls), String> {
        if depth > MAX_DEPTH {
            return Err(format!("`{at}` is nested deeper than {MAX_DEPTH} levels"));
        }
        let Value::Object(given) = schema else { return Err(format!("`{at}` may be anything")) };
        let given = &without_all_of(given, at)?;
        let openai: &[&str] = if self.dialect == Dialect::OpenAi { KEPT_BY_OPENAI } else { &[] };
        let kept = given.iter().filter(|(name, _)| [KEPT, openai].concat().contains(&name.as_str()));
        let mut sent: Map<String, Value> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        if let Some(format) =
            given.get("format").filter(|format| format.as_str().is_some_and(|f| FORMATS.contains(&f)))
        {
            sent.insert("format".to_owned(), format.clone());
        }
        if let Some(pattern) =
            given.get("pattern").and_then(Value::as_str).filter(|pattern| !pattern.contains("(?"))
        {
            sent.insert("pattern".to_owned(), pattern.into());
        }
        if let Some(value) = given.get("const") {
            sent.insert("enum".to_owned(), json!([value]));
        }
        if let Some(Value::Array(values)) = sent.get("enum")
            && !sent.contains_key("type")
        {
            // The API wants a type beside values.
            let kinds = kinds(values);
            sent.insert("type".to_owned(), kinds);
        }
        self.enums += given.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
        if self.enums > MAX_ENUM {
            return Err(format!("it has more than {MAX_ENUM} values in enumerations"));
        }
        let mut nulls = Nulls::default();
        let choices = given.get("anyOf").or_else(|| given.get("oneOf"));
        if let Some(Value::Array(choices)) = choices {
            let mut alternatives = Vec::with_capacity(choices.len());
            for (number, choice) in choices.iter().enumerate() {
                let (choice, below) = self.schema(choice, &format!("{at}|{number}"), depth + 1)?;
                if !nulls.merge(below) {
                    return Err(format!("null means two things in the alternatives of `{at}`"));
                }
                alternatives.push(choice);
            }
            sent.insert("anyOf".to_owned(), alternatives.into());
        }
        let is = |kind: &str| has_type(given, kind);
        if is("object") || given.contains_key("properties") {
            self.object(given, &mut sent, &mut nulls, at, depth)?;
        }
        if is("array") || given.contains_key("items") {
            let Some(items) = given.get("items").filter(|_| !given.contains_key("prefixItems")) else {
                return Err(format!("the items of `{at}` may be anything"));
            };
            let (items, below) = self.schema(items, &format!("{at}[]"), depth + 1)?;
            sent.insert("items".to_owned(), items);
            nulls.items(below);
        }
        let says_something = ["type", "anyOf"].iter().any(|name| sent.contains_key(*name));
        if says_something { Ok((Value::Object(sent), nulls)) } else { Err(format!("`{at}` may be anything")) }
    }

    fn object(
        &mut self,
        given: &Map<String, Value>,
        sent: &mut Map<String, Value>,
        nulls: &mut Nulls,
        at: &str,
        depth: usize,
    ) -> Result<(), String> {
        let is_open = given.get("additionalProperties").is_some_and(|more| more != &json!(false));
        let Some(Value::Object(fields)) = given.get("properties").filter(|_| !is_open) else {
            return Err(format!("`{at}` may have any fields"));
        };
        if given.contains_key("patternProperties") {
            return Err(format!("`{at}` may have any fields"));
        }
        self.fields += fields.len();
        if self.fields > MAX_FIELDS {
            return Err(format!("it has more than {MAX_FIELDS} fields"));
        }
        let required = given.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut properties = Map::new();
        for (name, field) in fields {
            let (mut sent, below) = self.schema(field, &format!("{at}.{name}"), depth + 1)?;
            let takes_null = takes_null(&sent);
            let is_optional = !required.iter().any(|required| required == name);
            self.optional += usize::from(is_optional);
            let is_added = is_optional && !takes_null && self.dialect == Dialect::OpenAi;
            if is_added {
                sent = nullable(sent);
            }
            nulls.field(name, is_added, takes_null, below);
            properties.insert(name.clone(), sent);
        }
        let is_sent =
            |name: &&String| self.dialect == Dialect::OpenAi || required.iter().any(|one| one == *name);
        let names: Vec<&String> = fields.keys().filter(is_sent).collect();
        sent.insert("required".to_owned(), json!(names));
        sent.insert("properties".to_owned(), properties.into());
        sent.insert("additionalProperties".to_owned(), false.into());
        Ok(())
    }
}

/// A schema without `allOf`: one part joins the rest.
fn without_all_of(given: &Map<String, Value>, at: &str) -> Result<Map<String, Value>, String> {
    let mut whole = given.clone();
    match whole.shift_remove("allOf") {
        None => {}
        Some(Value::Array(parts)) => match parts.as_slice() {
            [] => {}
            [Value::Object(part)] if part.keys().all(|name| !whole.contains_key(name) || is_note(name)) => {
                for (name, value) in part {
                    if !whole.contains_key(name) {
                        whole.insert(name.clone(), value.clone());
                    }
                }
            }
            _ => return Err(format!("`{at}` has to fit several schemas at once")),
        },
        Some(_) => return Err(format!("`{at}` has an `allOf` that is no list")),
    }
    if whole.contains_key("allOf") { without_all_of(&whole, at) } else { Ok(whole) }
}

/// The types that values have.
fn kinds(values: &[Value]) -> Value {
    let mut kinds: Vec<&str> = Vec::new();
    for value in values {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    match kinds.as_slice() {
        [kind] => (*kind).into(),
        _ => kinds.into(),
    }
}

fn is_note(keyword: &str) -> bool {
    matches!(keyword, "description" | "title")
}

fn has_type(schema: &Map<String, Value>, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

fn takes_null(schema: &Value) -> bool {
    let Value::Object(fields) = schema else { return false };
    let lists_null = |values: &Value| values.as_array().is_some_and(|values| values.contains(&Value::Null));
    if let Some(choices) = fields.get("anyOf").and_then(Value::as_array) {
        return choices.iter().any(takes_null);
    }
    has_type(fields, "null") && fields.get("enum").is_none_or(lists_null)
}

/// The schema, or null.
fn nullable(mut schema: Value) -> Value {
    let Value::Object(fields) = &mut schema else { return schema };
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.push(json!({"type": "null"}));
        return schema;
    }
    match fields.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&json!("null")) => kinds.push("null".into()),
        Some(Value::Array(_)) | None => {}
        Some(kind) => *kind = json!([kind.take(), "null"]),
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    schema
}
