//! What reads the events of one form.

use super::{Calls, StreamError};
use crate::shape::excerpt;
use crate::surrogate;
use pegboard_tool_core::ports::StopReason;
use serde_json::Value;
use std::fmt::Debug;

/// Whether events are still to come.
#[derive(Debug)]
pub(crate) enum Flow {
    /// They are.
    More,
    /// The message is complete.
    Ended(StopReason),
    /// The event begins another message: this one was dropped and is tried again.
    Another,
}

/// Reads events of one form, keeps the message, tells [`Calls`] about its calls.
pub(crate) trait Machine: Debug + Send {
    /// One event, with the name that its carrier gave it.
    fn event(&mut self, name: Option<&str>, json: &[u8], calls: &mut Calls) -> Result<Flow, StreamError>;

    /// `[DONE]`, the end of an array, or the end of the bytes.
    fn finish(&mut self, calls: &mut Calls) -> Result<Flow, StreamError>;

    /// The message so far, as the API wants it back; `None` before it began.
    fn message(&self, calls: &Calls) -> Option<Value>;

    /// Why it ended, in the API's word.
    fn stop_reason(&self) -> Option<&str>;

    /// The model that writes it.
    fn model(&self) -> Option<&str>;

    /// What it cost so far, as the API says it.
    fn usage(&self) -> Option<&Value>;
}

/// An event as a value.
pub(crate) fn value_of(json: &[u8]) -> Result<Value, StreamError> {
    let read = serde_json::from_slice(json).or_else(|error| {
        let mended = surrogate::mended(json).and_then(|json| serde_json::from_slice(&json).ok());
        mended.ok_or(error)
    });
    read.map_err(|source| {
        let start = json.get(..200).unwrap_or(json);
        StreamError::NotJson { start: excerpt(&String::from_utf8_lossy(start)), source }
    })
}
