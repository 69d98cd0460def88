//! A message of a model, read.

use crate::{WireForm, anthropic, gemini, openai_chat, openai_responses};
use pegboard_tool_core::ports::{StopReason, TurnEvent};
use pegboard_tool_core::{RawInput, ToolUse};
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// What a model wrote. INVARIANT: no two calls with one id; of a whole message, at least one call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IncomingTurn {
    /// Form that it came in, and is answered in.
    pub form: WireForm,
    /// Its calls, in order, under the names that the model wrote.
    pub calls: Vec<ToolUse>,
    /// Why it ended, in the API's word, where the message says so.
    pub stop_reason: Option<String>,
    /// The model that wrote it, where the message says so.
    pub model: Option<String>,
    /// Whether a tool of the model's own provider is still open: then the answer may hold results only.
    pub server_tool_open: bool,
    /// The message as received, with all blocks and fields, to be sent back unchanged.
    pub raw: Value,
    /// Its bytes as received, without a byte order mark; of a stream, the assembled message.
    pub bytes: Arc<[u8]>,
    /// Calls that are not ordinary, by id.
    kinds: HashMap<Arc<str>, CallKind>,
}

/// What must be known of a call to answer it in its form.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum CallKind {
    /// An ordinary call.
    #[default]
    Function,
    /// A call whose input is free text (OpenAI).
    Custom,
    /// A call without an id of its own (Gemini): the id is ours and is not sent.
    OwnId,
}

/// What a decoder of one form finds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) calls: Vec<ToolUse>,
    pub(crate) kinds: Vec<CallKind>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) server_tool_open: bool,
}

impl Found {
    pub(crate) fn push(&mut self, call: ToolUse, kind: CallKind) {
        self.calls.push(call);
        self.kinds.push(kind);
    }
}

impl IncomingTurn {
    pub(crate) fn new(form: WireForm, found: Found, raw: Value, bytes: Arc<[u8]>) -> Self {
        let Found { calls, kinds, stop_reason, server_tool_open } = found;
        let model = raw.get("model").or_else(|| raw.get("modelVersion"));
        let model = model.and_then(Value::as_str).map(str::to_owned);
        let kinds = special(&calls, kinds);
        Self { form, calls, stop_reason, model, server_tool_open, raw, bytes, kinds }
    }

    /// A turn from a stream; `message` is what goes back.
    pub(crate) fn assembled(
        form: WireForm,
        calls: Vec<ToolUse>,
        kinds: Vec<CallKind>,
        stop_reason: Option<String>,
        model: Option<String>,
        message: Value,
    ) -> Self {
        let server_tool_open = form == WireForm::Anthropic && anthropic::server_tool_open(&message);
        let bytes = message.to_string().into_bytes().into();
        let kinds = special(&calls, kinds);
        Self { form, calls, stop_reason, model, server_tool_open, raw: message, bytes, kinds }
    }

    /// Whether its calls are to be run.
    #[must_use]
    pub fn stop(&self) -> StopReason {
        self.form.stop(self.stop_reason.as_deref(), !self.calls.is_empty())
    }

    /// The message as events for a turn executor.
    #[must_use]
    pub fn events(&self) -> VecDeque<TurnEvent> {
        let ready = self.calls.iter().cloned().map(TurnEvent::CallReady);
        ready.chain([TurnEvent::Ended(self.stop())]).collect()
    }

    /// The assistant message as it goes back to the API, unchanged: a message (Anthropic, Chat), an array
    /// of items (Responses), a content (Gemini). Of a whole response that is the part that counts.
    #[must_use]
    pub fn message(&self) -> Value {
        match self.form {
            WireForm::Anthropic => anthropic::message(&self.raw),
            WireForm::OpenAiChat => openai_chat::message(&self.raw),
            WireForm::OpenAiResponses => openai_responses::message(&self.raw),
            WireForm::Gemini => gemini::message(&self.raw),
        }
    }

    /// The calls with what must be known to answer them.
    pub(crate) fn calls_with_kinds(&self) -> impl Iterator<Item = (&ToolUse, CallKind)> {
        self.calls.iter().map(|call| (call, self.kinds.get(&call.id).copied().unwrap_or_default()))
    }
}

/// The kinds of the calls that are not ordinary.
fn special(calls: &[ToolUse], kinds: Vec<CallKind>) -> HashMap<Arc<str>, CallKind> {
    let kinds = calls.iter().map(|call| Arc::clone(&call.id)).zip(kinds);
    kinds.filter(|(_, kind)| *kind != CallKind::Function).collect()
}

/// A call from the text of its input. No text is `{}`; what is no JSON is kept as text.
pub(crate) fn call_of_text(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, text: &str) -> ToolUse {
    if text.trim_ascii().is_empty() {
        return ToolUse::new(id, name, Value::Object(Map::new()));
    }
    match serde_json::from_str(text) {
        Ok(input) => ToolUse::new(id, name, input),
        Err(_) => ToolUse::unreadable(id, name, text),
    }
}

/// Whether the input of a call could be read.
pub(crate) fn is_readable(call: &ToolUse) -> bool {
    matches!(call.input, RawInput::Json(_))
}
