//! What can go wrong with a call: a kind, whose turn it is, and two texts, one for the operator and
//! one for the model. The model's text never holds paths or secrets from the cause.

use std::borrow::Cow;

/// What kind of failure a call ended with.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "whoever reacts to a kind must see a new one")]
pub enum ErrorKind {
    /// The input is wrong in a way that the schema cannot say.
    InvalidInput,
    /// What the call is about is not there.
    NotFound,
    /// The state of the world changed since the call was made up or approved.
    Conflict,
    /// The system or a rule does not let us.
    Forbidden,
    /// The time limit was reached.
    TimedOut,
    /// The call was cancelled.
    Cancelled,
    /// A command or a remote side failed, and says so in its own words.
    Failed,
    /// Something needed is missing or down.
    Unavailable,
    /// A defect of ours, a panic among them.
    Bug,
}

/// Who can do something about a failure.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "whoever reacts to it must see a new one")]
pub enum WhoseTurn {
    /// The model: change the call.
    Model,
    /// The operator: change a file, a setting, the machine.
    Operator,
    /// The program that embeds us: wrong use of the interface.
    Host,
    /// Us: a bug.
    Us,
}

/// A call failed.
#[derive(Debug, thiserror::Error)]
#[error("{operator_text}")]
#[non_exhaustive]
pub struct ToolError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// Who can do something about it.
    pub turn: WhoseTurn,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Text for people who run the program.
    pub operator_text: Cow<'static, str>,
    /// Text for the model.
    pub model_text: Cow<'static, str>,
    /// The cause.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl ToolError {
    /// A failure with one text for both, which must hold nothing that the model may not see.
    pub fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        let (turn, retryable) = match kind {
            ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::Failed => (WhoseTurn::Model, false),
            ErrorKind::Conflict => (WhoseTurn::Model, true),
            ErrorKind::Forbidden => (WhoseTurn::Operator, false),
            ErrorKind::TimedOut | ErrorKind::Unavailable => (WhoseTurn::Operator, true),
            ErrorKind::Cancelled => (WhoseTurn::Host, true),
            ErrorKind::Bug => (WhoseTurn::Us, false),
        };
        Self { kind, turn, retryable, operator_text: text.clone(), model_text: text, source: None }
    }

    /// The command or the remote side failed; `text` is what the model reads.
    pub fn failed(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Failed, text)
    }

    /// The call was cancelled.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "the call was interrupted")
    }

    /// The same failure with another text for the operator.
    #[must_use]
    pub fn with_operator_text(self, text: impl Into<Cow<'static, str>>) -> Self {
        Self { operator_text: text.into(), ..self }
    }

    /// The same failure with its cause; the cause is never shown to the model.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }
}

/// One thing that is wrong with an input.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// JSON pointer into the input, empty for the whole.
    pub path: String,
    /// What is wrong, what was given and what is expected.
    pub message: String,
}

impl Violation {
    /// A violation at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// An input does not fit; nothing ran. `text` is made for the model.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{text}")]
#[non_exhaustive]
pub struct InvalidInput {
    /// The whole explanation.
    pub text: String,
    /// The single violations, maybe empty where only the text says it.
    pub violations: Vec<Violation>,
}

impl InvalidInput {
    /// An explanation without single violations.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), violations: Vec::new() }
    }

    /// An explanation with its violations.
    pub fn with_violations(text: impl Into<String>, violations: Vec<Violation>) -> Self {
        Self { text: text.into(), violations }
    }
}
