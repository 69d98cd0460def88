//! The results of a message's calls, in the form of the message: exactly one a call, in call order.

use crate::incoming::CallKind;
use crate::{IncomingTurn, WireForm, anthropic, gemini, openai_chat, openai_responses};
use pegboard_tool_core::{ToolResult, ToolUse};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The answer to a message. Displays as the JSON of [`ResultMessage::message`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResultMessage {
    /// What is sent: a user message (Anthropic), an array of messages (Chat), an array of input items
    /// (Responses), a content (Gemini).
    pub message: Value,
    /// Ids whose result was left out: the id had one already, or there is no such call. A bug of
    /// whoever ran the calls.
    pub dropped: Vec<Arc<str>>,
    /// Ids that had no result and got an error result that says so. A bug as well.
    pub missing: Vec<Arc<str>>,
    /// Texts that may not stand in this message, because a server tool is open: send them later.
    pub held_back: Vec<String>,
}

impl fmt::Display for ResultMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.message, f)
    }
}

/// A call and its one result.
#[derive(Debug)]
pub(crate) struct Answer<'t> {
    pub(crate) call: &'t ToolUse,
    pub(crate) kind: CallKind,
    pub(crate) result: Cow<'t, ToolResult>,
}

/// Answers `turn` in its form: exactly one result a call, in call order whatever the order of `results`,
/// then `messages` as texts of the user. The request stays valid also when results are missing or too many.
#[must_use]
pub fn encode_results(turn: &IncomingTurn, results: &[ToolResult], messages: &[String]) -> ResultMessage {
    let mut open: HashMap<&str, Option<&ToolResult>> =
        turn.calls.iter().map(|call| (&*call.id, None)).collect();
    let mut dropped = Vec::new();
    for result in results {
        match open.get_mut(&*result.tool_use_id) {
            Some(slot @ None) => *slot = Some(result),
            Some(Some(_)) | None => dropped.push(Arc::clone(&result.tool_use_id)),
        }
    }
    let mut missing = Vec::new();
    let mut answers = Vec::with_capacity(turn.calls.len());
    for (call, kind) in turn.calls_with_kinds() {
        let result = match open.get(&*call.id).copied().flatten() {
            Some(result) => Cow::Borrowed(result),
            None => {
                missing.push(Arc::clone(&call.id));
                let text = "there is no result of this call; it may have run";
                Cow::Owned(ToolResult::error(Arc::clone(&call.id), text))
            }
        };
        answers.push(Answer { call, kind, result });
    }
    let mut texts: Vec<&str> =
        messages.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    let mut held_back = Vec::new();
    if turn.server_tool_open {
        held_back.extend(texts.drain(..).map(str::to_owned));
    }
    let message = match turn.form {
        WireForm::Anthropic => anthropic::encode(&answers, &texts),
        WireForm::OpenAiChat => openai_chat::encode(&answers, &texts),
        WireForm::OpenAiResponses => openai_responses::encode(&answers, &texts),
        WireForm::Gemini => gemini::encode(&answers, &texts, turn.model.as_deref()),
    };
    ResultMessage { message, dropped, missing, held_back }
}
