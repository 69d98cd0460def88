//! A message on its way in.

use crate::{WireError, WireForm, anthropic};
use pegboard_tool_core::ToolUse;
use serde_json::Value;

/// The calls of a message, and the message itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IncomingTurn {
    /// The calls, in order.
    pub calls: Vec<ToolUse>,
    /// Why the message ended, when it says so, in the API's own words.
    pub stop_reason: Option<String>,
    /// The message as it came, to be sent back unchanged.
    pub message: Value,
}

impl IncomingTurn {
    pub(crate) fn new(calls: Vec<ToolUse>, stop_reason: Option<String>, message: Value) -> Self {
        Self { calls, stop_reason, message }
    }
}

/// Takes the calls out of a message.
///
/// # Errors
/// When it is no JSON, has the wrong shape, no call, or two calls with one id.
pub fn decode(message: &[u8], form: WireForm) -> Result<IncomingTurn, WireError> {
    match form {
        WireForm::Anthropic => anthropic::decode(message),
        WireForm::OpenAiChat | WireForm::OpenAiResponses | WireForm::Gemini => {
            Err(WireError::UnsupportedForm { form })
        }
    }
}

/// Bytes as JSON. A byte order mark is skipped; nesting is bounded by the parser.
pub(crate) fn parse(message: &[u8]) -> Result<Value, WireError> {
    let message = message.strip_prefix(b"\xef\xbb\xbf").unwrap_or(message);
    serde_json::from_slice(message).map_err(|error| WireError::NotJson {
        line: error.line(),
        column: error.column(),
        problem: problem(&error),
    })
}

/// The parser's words without the place, which is said beside them.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
