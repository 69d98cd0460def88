//! Events of servers that ask a person.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a server asks.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ElicitationMode {
    /// By a form.
    Form,
    /// By a page.
    Url,
}

/// What is answered.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the protocol of the servers has these three")]
pub enum ElicitationAction {
    /// Yes, with content.
    Accept,
    /// No.
    Decline,
    /// No answer.
    Cancel,
}

impl ElicitationAction {
    /// The word in messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// A server asks a person.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Elicitation {
    /// Which server.
    pub mcp_server_name: String,
    /// What it asks.
    pub message: String,
    /// How.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitationMode>,
    /// The page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Id of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// What the answer must look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_schema: Option<Value>,
}

impl Elicitation {
    /// A question.
    pub fn new(mcp_server_name: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            mcp_server_name: mcp_server_name.into(),
            message: message.into(),
            mode: None,
            url: None,
            elicitation_id: None,
            requested_schema: None,
        }
    }
}

/// An answer for a server is about to be sent.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ElicitationResult {
    /// Which server.
    pub mcp_server_name: String,
    /// What is answered.
    pub action: ElicitationAction,
    /// How it asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitationMode>,
    /// Id of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// The answer's content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
}

impl ElicitationResult {
    /// An answer.
    pub fn new(mcp_server_name: impl Into<String>, action: ElicitationAction) -> Self {
        Self {
            mcp_server_name: mcp_server_name.into(),
            action,
            mode: None,
            elicitation_id: None,
            content: None,
        }
    }
}
