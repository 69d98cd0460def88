//! From the engine's errors to violations with a path, what was given and what is expected.

use crate::{expected, forms, near, show};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use pegboard_tool_core::Violation;
use serde_json::{Map, Value};
use std::cell::RefCell;

/// Violations that are kept; the rest is counted.
const KEPT: usize = 200;

/// Names of fields that are listed when none is near.
const LISTED: usize = 12;

/// Violations of one input.
#[derive(Debug, Default)]
pub(crate) struct Violations {
    /// The first ones.
    pub(crate) kept: Vec<Violation>,
    /// How many there are in all.
    pub(crate) all: usize,
}

/// Collects the violations of one input.
pub(crate) struct Explainer<'s> {
    schema: &'s Value,
    found: RefCell<Violations>,
}

impl<'s> Explainer<'s> {
    pub(crate) fn new(schema: &'s Value) -> Self {
        Self { schema, found: RefCell::default() }
    }

    /// What was collected, each once.
    pub(crate) fn finish(self) -> Violations {
        self.found.into_inner()
    }

    /// Adds what `error` says.
    pub(crate) fn add(&self, error: &ValidationError<'_>) {
        self.add_nested(error, forms::MAX_NESTING);
    }

    pub(crate) fn add_nested(&self, error: &ValidationError<'_>, levels: usize) {
        let path = error.instance_path().as_str();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    self.push_with(|| (field(path, name), self.unknown_field(error, name)));
                }
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.push_with(|| (field(path, name), self.missing_field(error, name)));
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                if levels == 0 || !forms::explain(self, error, context, levels - 1) {
                    self.push_with(|| (path.to_owned(), self.given(error, "which fits no allowed form")));
                }
            }
            Kind::PropertyNames { error: inner } => {
                self.push_with(|| {
                    let name = inner.instance().as_str().map(show::name).unwrap_or_default();
                    (path.to_owned(), format!("a field may not be called {name}: {}", self.message(inner)))
                });
            }
            _ => self.push_with(|| (path.to_owned(), self.message(error))),
        }
    }

    /// Adds one violation; it is only worded when it is kept.
    pub(crate) fn push_with(&self, words: impl FnOnce() -> (String, String)) {
        let mut found = self.found.borrow_mut();
        found.all += 1;
        if found.kept.len() < KEPT {
            let (path, message) = words();
            let violation = Violation::new(path, message);
            if found.kept.contains(&violation) {
                found.all -= 1;
            } else {
                found.kept.push(violation);
            }
        }
    }

    /// One error in words.
    pub(crate) fn message(&self, error: &ValidationError<'_>) -> String {
        let limit = |what: &str, limit: &dyn std::fmt::Display| self.given(error, &format!("{what} {limit}"));
        match error.kind() {
            Kind::Type { .. } => self.wrong_type(error),
            Kind::Enum { options } => {
                let choices = options.as_array().map_or(&[][..], Vec::as_slice);
                let near = error
                    .instance()
                    .as_str()
                    .and_then(|given| near::nearest(given, choices.iter().filter_map(Value::as_str)));
                let hint = near.map(|near| format!("; did you mean {}?", show::value(&near.into())));
                let words = self.given(error, &format!("expected {}", expected::one_of(choices)));
                words + &hint.unwrap_or_default()
            }
            Kind::Constant { expected_value } => {
                self.given(error, &format!("expected {}", show::value(expected_value)))
            }
            Kind::Minimum { limit: least } => limit("expected at least", least),
            Kind::Maximum { limit: most } => limit("expected at most", most),
            Kind::ExclusiveMinimum { limit: bound } => limit("expected more than", bound),
            Kind::ExclusiveMaximum { limit: bound } => limit("expected less than", bound),
            Kind::MultipleOf { multiple_of } => limit("expected a multiple of", multiple_of),
            Kind::MinLength { limit: least } => {
                counted(error, "character", &format!("expected at least {least}"))
            }
            Kind::MaxLength { limit: most } => {
                counted(error, "character", &format!("expected at most {most}"))
            }
            Kind::MinItems { limit: least } => counted(error, "item", &format!("expected at least {least}")),
            Kind::MaxItems { limit: most } => counted(error, "item", &format!("expected at most {most}")),
            Kind::AdditionalItems { limit: most } => {
                counted(error, "item", &format!("expected at most {most}"))
            }
            Kind::MinProperties { limit: least } => {
                counted(error, "field", &format!("expected at least {least}"))
            }
            Kind::MaxProperties { limit: most } => {
                counted(error, "field", &format!("expected at most {most}"))
            }
            Kind::UnevaluatedItems { .. } => counted(error, "item", "some of them are not allowed"),
            Kind::UniqueItems => self.given(error, "expected no item twice"),
            Kind::Contains => self.given(error, "no item of it is of the form that is expected"),
            Kind::Pattern { pattern } => {
                self.given(error, &format!("expected text that matches {}", show::name(pattern)))
            }
            Kind::Format { format } => {
                self.given(error, &format!("expected the format {}", show::name(format)))
            }
            Kind::FalseSchema => "is not allowed here".to_owned(),
            Kind::Not { .. } => self.given(error, "which is of a form that is not allowed"),
            Kind::OneOfMultipleValid { .. } => {
                self.given(error, "which fits several of the forms, and must fit exactly one")
            }
            Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
                self.given(error, "which could not be matched with the pattern that is expected")
            }
            other => self.given(error, &format!("which breaks {}", show::name(other.keyword()))),
        }
    }

    fn wrong_type(&self, error: &ValidationError<'_>) -> String {
        let schema = self.parent_schema(error);
        let wanted = schema.and_then(|schema| expected::expected(self.schema, schema));
        let wanted = wanted.unwrap_or_else(|| "another type".to_owned());
        let given: &Value = error.instance();
        let mut words =
            format!("is {} ({}); expected {wanted}", show::value(given), expected::type_of(given));
        // The most frequent slip of models: JSON in a string.
        if let Value::String(text) = given
            && text.len() <= 10_000
            && let Ok(inner) = serde_json::from_str::<Value>(text.trim())
            && !inner.is_string()
            && wanted.contains(expected::type_of(&inner))
        {
            words.push_str("; write the value itself, not a string that holds it");
        }
        words
    }

    fn unknown_field(&self, error: &ValidationError<'_>, name: &str) -> String {
        let known = self.parent_schema(error).and_then(|schema| schema.get("properties")?.as_object());
        let Some(known) = known.filter(|known| !known.is_empty()) else {
            return "unknown field; no fields are allowed here".to_owned();
        };
        let given = error.instance().as_object();
        // A field that is there already is not what was meant.
        let free = known
            .keys()
            .map(String::as_str)
            .filter(|key| given.is_none_or(|given| !given.contains_key(*key)));
        match near::nearest(name, free) {
            Some(near) => format!("unknown field; did you mean {}?", show::name(near)),
            None => {
                format!(
                    "unknown field; the fields are {}",
                    show::names(known.keys().map(String::as_str), LISTED)
                )
            }
        }
    }

    fn missing_field(&self, error: &ValidationError<'_>, name: &str) -> String {
        let known = self.parent_schema(error).and_then(|schema| schema.get("properties")?.as_object());
        let schema = known.and_then(|known| known.get(name));
        let mut words = "is missing".to_owned();
        if let Some(wanted) = schema.and_then(|schema| expected::expected(self.schema, schema)) {
            words.push_str(&format!("; expected {wanted}"));
        }
        let empty = Map::new();
        let given = error.instance().as_object().unwrap_or(&empty);
        let unknown = given
            .keys()
            .map(String::as_str)
            .filter(|key| known.is_none_or(|known| !known.contains_key(*key)));
        if let Some(near) = near::nearest(name, unknown) {
            words.push_str(&format!("; was {} meant for it?", show::name(near)));
        }
        words
    }

    fn given(&self, error: &ValidationError<'_>, expectation: &str) -> String {
        let separator = if expectation.starts_with("which") { ", " } else { "; " };
        format!("is {}{separator}{expectation}", show::value(error.instance()))
    }

    /// The schema that holds the keyword which was broken.
    pub(crate) fn parent_schema(&self, error: &ValidationError<'_>) -> Option<&'s Value> {
        let (parent, _) = error.schema_path().as_str().rsplit_once('/')?;
        self.schema.pointer(parent)
    }

    /// The whole schema.
    pub(crate) fn schema(&self) -> &'s Value {
        self.schema
    }
}

/// "has 3 items; expected ..".
fn counted(error: &ValidationError<'_>, what: &str, expectation: &str) -> String {
    let count = match &**error.instance() {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("has {count} {what}{plural}; {expectation}")
}

/// The JSON pointer of a field.
fn field(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}
