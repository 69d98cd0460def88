//! The events of the public documents: what a matcher looks at, what a block means, who may handle them.

use serde_json::{Map, Value};

/// What becomes of an answer that blocks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Block {
    /// The call is refused.
    Denies,
    /// The reason goes to the model; what happened stays.
    TellsModel,
    /// What was about to happen does not; the reason goes to the model, which goes on.
    Continues,
    /// What was about to happen does not; the reason goes to the user.
    Prevents,
    /// The turn stops; the reason goes to the user.
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

    /// Whether `additionalContext` of an answer goes to the model.
    pub(crate) fn takes_context(self) -> bool {
        self.takes_plain_text()
            || matches!(
                self.name,
                "Setup"
                    | "SubagentStart"
                    | "PreToolUse"
                    | "PostToolUse"
                    | "PostToolUseFailure"
                    | "PostToolBatch"
                    | "Stop"
                    | "SubagentStop"
            )
    }

    /// Whether its outcome carries what handlers said that nobody waited for: just before a request to the model.
    pub(crate) fn hears_late(self) -> bool {
        matches!(self.name, "PostToolBatch" | "UserPromptSubmit")
    }

    /// Whether only `|` separates names in a matcher and blanks or hyphens make it an expression.
    pub(crate) fn has_narrow_names(self) -> bool {
        matches!(self.name, "FileChanged" | "StopFailure")
    }

    /// Whether the event belongs to a turn, so that its input has the permission mode.
    pub(crate) fn is_of_turn(self) -> bool {
        self.has_condition()
            || matches!(
                self.name,
                "PostToolBatch"
                    | "UserPromptSubmit"
                    | "UserPromptExpansion"
                    | "Stop"
                    | "SubagentStop"
                    | "TaskCreated"
                    | "TaskCompleted"
                    | "TeammateIdle"
            )
    }

    /// Whether `systemMessage` and `continue` are dropped.
    pub(crate) fn drops_messages(self) -> bool {
        matches!(
            self.name,
            "PreCompact"
                | "PostCompact"
                | "SessionEnd"
                | "ConfigChange"
                | "Elicitation"
                | "ElicitationResult"
                | "WorktreeCreate"
                | "WorktreeRemove"
                | "StopFailure"
                | "Notification"
        )
    }

    /// Whether `continue: false` has no effect.
    pub(crate) fn ignores_continue(self) -> bool {
        self.drops_messages() || matches!(self.name, "TaskCreated" | "CwdChanged")
    }

    /// Whether handlers get a file in which they may leave variables for later commands.
    pub(crate) fn has_env_file(self) -> bool {
        matches!(self.name, "SessionStart" | "Setup" | "CwdChanged" | "FileChanged")
    }

    /// Whether handlers of this type may be attached. Types that are not in the documents may be, everywhere.
    pub(crate) fn takes(self, kind: &str) -> bool {
        match kind {
            "http" => !matches!(self.name, "SessionStart" | "Setup"),
            "prompt" | "agent" => {
                self.has_condition()
                    || matches!(
                        self.name,
                        "PostToolBatch"
                            | "Stop"
                            | "SubagentStop"
                            | "TaskCreated"
                            | "TaskCompleted"
                            | "TeammateIdle"
                            | "UserPromptSubmit"
                            | "UserPromptExpansion"
                    )
            }
            _ => true,
        }
    }

    /// Default time limit of a handler, in seconds.
    pub(crate) fn default_seconds(self, kind: &str) -> f64 {
        match (kind, self.name) {
            ("prompt", _) => 30.0,
            ("agent", _) => 60.0,
            (_, "UserPromptSubmit") => 30.0,
            (_, "MessageDisplay") => 10.0,
            (_, "SessionEnd") => SESSION_END_SECONDS,
            _ => 600.0,
        }
    }

    /// The text that a matcher is held against.
    pub(crate) fn matched_text(self, input: &Map<String, Value>) -> String {
        let field = self.matched.and_then(|field| input.get(field)).and_then(Value::as_str);
        let text = field.unwrap_or_default();
        match self.name {
            // The base name, with either separator.
            "FileChanged" => text.rsplit(['/', '\\']).next().unwrap_or(text).to_owned(),
            _ => text.to_owned(),
        }
    }
}

/// The time that all handlers of `SessionEnd` have together, in seconds, when none asks for more.
pub(crate) const SESSION_END_SECONDS: f64 = 1.5;

pub(crate) const EVENTS: &[EventKind] = &[
    EventKind::new("SessionStart", Some("source"), Block::TellsUser),
    EventKind::new("Setup", Some("trigger"), Block::TellsUser),
    EventKind::new("InstructionsLoaded", Some("load_reason"), Block::Ignored),
    EventKind::new("UserPromptSubmit", None, Block::Prevents),
    EventKind::new("UserPromptExpansion", Some("command_name"), Block::Prevents),
    EventKind::new("MessageDisplay", None, Block::Ignored),
    EventKind::new("PreToolUse", Some("tool_name"), Block::Denies),
    EventKind::new("PermissionRequest", Some("tool_name"), Block::Ignored),
    EventKind::new("PermissionDenied", Some("tool_name"), Block::Ignored),
    EventKind::new("PostToolUse", Some("tool_name"), Block::TellsModel),
    EventKind::new("PostToolUseFailure", Some("tool_name"), Block::TellsModel),
    EventKind::new("PostToolBatch", None, Block::Stops),
    EventKind::new("Notification", Some("notification_type"), Block::Ignored),
    EventKind::new("SubagentStart", Some("agent_type"), Block::TellsUser),
    EventKind::new("SubagentStop", Some("agent_type"), Block::Continues),
    EventKind::new("TaskCreated", None, Block::Continues),
    EventKind::new("TaskCompleted", None, Block::Continues),
    EventKind::new("Stop", None, Block::Continues),
    EventKind::new("StopFailure", Some("error"), Block::Ignored),
    EventKind::new("TeammateIdle", None, Block::Continues),
    EventKind::new("ConfigChange", Some("source"), Block::Prevents),
    EventKind::new("CwdChanged", None, Block::TellsUser),
    EventKind::new("DirectoryAdded", Some("source"), Block::Ignored),
    EventKind::new("FileChanged", Some("file_path"), Block::TellsUser),
    EventKind::new("WorktreeCreate", None, Block::Prevents),
    EventKind::new("WorktreeRemove", None, Block::Ignored),
    EventKind::new("PreCompact", Some("trigger"), Block::Prevents),
    EventKind::new("PostCompact", Some("trigger"), Block::TellsUser),
    EventKind::new("SessionEnd", Some("reason"), Block::TellsUser),
    EventKind::new("Elicitation", Some("mcp_server_name"), Block::Prevents),
    EventKind::new("ElicitationResult", Some("mcp_server_name"), Block::Prevents),
];
