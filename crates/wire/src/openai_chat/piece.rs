//! A piece of a call in a chunk.

use crate::shape::{describe, others};
use crate::stream::StreamError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The chunk that there is most of in a call, read without a tree. What else it has makes it another.
#[derive(Deserialize)]
pub(super) struct Chunk<'c> {
    #[serde(default)]
    id: Option<&'c str>,
    #[serde(borrow)]
    choices: Vec<Choice<'c>>,
    #[serde(default)]
    error: Option<IgnoredAny>,
    #[serde(default)]
    usage: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice<'c> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: Delta<'c>,
    #[serde(default)]
    finish_reason: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Delta<'c> {
    #[serde(borrow)]
    tool_calls: Vec<OnlyArguments<'c>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnlyArguments<'c> {
    index: u64,
    #[serde(borrow)]
    function: Function<'c>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Function<'c> {
    #[serde(borrow)]
    arguments: Cow<'c, str>,
}

impl Chunk<'_> {
    /// Index and text, when it holds more arguments of one call of the message `id` and nothing else.
    pub(super) fn only_arguments(&self, id: Option<&str>) -> Option<(u64, &str)> {
        if self.id.is_some_and(|own| Some(own) != id) {
            return None;
        }
        let [Choice { index: 0, delta, finish_reason: None }] = self.choices.as_slice() else { return None };
        let [piece] = delta.tool_calls.as_slice() else { return None };
        (self.error.is_none() && self.usage.is_none()).then_some((piece.index, &*piece.function.arguments))
    }
}

/// A piece of a call.
#[derive(Debug)]
pub(super) struct Piece<'p> {
    pub(super) index: u64,
    /// Empty when it does not say.
    pub(super) id: &'p str,
    pub(super) name: &'p str,
    pub(super) arguments: Cow<'p, str>,
    pub(super) is_custom: bool,
    pub(super) extra: Map<String, Value>,
}

impl<'p> Piece<'p> {
    /// Reads the piece at `position` of its list, which is its index when it has none.
    pub(super) fn new(piece: &'p Value, position: usize) -> Result<Self, StreamError> {
        let Value::Object(fields) = piece else {
            return Err(StreamError::broken(format!("a piece of a call is {}", describe(piece))));
        };
        let custom = fields.get("custom").filter(|custom| custom.is_object());
        let inner = custom.or_else(|| fields.get("function"));
        let text = |value: Option<&'p Value>| value.and_then(Value::as_str).unwrap_or_default();
        let given = inner.and_then(|inner| inner.get(if custom.is_some() { "input" } else { "arguments" }));
        let arguments = match given {
            None | Some(Value::Null) => Cow::Borrowed(""),
            Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
            // Some servers give the JSON itself.
            Some(other) => Cow::Owned(other.to_string()),
        };
        Ok(Self {
            index: match fields.get("index") {
                None | Some(Value::Null) => u64::try_from(position).unwrap_or(u64::MAX),
                Some(index) => index.as_u64().ok_or_else(|| {
                    StreamError::broken(format!("the index of a call is {}", describe(index)))
                })?,
            },
            id: text(fields.get("id")),
            name: text(inner.and_then(|inner| inner.get("name"))),
            arguments,
            is_custom: custom.is_some(),
            extra: others(fields, &["index", "id", "type", "function", "custom"]),
        })
    }
}
