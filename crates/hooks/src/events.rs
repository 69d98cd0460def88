//! The input of every event, typed, with the field names of the public documents.
//!
//! A host makes an [`Event`] and fires it with [`crate::Hooks::fire_event`]; JSON from elsewhere becomes one by
//! [`Event::read`], which says what is wrong with it. Fields that are not known here pass through to the handlers.

mod agent;
mod elicitation;
mod read;
mod session;
mod task;
mod tool;
mod turn;
mod workspace;

pub use agent::{BackgroundTask, SessionCron, Stop, StopError, StopFailure, SubagentStart, SubagentStop};
pub use elicitation::{Elicitation, ElicitationAction, ElicitationMode, ElicitationResult};
pub use read::EventError;
pub use session::{
    CompactTrigger, EndReason, InstructionsLoaded, Notification, PostCompact, PreCompact, SessionEnd,
    SessionStart, Setup, SetupTrigger, StartSource,
};
pub use task::{TaskCompleted, TaskCreated, TeammateIdle};
pub use tool::{
    PermissionDenied, PermissionRequest, PostToolBatch, PostToolUse, PostToolUseFailure, PreToolUse,
    ResolvedCall,
};
pub use turn::{ExpansionType, MessageDisplay, UserPromptExpansion, UserPromptSubmit};
pub use workspace::{
    ChangeKind, ConfigChange, ConfigSource, CwdChanged, DirectoryAdded, FileChanged, WorktreeCreate,
    WorktreeRemove,
};

use serde_json::{Map, Value};

/// The input of one event.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Event {
    /// A session begins.
    SessionStart(SessionStart),
    /// The program only sets itself up.
    Setup(Setup),
    /// An instructions file was loaded.
    InstructionsLoaded(InstructionsLoaded),
    /// A prompt is about to be processed.
    UserPromptSubmit(UserPromptSubmit),
    /// A typed command is about to expand.
    UserPromptExpansion(UserPromptExpansion),
    /// Text of the assistant is shown.
    MessageDisplay(MessageDisplay),
    /// A call is complete and valid; rules have not looked yet.
    PreToolUse(PreToolUse),
    /// A question is about to be put.
    PermissionRequest(PermissionRequest),
    /// The classifier refused a call.
    PermissionDenied(PermissionDenied),
    /// A call succeeded.
    PostToolUse(PostToolUse),
    /// A call started and failed.
    PostToolUseFailure(PostToolUseFailure),
    /// All calls of a message are resolved.
    PostToolBatch(PostToolBatch),
    /// The program wants somebody's attention.
    Notification(Notification),
    /// A subagent begins.
    SubagentStart(SubagentStart),
    /// A subagent has finished.
    SubagentStop(SubagentStop),
    /// A task is made.
    TaskCreated(TaskCreated),
    /// A task is called complete.
    TaskCompleted(TaskCompleted),
    /// The main agent has finished answering.
    Stop(Stop),
    /// A turn ended by an error of the API.
    StopFailure(StopFailure),
    /// A teammate is about to be idle.
    TeammateIdle(TeammateIdle),
    /// A settings file changed.
    ConfigChange(ConfigChange),
    /// The working directory changed.
    CwdChanged(CwdChanged),
    /// A directory was added.
    DirectoryAdded(DirectoryAdded),
    /// A watched file changed.
    FileChanged(FileChanged),
    /// A worktree is needed.
    WorktreeCreate(WorktreeCreate),
    /// A worktree is removed.
    WorktreeRemove(WorktreeRemove),
    /// The conversation is about to be compacted.
    PreCompact(PreCompact),
    /// The conversation was compacted.
    PostCompact(PostCompact),
    /// The session ends.
    SessionEnd(SessionEnd),
    /// A server asks a person.
    Elicitation(Elicitation),
    /// An answer for a server is about to be sent.
    ElicitationResult(ElicitationResult),
}

impl Event {
    /// Every name, in the order of the public documents.
    pub fn names() -> impl Iterator<Item = &'static str> {
        crate::event::EVENTS.iter().map(|event| event.name)
    }

    /// The name in settings and messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStart(_) => "SessionStart",
            Self::Setup(_) => "Setup",
            Self::InstructionsLoaded(_) => "InstructionsLoaded",
            Self::UserPromptSubmit(_) => "UserPromptSubmit",
            Self::UserPromptExpansion(_) => "UserPromptExpansion",
            Self::MessageDisplay(_) => "MessageDisplay",
            Self::PreToolUse(_) => "PreToolUse",
            Self::PermissionRequest(_) => "PermissionRequest",
            Self::PermissionDenied(_) => "PermissionDenied",
            Self::PostToolUse(_) => "PostToolUse",
            Self::PostToolUseFailure(_) => "PostToolUseFailure",
            Self::PostToolBatch(_) => "PostToolBatch",
            Self::Notification(_) => "Notification",
            Self::SubagentStart(_) => "SubagentStart",
            Self::SubagentStop(_) => "SubagentStop",
            Self::TaskCreated(_) => "TaskCreated",
            Self::TaskCompleted(_) => "TaskCompleted",
            Self::Stop(_) => "Stop",
            Self::StopFailure(_) => "StopFailure",
            Self::TeammateIdle(_) => "TeammateIdle",
            Self::ConfigChange(_) => "ConfigChange",
            Self::CwdChanged(_) => "CwdChanged",
            Self::DirectoryAdded(_) => "DirectoryAdded",
            Self::FileChanged(_) => "FileChanged",
            Self::WorktreeCreate(_) => "WorktreeCreate",
            Self::WorktreeRemove(_) => "WorktreeRemove",
            Self::PreCompact(_) => "PreCompact",
            Self::PostCompact(_) => "PostCompact",
            Self::SessionEnd(_) => "SessionEnd",
            Self::Elicitation(_) => "Elicitation",
            Self::ElicitationResult(_) => "ElicitationResult",
        }
    }

    /// The fields beside the common ones, as handlers read them.
    #[must_use]
    pub fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            // Every variant is a struct of plain values.
            _ => Map::new(),
        }
    }
}
