//! From results to the user message that answers.

use pegboard_tool_core::{ResultContent, ToolResult, ToolUse};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The one user message that answers `calls`: their results first, in the order given, then
/// `messages` as text blocks. Of two results for one id the first stands.
#[must_use]
pub fn encode_results(calls: &[ToolUse], results: &[ToolResult], messages: &[String]) -> Value {
    let mut answered = HashSet::new();
    let mut content: Vec<Value> = Vec::with_capacity(results.len() + messages.len());
    for result in results.iter().filter(|result| answered.insert(&result.tool_use_id)) {
        let call = calls.iter().find(|call| call.id == result.tool_use_id);
        content.push(encode_result(call, result));
    }
    let texts = messages.iter().filter(|text| !text.is_empty());
    content.extend(texts.map(|text| json!({"type": "text", "text": text})));
    json!({"role": "user", "content": content})
}

/// One `tool_result` block. The `toolset_name` of its call is repeated.
#[must_use]
pub fn encode_result(call: Option<&ToolUse>, result: &ToolResult) -> Value {
    let mut block = Map::new();
    block.insert("type".to_owned(), json!("tool_result"));
    block.insert("tool_use_id".to_owned(), json!(&*result.tool_use_id));
    match result.content.as_slice() {
        [] => {}
        [ResultContent::Text(text)] => {
            block.insert("content".to_owned(), json!(text));
        }
        many => {
            block.insert("content".to_owned(), many.iter().map(encode_content).collect());
        }
    }
    if result.is_error {
        block.insert("is_error".to_owned(), json!(true));
    }
    if let Some(toolset) = call.and_then(|call| call.extra.get("toolset_name")) {
        block.insert("toolset_name".to_owned(), toolset.clone());
    }
    Value::Object(block)
}

fn encode_content(content: &ResultContent) -> Value {
    match content {
        ResultContent::Text(text) => json!({"type": "text", "text": text}),
        ResultContent::Image { media_type, data } => {
            json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": &**data}})
        }
        ResultContent::Other(block) => block.clone(),
    }
}
