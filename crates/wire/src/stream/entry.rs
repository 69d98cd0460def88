//! One call of a stream, and how far it is.

use crate::incoming::CallKind;
use pegboard_tool_core::{RawInput, ToolUse};
use std::sync::Arc;

/// A call of the message that is being read.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) kind: CallKind,
    /// Its input so far.
    pub(super) text: String,
    /// So much of the input was told in an earlier sending of the same message.
    pub(super) told: usize,
    pub(super) state: State,
}

/// How far a call is.
#[derive(Debug)]
pub(super) enum State {
    /// Its input is still coming.
    Open,
    /// Its block ended, but whether its input was cut is not known before what follows.
    Held(ToolUse),
    /// Complete; waits for the calls before it.
    Complete(ToolUse),
    /// Told as ready.
    Ready(ToolUse),
    /// The second call with one id.
    Repeat,
    /// Cut off.
    Dropped,
}

/// A call of an earlier sending of the same message.
#[derive(Debug)]
pub(super) struct Earlier {
    pub(super) name: Arc<str>,
    pub(super) told: usize,
    pub(super) call: Option<ToolUse>,
}

/// Whether two calls ask for the same.
pub(super) fn is_same(one: &ToolUse, other: &ToolUse) -> bool {
    let same_input = match (&one.input, &other.input) {
        (RawInput::Json(one), RawInput::Json(other)) => one == other,
        (RawInput::Unreadable(one), RawInput::Unreadable(other)) => one == other,
        (RawInput::Json(_), RawInput::Unreadable(_)) | (RawInput::Unreadable(_), RawInput::Json(_)) => false,
    };
    one.name == other.name && same_input
}
