//! The events of the public documents: what a matcher looks at and what a block means.

/// What becomes of an answer that blocks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Block {
    /// The call is refused.
    Denies,
    /// The reason goes to the model; what happened stays.
    TellsModel,
    /// The turn (or what was about to happen) stops; the reason goes to the user.
    Stops,
    /// The event cannot be blocked; the reason goes to the user.
    TellsUser,
    /// Nothing.
    Ignored,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventKind {
    pub(crate) name: &'static str,
    /// Field of the input that a matcher is held against; `None` when matchers are ignored.
    pub(crate) matched: Option<&'static str>,
    pub(crate) block: Block,
}

impl EventKind {
    const fn new(name: &'static str, matched: Option<&'static str>, block: Block) -> Self {
        Self { name, matched, block }
    }

    /// The event of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        EVENTS.iter().find(|event| event.name == name).copied()
    }

    /// Whether a handler may carry an `if`.
    pub(crate) fn has_condition(self) -> bool {
        matches!(
            self.name,
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" | "PermissionDenied"
        )
    }

    /// Whether the call is blocked when a matcher cannot be held against it.
    pub(crate) fn guards(self) -> bool {
        matches!(self.name, "PreToolUse" | "PermissionRequest")
    }

    /// Whether plain text on standard output is for the model.
    pub(crate) fn takes_plain_text(self) -> bool {
        matches!(self.name, "UserPromptSubmit" | "UserPromptExpansion" | "SessionStart")
    }

    /// Whether only `|` separates names in a matcher and blanks or hyphens make it an expression.
    pub(crate) fn has_narrow_names(self) -> bool {
        matches!(self.name, "FileChanged" | "StopFailure")
    }

    /// Default time limit of a command, in seconds.
    pub(crate) fn default_seconds(self) -> f64 {
        match self.name {
            "UserPromptSubmit" => 30.0,
            "MessageDisplay" => 10.0,
            "SessionEnd" => 1.5,
            _ => 600.0,
        }
    }
}

const EVENTS: &[EventKind] = &[
    EventKind::new("PreToolUse", Some("tool_name"), Block::Denies),
    EventKind::new("PermissionRequest", Some("tool_name"), Block::Ignored),
    EventKind::new("PermissionDenied", Some("tool_name"), Block::Ignored),
    EventKind::new("PostToolUse", Some("tool_name"), Block::TellsModel),
    EventKind::new("PostToolUseFailure", Some("tool_name"), Block::TellsModel),
    EventKind::new("PostToolBatch", None, Block::Stops),
    EventKind::new("SessionStart", Some("source"), Block::TellsUser),
    EventKind::new("Setup", Some("trigger"), Block::TellsUser),
    EventKind::new("InstructionsLoaded", Some("load_reason"), Block::Ignored),
    EventKind::new("UserPromptSubmit", None, Block::Stops),
    EventKind::new("UserPromptExpansion", Some("command_name"), Block::Stops),
    EventKind::new("MessageDisplay", None, Block::Ignored),
    EventKind::new("Notification", Some("notification_type"), Block::Ignored),
    EventKind::new("SubagentStart", Some("agent_type"), Block::TellsUser),
    EventKind::new("SubagentStop", Some("agent_type"), Block::TellsModel),
    EventKind::new("TaskCreated", None, Block::Stops),
    EventKind::new("TaskCompleted", None, Block::TellsModel),
    EventKind::new("Stop", None, Block::TellsModel),
    EventKind::new("StopFailure", Some("error"), Block::Ignored),
    EventKind::new("TeammateIdle", None, Block::TellsModel),
    EventKind::new("ConfigChange", Some("source"), Block::Stops),
    EventKind::new("CwdChanged", None, Block::TellsUser),
    EventKind::new("DirectoryAdded", Some("source"), Block::Ignored),
    EventKind::new("FileChanged", Some("file_name"), Block::TellsUser),
    EventKind::new("WorktreeCreate", None, Block::Stops),
    EventKind::new("WorktreeRemove", None, Block::Ignored),
    EventKind::new("PreCompact", Some("trigger"), Block::Stops),
    EventKind::new("PostCompact", Some("trigger"), Block::TellsUser),
    EventKind::new("SessionEnd", Some("reason"), Block::TellsUser),
    EventKind::new("Elicitation", Some("mcp_server_name"), Block::Stops),
    EventKind::new("ElicitationResult", Some("mcp_server_name"), Block::Stops),
];
