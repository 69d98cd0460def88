//! The model APIs by whose forms messages are told apart.

use crate::WireError;
use crate::decode::parse;
use crate::shape::describe;
use pegboard_tool_core::ports::StopReason;
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;

/// The form of one model API.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum WireForm {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Google Gemini.
    Gemini,
}

/// A text is no name of a form.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{}` is no wire form; use `anthropic`, `openai-chat`, `openai-responses` or `gemini`", given.escape_debug())]
#[non_exhaustive]
pub struct UnknownForm {
    /// What was given, cut to 64 characters.
    pub given: String,
}

impl WireForm {
    /// Every form, in the order they are told apart.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAiChat, Self::OpenAiResponses, Self::Gemini];

    /// Name as in the option `--wire`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Gemini => "gemini",
        }
    }

    /// Tells the form of a message's text.
    ///
    /// # Errors
    /// When it is no JSON or of no form that is known.
    pub fn guess(bytes: &[u8]) -> Result<Self, WireError> {
        let (value, _) = parse(bytes)?;
        Self::of(&value).ok_or_else(|| WireError::UnknownForm { found: describe(&value) })
    }

    /// Tells the form of a message by the fields that only this form has.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Object(object) => Self::of_object(object),
            Value::Array(items) => items.iter().filter_map(Value::as_object).find_map(Self::of_item),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    /// Tells the form of one event of a stream. An error, a ping and what is not known have none.
    #[must_use]
    pub fn of_event(event: &Value) -> Option<Self> {
        match event.get("type").and_then(Value::as_str) {
            Some(kind) if kind.starts_with("response.") => return Some(Self::OpenAiResponses),
            Some(kind) if kind.starts_with("content_block_") || kind.starts_with("message_") => {
                return Some(Self::Anthropic);
            }
            Some("error" | "ping" | "message" | "response") => return None,
            _ => {}
        }
        let has = |field: &str| event.get(field).is_some_and(|value| !value.is_null());
        if event.get("choices").is_some_and(Value::is_array) {
            Some(Self::OpenAiChat)
        } else if has("candidates") || has("promptFeedback") || has("usageMetadata") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    /// Whether an event of this form begins a message.
    pub(crate) fn begins(self, event: &Value) -> bool {
        let kind = event.get("type").and_then(Value::as_str);
        match self {
            Self::Anthropic => kind == Some("message_start"),
            Self::OpenAiChat => event.pointer("/choices/0/delta/role").is_some_and(Value::is_string),
            Self::OpenAiResponses => kind == Some("response.created"),
            Self::Gemini => event.pointer("/candidates/0/content").is_some_and(Value::is_object),
        }
    }

    /// What a reason of this form to stop means for the calls of its message.
    pub(crate) fn stop(self, reason: Option<&str>, has_calls: bool) -> StopReason {
        let asks = match (self, reason) {
            (_, None) => true,
            (Self::Anthropic, Some(reason)) => reason == "tool_use",
            (Self::OpenAiChat, Some("" | "tool_calls" | "function_call")) => true,
            // A forced function is reported so.
            (Self::OpenAiChat, Some("stop")) => has_calls,
            (Self::OpenAiResponses, Some("completed")) => has_calls,
            (Self::Gemini, Some("STOP" | "FINISH_REASON_UNSPECIFIED")) => has_calls,
            (Self::OpenAiChat | Self::OpenAiResponses | Self::Gemini, Some(_)) => false,
        };
        match reason {
            Some(reason) if !asks => StopReason::Other(reason.to_owned()),
            _ => StopReason::ToolUse,
        }
    }

    /// The block that asks for a tool, for messages about it.
    pub(crate) fn call_block(self) -> &'static str {
        match self {
            Self::Anthropic => "`tool_use` block",
            Self::OpenAiChat => "entry in `tool_calls`",
            Self::OpenAiResponses => "`function_call` item",
            Self::Gemini => "`functionCall` part",
        }
    }

    fn of_object(object: &Map<String, Value>) -> Option<Self> {
        let is = |field: &str, text: &str| object.get(field).and_then(Value::as_str) == Some(text);
        let is_list = |field: &str| object.get(field).is_some_and(Value::is_array);
        if is_list("choices") || is_list("tool_calls") {
            Some(Self::OpenAiChat)
        } else if is("object", "response") || is_list("output") {
            Some(Self::OpenAiResponses)
        } else if is_list("candidates") || is_list("parts") {
            Some(Self::Gemini)
        } else if is("type", "message") || (object.contains_key("role") && object.contains_key("content")) {
            Some(Self::Anthropic)
        } else {
            Self::of_item(object)
        }
    }

    /// The form of one block, call, item or part.
    fn of_item(item: &Map<String, Value>) -> Option<Self> {
        if item.contains_key("functionCall") || (item.contains_key("text") && !item.contains_key("type")) {
            return Some(Self::Gemini);
        }
        let Some(kind) = item.get("type").and_then(Value::as_str) else {
            // A conversation, or a block that forgot its type: what is wrong with it is said by its form.
            let close =
                item.contains_key("role") || (item.contains_key("name") && item.contains_key("input"));
            return close.then_some(Self::Anthropic);
        };
        match kind {
            "function" | "custom" if item.contains_key("id") => Some(Self::OpenAiChat),
            "function_call" | "custom_tool_call" | "reasoning" => Some(Self::OpenAiResponses),
            "error" | "tool_use" | "server_tool_use" | "text" | "thinking" | "redacted_thinking" => {
                Some(Self::Anthropic)
            }
            _ => None,
        }
    }
}

