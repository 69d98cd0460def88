//! Writes the results of a message's calls: one user message, results first, in call order.

use crate::IncomingTurn;
use pegboard_tool_core::{ResultContent, ToolResult, ToolUse};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The answer to a message. Displays as the JSON of [`ResultMessage::message`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResultMessage {
    /// The user message.
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

/// Answers `turn`: exactly one result a call, in call order whatever the order of `results`, then
/// `messages` as text blocks. The request stays valid also when results are missing or too many.
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
    let mut blocks = Vec::with_capacity(turn.calls.len() + messages.len());
    for call in &turn.calls {
        let result = open.get(&*call.id).copied().flatten();
        blocks.push(match result {
            Some(result) => result_block(call, result),
            None => {
                missing.push(Arc::clone(&call.id));
                let text = "there is no result of this call; it may have run";
                result_block(call, &ToolResult::error(Arc::clone(&call.id), text))
            }
        });
    }
    let texts = messages.iter().filter(|text| !text.trim().is_empty());
    let mut held_back = Vec::new();
    if turn.server_tool_open {
        held_back.extend(texts.cloned());
    } else {
        blocks.extend(texts.map(|text| text_block(text)));
    }
    ResultMessage { message: json!({"role": "user", "content": blocks}), dropped, missing, held_back }
}

fn result_block(call: &ToolUse, result: &ToolResult) -> Value {
    let mut block = Map::new();
    block.insert("type".to_owned(), "tool_result".into());
    block.insert("tool_use_id".to_owned(), (*call.id).into());
    if let Some(toolset) = call.extra.get("toolset_name") {
        block.insert("toolset_name".to_owned(), toolset.clone());
    }
    block.insert("content".to_owned(), content(result));
    if result.is_error {
        block.insert("is_error".to_owned(), true.into());
    }
    Value::Object(block)
}

/// A single text as a string, anything else as blocks. The API refuses blank text blocks, empty
/// error results, and anything but text in error results.
fn content(result: &ToolResult) -> Value {
    if result.content.is_empty() {
        return if result.is_error { "the call failed without a message".into() } else { "".into() };
    }
    if let [ResultContent::Text(text)] = result.content.as_slice() {
        let blank_error = result.is_error && text.trim().is_empty();
        return if blank_error { "the call failed without a message".into() } else { text.as_str().into() };
    }
    let blocks: Vec<Value> =
        result.content.iter().filter_map(|content| block(content, result.is_error)).collect();
    if blocks.is_empty() && result.is_error {
        "the call failed without a message".into()
    } else {
        blocks.into()
    }
}

fn block(content: &ResultContent, is_error: bool) -> Option<Value> {
    match content {
        ResultContent::Text(text) if text.trim().is_empty() => None,
        ResultContent::Text(text) => Some(text_block(text)),
        ResultContent::Image { media_type, .. } if is_error => {
            Some(text_block(&format!("[an image ({media_type}) is left out: an error holds text only]")))
        }
        ResultContent::Image { media_type, data } => {
            let source = json!({"type": "base64", "media_type": media_type, "data": &**data});
            Some(json!({"type": "image", "source": source}))
        }
        ResultContent::Other(other)
            if is_error && other.get("type").and_then(Value::as_str) != Some("text") =>
        {
            let kind = other.get("type").and_then(Value::as_str).unwrap_or("unknown");
            Some(text_block(&format!("[a block ({kind}) is left out: an error holds text only]")))
        }
        ResultContent::Other(other) => Some(other.clone()),
    }
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
