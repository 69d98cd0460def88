//! What can be wrong with a message. Its text is foreign: what is shown of it is cut and escaped.

use crate::{MAX_BYTES, MAX_CALLS, WireForm};

/// A message cannot be read. Nothing of it may be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// There is nothing.
    #[error("the message is empty; give {ACCEPTED}")]
    Empty,
    /// It is larger than [`MAX_BYTES`].
    #[error("the message has {bytes} bytes, more than {MAX_BYTES}; give one message of a model")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is no JSON, or nested deeper than 127 levels.
    #[error(
        "the message, which begins with `{start}`, is not JSON at line {line}, column {column}; give {ACCEPTED}"
    )]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Byte in the line, from 1.
        column: usize,
        /// The first characters, escaped.
        start: String,
        /// What is wrong there.
        source: serde_json::Error,
    },
    /// It is JSON of no form that is known.
    #[error("the message is {found}; give {ACCEPTED}")]
    UnknownForm {
        /// What it is, in words.
        found: String,
    },
    /// It is no assistant message.
    #[error("{place} is {found}; expected {expected}")]
    Shape {
        /// Where, such as `content[2].id`.
        place: String,
        /// What stands there, in words.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// It asks for no tool.
    #[error("the message has no tool calls; give one with at least one {}", form.call_block())]
    NoCalls {
        /// Form that it was read in.
        form: WireForm,
    },
    /// It asks for more than [`MAX_CALLS`] tools.
    #[error("the message has {found} tool calls, more than {MAX_CALLS}; nothing of it is run")]
    TooManyCalls {
        /// How many.
        found: usize,
    },
    /// Calls share an id, so that their results could not be told apart.
    #[error("the id `{id}` stands for more than one call; give each call an id of its own")]
    DuplicateId {
        /// The first such id, escaped and cut.
        id: String,
    },
}

/// What is accepted.
pub(crate) const ACCEPTED: &str =
    "an assistant message, a whole API response or an array of `tool_use` blocks";
