//! Which host sent an event, told by its top-level fields only: everything below `tool_input` is the model's.

use crate::fault::FaultKind;
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;

/// An agent that can be guarded.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "each host has its own events and answers")]
pub enum Host {
    /// Claude Code, and agents that copy its events.
    Claude,
    /// Gemini CLI.
    Gemini,
    /// Codex CLI.
    Codex,
}

impl Host {
    /// Every host.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Gemini, Self::Codex];

    /// The name on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Codex => "codex",
        }
    }

    /// The name that its users know.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Gemini => "Gemini CLI",
            Self::Codex => "Codex",
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text names no host.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{given}` is no agent that can be guarded; use claude, gemini or codex")]
#[non_exhaustive]
pub struct UnknownHost {
    /// What was given.
    pub given: String,
}

impl FromStr for Host {
    type Err = UnknownHost;

    fn from_str(text: &str) -> Result<Self, UnknownHost> {
        let found = Self::ALL.into_iter().find(|host| host.as_str() == text);
        found.ok_or_else(|| UnknownHost { given: text.to_owned() })
    }
}

/// At which point the host asks.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "each point has its own answers")]
pub enum Gate {
    /// Before a call: `PreToolUse`, in Gemini CLI `BeforeTool`.
    PreToolUse,
    /// Before a person is asked: `PermissionRequest`.
    PermissionRequest,
}

/// What the top-level fields say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sender {
    /// A host that waits for an answer.
    Gate(Host, Gate),
    /// An event at which nothing is decided.
    NoGate,
}

/// Events that are no gates, of whatever host.
const NO_GATES: [&str; 38] = [
    "AfterAgent",
    "AfterModel",
    "AfterTool",
    "BeforeAgent",
    "BeforeModel",
    "BeforeToolSelection",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "Notification",
    "PermissionDenied",
    "PostCompact",
    "PostModelSwitch",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PreCompress",
    "PreModelSwitch",
    "SessionEnd",
    "SessionStart",
    "Setup",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "UserPromptSubmit",
    "WorktreeCreate",
    "WorktreeRemove",
];

/// Who sent `event`.
pub(crate) fn sender(event: &Map<String, Value>) -> Result<Sender, FaultKind> {
    let Some(name) = event.get("hook_event_name").and_then(Value::as_str) else {
        return Err(FaultKind::NoEventName);
    };
    let gate = match name {
        "BeforeTool" => return Ok(Sender::Gate(Host::Gemini, Gate::PreToolUse)),
        "PreToolUse" => Gate::PreToolUse,
        "PermissionRequest" => Gate::PermissionRequest,
        _ if NO_GATES.contains(&name) => return Ok(Sender::NoGate),
        _ => return Err(FaultKind::UnknownEvent { name: name.to_owned() }),
    };
    match (event.get("turn_id"), event.get("model")) {
        (Some(Value::String(_)), Some(Value::String(_))) => Ok(Sender::Gate(Host::Codex, gate)),
        (None, None) => Ok(Sender::Gate(Host::Claude, gate)),
        _ => Err(FaultKind::HalfCodex),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(event: Value) -> Result<Sender, FaultKind> {
        sender(event.as_object().unwrap())
    }

    #[test]
    fn only_top_level_fields_tell_the_host() {
        let codex = json!({"hook_event_name": "PreToolUse", "turn_id": "t", "model": "m"});
        assert_eq!(of(codex), Ok(Sender::Gate(Host::Codex, Gate::PreToolUse)));
        let claude = json!({"hook_event_name": "PreToolUse", "tool_input": {"turn_id": "t", "model": "m"}});
        assert_eq!(of(claude), Ok(Sender::Gate(Host::Claude, Gate::PreToolUse)));
        let gemini = json!({"hook_event_name": "BeforeTool", "turn_id": "t"});
        assert_eq!(of(gemini), Ok(Sender::Gate(Host::Gemini, Gate::PreToolUse)));
    }

    #[test]
    fn one_of_the_two_fields_is_nobody() {
        for event in [
            json!({"hook_event_name": "PreToolUse", "turn_id": "t"}),
            json!({"hook_event_name": "PermissionRequest", "model": "m"}),
            json!({"hook_event_name": "PreToolUse", "turn_id": 1, "model": "m"}),
            json!({"hook_event_name": "PreToolUse", "turn_id": null, "model": null}),
        ] {
            assert_eq!(of(event), Err(FaultKind::HalfCodex));
        }
    }

    #[test]
    fn an_event_that_is_no_gate_is_one_whoever_sent_it() {
        for name in NO_GATES {
            assert_eq!(of(json!({"hook_event_name": name, "model": "m"})), Ok(Sender::NoGate), "{name}");
        }
        assert!(matches!(of(json!({"hook_event_name": "pretooluse"})), Err(FaultKind::UnknownEvent { .. })));
        assert_eq!(of(json!({"hook_event_name": 1})), Err(FaultKind::NoEventName));
    }
}
