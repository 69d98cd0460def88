//! Events of the session as a whole.

use serde::{Deserialize, Serialize};

/// Why a session begins.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StartSource {
    /// A new one.
    Startup,
    /// An earlier one goes on.
    Resume,
    /// The conversation was cleared.
    Clear,
    /// The conversation was compacted.
    Compact,
    /// It parted from another one.
    Fork,
}

/// A session begins.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionStart {
    /// Why.
    pub source: StartSource,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent that the session runs as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// The session's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
}

impl SessionStart {
    /// A begin for this reason.
    #[must_use]
    pub fn new(source: StartSource) -> Self {
        Self { source, model: None, agent_type: None, session_title: None }
    }
}

/// What is set up.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SetupTrigger {
    /// The first set-up.
    Init,
    /// Upkeep.
    Maintenance,
}

/// The program only sets itself up.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Setup {
    /// What is set up.
    pub trigger: SetupTrigger,
}

impl Setup {
    /// A set-up.
    #[must_use]
    pub fn new(trigger: SetupTrigger) -> Self {
        Self { trigger }
    }
}

/// An instructions file was loaded.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InstructionsLoaded {
    /// The file.
    pub file_path: String,
    /// Which kind of memory it is.
    pub memory_type: String,
    /// Why it was loaded.
    pub load_reason: String,
    /// Patterns of files that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub globs: Option<Vec<String>>,
    /// The file whose use loaded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger_file_path: Option<String>,
    /// The file that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_file_path: Option<String>,
}

impl InstructionsLoaded {
    /// A loaded file.
    pub fn new(
        file_path: impl Into<String>,
        memory_type: impl Into<String>,
        load_reason: impl Into<String>,
    ) -> Self {
        Self {
            file_path: file_path.into(),
            memory_type: memory_type.into(),
            load_reason: load_reason.into(),
            globs: None,
            trigger_file_path: None,
            parent_file_path: None,
        }
    }
}

/// The program wants somebody's attention.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Notification {
    /// The text.
    pub message: String,
    /// A heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is about, such as `permission_prompt` or `idle_prompt`.
    pub notification_type: String,
}

impl Notification {
    /// A notification.
    pub fn new(notification_type: impl Into<String>, message: impl Into<String>) -> Self {
        Self { message: message.into(), title: None, notification_type: notification_type.into() }
    }
}

/// Who wants a compaction.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactTrigger {
    /// A person.
    Manual,
    /// The program.
    Auto,
}

/// The conversation is about to be compacted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PreCompact {
    /// Who wants it.
    pub trigger: CompactTrigger,
    /// What the person said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
}

impl PreCompact {
    /// A compaction that is about to be.
    #[must_use]
    pub fn new(trigger: CompactTrigger) -> Self {
        Self { trigger, custom_instructions: None }
    }
}

/// The conversation was compacted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PostCompact {
    /// Who wanted it.
    pub trigger: CompactTrigger,
    /// What is left of the conversation.
    pub compact_summary: String,
}

impl PostCompact {
    /// A compaction that was.
    pub fn new(trigger: CompactTrigger, compact_summary: impl Into<String>) -> Self {
        Self { trigger, compact_summary: compact_summary.into() }
    }
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The conversation is cleared.
    Clear,
    /// Another session goes on.
    Resume,
    /// The person logged out.
    Logout,
    /// The person left the prompt.
    PromptInputExit,
    /// Anything else.
    Other,
}

/// The session ends.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionEnd {
    /// Why.
    pub reason: EndReason,
}

impl SessionEnd {
    /// An end for this reason.
    #[must_use]
    pub fn new(reason: EndReason) -> Self {
        Self { reason }
    }
}
