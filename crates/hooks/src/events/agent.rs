//! Events of agents that begin and end.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Work that goes on beside the agent.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BackgroundTask {
    /// Its id.
    pub id: String,
    /// What kind of work.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it stands.
    pub status: String,
    /// In words, at most 1,000 characters.
    pub description: String,
    /// What only this kind has: `command`, `agent_type`, `server`, `tool`, `name`.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl BackgroundTask {
    /// Work of a kind.
    pub fn new(
        id: impl Into<String>,
        kind: impl Into<String>,
        status: impl Into<String>,
        description: &str,
    ) -> Self {
        let description = description.chars().take(1_000).collect();
        Self { id: id.into(), kind: kind.into(), status: status.into(), description, more: Map::new() }
    }
}

/// Something that the session does at times.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionCron {
    /// Its id.
    pub id: String,
    /// When.
    pub schedule: String,
    /// Whether more than once.
    pub recurring: bool,
    /// What it asks for.
    pub prompt: String,
}

impl SessionCron {
    /// A plan.
    pub fn new(
        id: impl Into<String>,
        schedule: impl Into<String>,
        recurring: bool,
        prompt: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), schedule: schedule.into(), recurring, prompt: prompt.into() }
    }
}

/// The main agent has finished answering.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stop {
    /// Whether it goes on already because of such a hook.
    pub stop_hook_active: bool,
    /// What it said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_assistant_message: Option<String>,
    /// Work that goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_tasks: Option<Vec<BackgroundTask>>,
    /// What the session does at times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_crons: Option<Vec<SessionCron>>,
}

impl Stop {
    /// A stop.
    #[must_use]
    pub fn new(stop_hook_active: bool) -> Self {
        Self { stop_hook_active, last_assistant_message: None, background_tasks: None, session_crons: None }
    }
}

/// What made the API fail.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopError {
    /// Too many requests.
    RateLimit,
    /// The service is overloaded.
    Overloaded,
    /// The key is not accepted.
    AuthenticationFailed,
    /// The organisation does not allow this way in.
    OauthOrgNotAllowed,
    /// The account cannot pay.
    BillingError,
    /// The request is wrong.
    InvalidRequest,
    /// There is no such model.
    ModelNotFound,
    /// The service failed.
    ServerError,
    /// The answer was too long.
    MaxOutputTokens,
    /// The account is on hold.
    AccountOnHold,
    /// The credentials of a cloud are wrong.
    CloudCredentialError,
    /// Anything else.
    Unknown,
}

/// A turn ended by an error of the API.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StopFailure {
    /// What made it fail.
    pub error: StopError,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_details: Option<String>,
    /// The text of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_assistant_message: Option<String>,
}

impl StopFailure {
    /// A failure.
    #[must_use]
    pub fn new(error: StopError) -> Self {
        Self { error, error_details: None, last_assistant_message: None }
    }
}

/// A subagent begins.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SubagentStart {
    /// Its id.
    #[serde(default)]
    pub agent_id: String,
    /// What it is.
    pub agent_type: String,
}

impl SubagentStart {
    /// A subagent.
    pub fn new(agent_id: impl Into<String>, agent_type: impl Into<String>) -> Self {
        Self { agent_id: agent_id.into(), agent_type: agent_type.into() }
    }
}

/// A subagent has finished.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SubagentStop {
    /// Whether it goes on already because of such a hook.
    pub stop_hook_active: bool,
    /// Its id.
    #[serde(default)]
    pub agent_id: String,
    /// What it is.
    pub agent_type: String,
    /// Its own transcript.
    #[serde(default)]
    pub agent_transcript_path: String,
    /// What it said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_assistant_message: Option<String>,
    /// Work that goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_tasks: Option<Vec<BackgroundTask>>,
    /// What the session does at times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_crons: Option<Vec<SessionCron>>,
}

impl SubagentStop {
    /// A stop.
    pub fn new(
        stop_hook_active: bool,
        agent_id: impl Into<String>,
        agent_type: impl Into<String>,
        agent_transcript_path: impl Into<String>,
    ) -> Self {
        Self {
            stop_hook_active,
            agent_id: agent_id.into(),
            agent_type: agent_type.into(),
            agent_transcript_path: agent_transcript_path.into(),
            last_assistant_message: None,
            background_tasks: None,
            session_crons: None,
        }
    }
}
