//! Events of tool calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call is complete and valid; rules have not looked yet.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PreToolUse {
    /// Canonical name of the tool.
    pub tool_name: String,
    /// The input; paths in it are absolute.
    pub tool_input: Value,
    /// Id of the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool_use_id: String,
}

impl PreToolUse {
    /// A call.
    pub fn new(tool_name: impl Into<String>, tool_input: Value, tool_use_id: impl Into<String>) -> Self {
        Self { tool_name: tool_name.into(), tool_input, tool_use_id: tool_use_id.into() }
    }
}

/// A question is about to be put.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// Canonical name of the tool.
    pub tool_name: String,
    /// The input that would run.
    pub tool_input: Value,
    /// Permission updates that would answer such questions from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_suggestions: Option<Vec<Value>>,
}

impl PermissionRequest {
    /// A question about a call.
    pub fn new(tool_name: impl Into<String>, tool_input: Value) -> Self {
        Self { tool_name: tool_name.into(), tool_input, permission_suggestions: None }
    }
}

/// The classifier refused a call.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PermissionDenied {
    /// Canonical name of the tool.
    pub tool_name: String,
    /// The input.
    pub tool_input: Value,
    /// Id of the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool_use_id: String,
    /// Why.
    pub reason: String,
}

impl PermissionDenied {
    /// A refused call.
    pub fn new(
        tool_name: impl Into<String>,
        tool_input: Value,
        tool_use_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        let (tool_name, tool_use_id) = (tool_name.into(), tool_use_id.into());
        Self { tool_name, tool_input, tool_use_id, reason: reason.into() }
    }
}

/// A call succeeded.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PostToolUse {
    /// Canonical name of the tool.
    pub tool_name: String,
    /// The input.
    pub tool_input: Value,
    /// The structured output.
    pub tool_response: Value,
    /// Id of the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool_use_id: String,
    /// How long it ran, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl PostToolUse {
    /// A call and its output.
    pub fn new(
        tool_name: impl Into<String>,
        tool_input: Value,
        tool_response: Value,
        tool_use_id: impl Into<String>,
    ) -> Self {
        let (tool_name, tool_use_id) = (tool_name.into(), tool_use_id.into());
        Self { tool_name, tool_input, tool_response, tool_use_id, duration_ms: None }
    }
}

/// A call started and failed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PostToolUseFailure {
    /// Canonical name of the tool.
    pub tool_name: String,
    /// The input.
    pub tool_input: Value,
    /// Id of the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool_use_id: String,
    /// What the model reads.
    pub error: String,
    /// Whether a person interrupted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_interrupt: Option<bool>,
    /// How long it ran, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl PostToolUseFailure {
    /// A call and what went wrong.
    pub fn new(
        tool_name: impl Into<String>,
        tool_input: Value,
        tool_use_id: impl Into<String>,
        error: impl Into<String>,
    ) -> Self {
        Self {
            tool_name: tool_name.into(),
            tool_input,
            tool_use_id: tool_use_id.into(),
            error: error.into(),
            is_interrupt: None,
            duration_ms: None,
        }
    }
}

/// One call of a batch.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResolvedCall {
    /// Canonical name of the tool.
    pub tool_name: String,
    /// The input.
    pub tool_input: Value,
    /// Id of the call.
    pub tool_use_id: String,
    /// The result as the model reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_response: Option<Value>,
}

impl ResolvedCall {
    /// A resolved call.
    pub fn new(tool_name: impl Into<String>, tool_input: Value, tool_use_id: impl Into<String>) -> Self {
        let (tool_name, tool_use_id) = (tool_name.into(), tool_use_id.into());
        Self { tool_name, tool_input, tool_use_id, tool_response: None }
    }
}

/// All calls of a message are resolved.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PostToolBatch {
    /// The calls, in their order.
    pub tool_calls: Vec<ResolvedCall>,
}

impl PostToolBatch {
    /// The calls of a message.
    #[must_use]
    pub fn new(tool_calls: Vec<ResolvedCall>) -> Self {
        Self { tool_calls }
    }
}
