//! The answer to a call, as the model sees it.

use serde_json::Value;
use std::sync::Arc;

/// Exactly one of these answers each [`crate::ToolUse`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// Id of the call, as received.
    pub tool_use_id: Arc<str>,
    /// What the model reads, in order. May be empty.
    pub content: Vec<ResultContent>,
    /// Whether the call failed, was refused or did not run.
    pub is_error: bool,
}

impl ToolResult {
    /// A result.
    pub fn new(tool_use_id: impl Into<Arc<str>>, content: Vec<ResultContent>) -> Self {
        Self { tool_use_id: tool_use_id.into(), content, is_error: false }
    }

    /// A result of one text.
    pub fn text(tool_use_id: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Self::new(tool_use_id, vec![ResultContent::Text(text.into())])
    }

    /// An error result of one text.
    pub fn error(tool_use_id: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(tool_use_id, text) }
    }

    /// All texts of the result, joined by newlines.
    #[must_use]
    pub fn joined_text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            ResultContent::Text(text) => Some(text.as_str()),
            ResultContent::Image { .. } | ResultContent::Other(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// One block of a result.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "what is not known is `Other`")]
pub enum ResultContent {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// The bytes in base64.
        data: Arc<str>,
    },
    /// A block of another kind, passed through unchanged.
    Other(Value),
}

impl ResultContent {
    /// Characters of text in the block.
    #[must_use]
    pub fn chars(&self) -> usize {
        match self {
            Self::Text(text) => text.chars().count(),
            Self::Image { .. } | Self::Other(_) => 0,
        }
    }
}
