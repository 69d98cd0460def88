//! What a call gives back: data, and what follows from it.

use crate::{ContextChange, ResultContent};
use serde_json::Value;

/// Result of [`crate::Tool::call`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolOutput<T> {
    /// The structured output.
    pub data: T,
    /// Texts for the conversation, after the results.
    pub new_messages: Vec<String>,
    /// A change for the calls after this one; only honoured from an exclusive call.
    pub context_change: Option<ContextChange>,
    /// `_meta` of an MCP result, passed on.
    pub mcp_meta: Option<Value>,
}

impl<T> ToolOutput<T> {
    /// Data and nothing else.
    pub fn new(data: T) -> Self {
        Self { data, new_messages: Vec::new(), context_change: None, mcp_meta: None }
    }

    /// The same output with a change of the context.
    #[must_use]
    pub fn with_change(self, change: ContextChange) -> Self {
        Self { context_change: Some(change), ..self }
    }

    /// The same output with a text for the conversation.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.new_messages.push(message.into());
        self
    }
}

/// Result of [`crate::Invocation::call`]: the output as JSON, and as what the model reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RawOutput {
    /// The structured output, as hooks see it (`tool_response`).
    pub data: Value,
    /// What the model reads.
    pub content: Vec<ResultContent>,
    /// Whether the model reads it as a failure (an MCP tool may say so itself).
    pub is_error: bool,
    /// Texts for the conversation, after the results.
    pub new_messages: Vec<String>,
    /// A change for the calls after this one.
    pub context_change: Option<ContextChange>,
    /// `_meta` of an MCP result.
    pub mcp_meta: Option<Value>,
}

impl RawOutput {
    /// An output of data and content.
    #[must_use]
    pub fn new(data: Value, content: Vec<ResultContent>) -> Self {
        Self {
            data,
            content,
            is_error: false,
            new_messages: Vec::new(),
            context_change: None,
            mcp_meta: None,
        }
    }
}
