//! Phase 1: one call as received becomes a readable one. (Finding the calls of a message, with their
//! order and ids, is the scheduler's part of it.)

use crate::refusal::Identity;
use pegboard_tool_core::ports::{Finished, Outcome};
use pegboard_tool_core::{Caller, RawInput, ToolUse};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most characters of unreadable arguments that the model gets back.
const MAX_ECHO_CHARS: usize = 10_000;

/// Proof that the arguments are JSON.
pub(crate) struct Extracted {
    pub(super) id: Arc<str>,
    pub(super) called_as: Arc<str>,
    pub(super) input: Arc<Value>,
    pub(super) caller: Caller,
}

/// Who a received call is, before there is a tool.
pub(crate) fn identity(call: &ToolUse) -> Identity {
    let input = match &call.input {
        RawInput::Json(input) => Arc::clone(input),
        // What is sent back for such a block must be an object.
        RawInput::Unreadable(_) => Arc::new(json!({})),
    };
    Identity { id: Arc::clone(&call.id), tool: Arc::clone(&call.name), input }
}

/// Refuses arguments that are no JSON.
pub(crate) fn extract(call: ToolUse) -> Result<Extracted, Box<Finished>> {
    match call.input {
        RawInput::Json(input) => {
            Ok(Extracted { id: call.id, called_as: call.name, input, caller: call.caller })
        }
        RawInput::Unreadable(ref text) => {
            Err(identity(&call).end(Outcome::Invalid, json!({ "INVALID_JSON": echo(text) }).to_string()))
        }
    }
}

fn echo(text: &str) -> String {
    match text.char_indices().nth(MAX_ECHO_CHARS) {
        None => text.to_owned(),
        Some((cut, _)) => {
            let left_out = text[cut..].chars().count();
            format!("{}[{left_out} characters left out]", &text[..cut])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_arguments_come_back_as_json_made_by_a_library() {
        let finished = extract(ToolUse::unreadable("1", "Read", "{\"a\": ")).err().unwrap();
        assert_eq!(finished.result.joined_text(), r#"{"INVALID_JSON":"{\"a\": "}"#);
        assert_eq!((finished.outcome, finished.result.is_error), (Outcome::Invalid, true));
        let long = "ä".repeat(MAX_ECHO_CHARS + 7);
        let finished = extract(ToolUse::unreadable("1", "Read", long)).err().unwrap();
        let text: Value = serde_json::from_str(&finished.result.joined_text()).unwrap();
        assert!(text["INVALID_JSON"].as_str().unwrap().ends_with("ä[7 characters left out]"));
    }
}
