//! Writes the results of a message's calls: one user message, results first, in call order.

use crate::content::{NO_MESSAGE, is_usual_image, left_out};
use crate::results::Answer;
use pegboard_tool_core::{ResultContent, ToolResult, ToolUse};
use serde_json::{Map, Value, json};

/// The user message with the results of all calls, then `texts`.
pub(crate) fn encode(answers: &[Answer<'_>], texts: &[&str]) -> Value {
    let results = answers.iter().map(|answer| result_block(answer.call, &answer.result));
    let blocks: Vec<Value> = results.chain(texts.iter().map(|text| text_block(text))).collect();
    json!({"role": "user", "content": blocks})
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
        return if result.is_error { NO_MESSAGE.into() } else { "".into() };
    }
    if let [ResultContent::Text(text)] = result.content.as_slice() {
        let blank_error = result.is_error && text.trim().is_empty();
        return if blank_error { NO_MESSAGE.into() } else { text.as_str().into() };
    }
    let blocks: Vec<Value> =
        result.content.iter().filter_map(|content| block(content, result.is_error)).collect();
    if blocks.is_empty() && result.is_error { NO_MESSAGE.into() } else { blocks.into() }
}

fn block(content: &ResultContent, is_error: bool) -> Option<Value> {
    match content {
        ResultContent::Text(text) if text.trim().is_empty() => None,
        ResultContent::Text(text) => Some(text_block(text)),
        ResultContent::Image { media_type, .. } if is_error => {
            Some(text_block(&left_out(media_type, "an error holds text only")))
        }
        ResultContent::Image { media_type, .. } if !is_usual_image(media_type) => {
            Some(text_block(&left_out(media_type, "the API takes PNG, JPEG, GIF and WebP")))
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
