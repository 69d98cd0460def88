//! Events of a prompt and of what is shown.

use serde::{Deserialize, Serialize};

/// A prompt is about to be processed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UserPromptSubmit {
    /// What the person wrote.
    pub prompt: String,
    /// The session's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
}

impl UserPromptSubmit {
    /// A prompt.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), session_title: None }
    }
}

/// What expands.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExpansionType {
    /// A typed command.
    SlashCommand,
    /// A prompt of a server.
    McpPrompt,
}

/// A typed command is about to expand.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UserPromptExpansion {
    /// What expands.
    pub expansion_type: ExpansionType,
    /// Name of the command.
    pub command_name: String,
    /// What stood after the name.
    pub command_args: String,
    /// Where the command is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_source: Option<String>,
    /// What the person wrote.
    pub prompt: String,
}

impl UserPromptExpansion {
    /// An expansion.
    pub fn new(
        expansion_type: ExpansionType,
        command_name: impl Into<String>,
        command_args: impl Into<String>,
        prompt: impl Into<String>,
    ) -> Self {
        Self {
            expansion_type,
            command_name: command_name.into(),
            command_args: command_args.into(),
            command_source: None,
            prompt: prompt.into(),
        }
    }
}

/// Text of the assistant is shown.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MessageDisplay {
    /// The turn.
    pub turn_id: String,
    /// The message.
    pub message_id: String,
    /// Number of this piece in the message.
    pub index: u64,
    /// Whether it is the last one.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// The text.
    pub delta: String,
}

impl MessageDisplay {
    /// A piece of text.
    pub fn new(
        turn_id: impl Into<String>,
        message_id: impl Into<String>,
        index: u64,
        is_final: bool,
        delta: impl Into<String>,
    ) -> Self {
        Self { turn_id: turn_id.into(), message_id: message_id.into(), index, is_final, delta: delta.into() }
    }
}