impl fmt::Display for WireForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for WireForm {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, UnknownForm> {
        let found = Self::ALL.into_iter().find(|form| form.as_str() == name);
        found.ok_or_else(|| UnknownForm { given: name.chars().take(64).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn forms_are_told_apart_by_their_own_fields() {
        let call = json!({"type": "function", "id": "c", "function": {"name": "f", "arguments": "{}"}});
        let cases = [
            (json!({"role": "assistant", "content": []}), Some(WireForm::Anthropic)),
            (json!({"type": "message", "role": "assistant", "content": []}), Some(WireForm::Anthropic)),
            (json!([{"type": "tool_use"}]), Some(WireForm::Anthropic)),
            (json!([{"type": "text"}, 1]), Some(WireForm::Anthropic)),
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), Some(WireForm::OpenAiChat)),
            (json!({"choices": [], "object": "chat.completion"}), Some(WireForm::OpenAiChat)),
            (json!([call]), Some(WireForm::OpenAiChat)),
            (json!({"object": "response", "output": []}), Some(WireForm::OpenAiResponses)),
            (json!([{"type": "reasoning"}, {"type": "function_call"}]), Some(WireForm::OpenAiResponses)),
            (json!({"candidates": []}), Some(WireForm::Gemini)),
            (json!({"role": "model", "parts": [{"functionCall": {}}]}), Some(WireForm::Gemini)),
            (json!([{"role": "user", "content": "x"}]), Some(WireForm::Anthropic)),
            (json!({"id": "a", "name": "A", "input": {}}), Some(WireForm::Anthropic)),
            (json!([]), None),
            (json!({"a": 1}), None),
            (json!("tool_use"), None),
        ];
        for (value, form) in cases {
            assert_eq!(WireForm::of(&value), form, "{value}");
        }
    }

    #[test]
    fn names_of_forms_are_read_back() {
        for form in WireForm::ALL {
            assert_eq!(form.to_string().parse(), Ok(form));
        }
        insta::assert_snapshot!(
            "Anthropic\u{1b}".parse::<WireForm>().unwrap_err(),
            @r"`Anthropic\u{1b}` is no wire form; use `anthropic`, `openai-chat`, `openai-responses` or `gemini`"
        );
    }
}
