//! From JSON to a typed event, with what is wrong in words.

use super::Event;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An event cannot be fired as it was given.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// There is no event of this name.
    #[error("`{name}` is no event; the events are {}", Event::names().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// What was given.
        name: String,
    },
    /// The input is no object.
    #[error("the input of {event} must be a JSON object")]
    NoObject {
        /// The event.
        event: &'static str,
    },
    /// A field is missing or wrong.
    #[error("the input of {event} is wrong: {}{problem}", if at.is_empty() { String::new() } else { format!("`{at}`: ") })]
    Field {
        /// The event.
        event: &'static str,
        /// Path of the field; empty when one is missing at the top.
        at: String,
        /// What is wrong.
        problem: String,
    },
}

impl Event {
    /// Reads the input of the event `name`. Common fields may be in it or not; they are not looked at.
    ///
    /// # Errors
    /// When there is no such event, or a field is missing or has another type or value than the documents say.
    pub fn read(name: &str, input: &Value) -> Result<Self, EventError> {
        let kind = crate::event::EventKind::of(name);
        let kind = kind.ok_or_else(|| EventError::Unknown { name: crate::long_text::short(name) })?;
        let event = kind.name;
        let Value::Object(given) = input else { return Err(EventError::NoObject { event }) };
        // A `null` counts as absent.
        let given: Map<String, Value> =
            given.iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect();
        let given = Value::Object(given);
        Ok(match event {
            "SessionStart" => Self::SessionStart(typed(event, given)?),
            "Setup" => Self::Setup(typed(event, given)?),
            "InstructionsLoaded" => Self::InstructionsLoaded(typed(event, given)?),
            "UserPromptSubmit" => Self::UserPromptSubmit(typed(event, given)?),
            "UserPromptExpansion" => Self::UserPromptExpansion(typed(event, given)?),
            "MessageDisplay" => Self::MessageDisplay(typed(event, given)?),
            "PreToolUse" => Self::PreToolUse(typed(event, given)?),
            "PermissionRequest" => Self::PermissionRequest(typed(event, given)?),
            "PermissionDenied" => Self::PermissionDenied(typed(event, given)?),
            "PostToolUse" => Self::PostToolUse(typed(event, given)?),
            "PostToolUseFailure" => Self::PostToolUseFailure(typed(event, given)?),
            "PostToolBatch" => Self::PostToolBatch(typed(event, given)?),
            "Notification" => Self::Notification(typed(event, given)?),
            "SubagentStart" => Self::SubagentStart(typed(event, given)?),
            "SubagentStop" => Self::SubagentStop(typed(event, given)?),
            "TaskCreated" => Self::TaskCreated(typed(event, given)?),
            "TaskCompleted" => Self::TaskCompleted(typed(event, given)?),
            "Stop" => Self::Stop(typed(event, given)?),
            "StopFailure" => Self::StopFailure(typed(event, given)?),
            "TeammateIdle" => Self::TeammateIdle(typed(event, given)?),
            "ConfigChange" => Self::ConfigChange(typed(event, given)?),
            "CwdChanged" => Self::CwdChanged(typed(event, given)?),
            "DirectoryAdded" => Self::DirectoryAdded(typed(event, given)?),
            "FileChanged" => Self::FileChanged(typed(event, given)?),
            "WorktreeCreate" => Self::WorktreeCreate(typed(event, given)?),
            "WorktreeRemove" => Self::WorktreeRemove(typed(event, given)?),
            "PreCompact" => Self::PreCompact(typed(event, given)?),
            "PostCompact" => Self::PostCompact(typed(event, given)?),
            "SessionEnd" => Self::SessionEnd(typed(event, given)?),
            "Elicitation" => Self::Elicitation(typed(event, given)?),
            "ElicitationResult" => Self::ElicitationResult(typed(event, given)?),
            other => return Err(EventError::Unknown { name: other.to_owned() }),
        })
    }
}

fn typed<T: DeserializeOwned>(event: &'static str, given: Value) -> Result<T, EventError> {
    serde_path_to_error::deserialize(given).map_err(|error| {
        let at = error.path().to_string();
        let at = if at == "." { String::new() } else { at };
        EventError::Field { event, at, problem: error.into_inner().to_string() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_event_is_known_and_wants_its_fields() {
        let names: Vec<&str> = Event::names().collect();
        assert_eq!(names.len(), 31);
        let lines: Vec<String> = names
            .iter()
            .map(|name| match Event::read(name, &json!({})) {
                Ok(event) => {
                    assert_eq!(event.name(), *name);
                    format!("{name}: nothing is required")
                }
                Err(error) => error.to_string().replace("the input of ", "").replace(" is wrong", ""),
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        SessionStart: missing field `source`
        Setup: missing field `trigger`
        InstructionsLoaded: missing field `file_path`
        UserPromptSubmit: missing field `prompt`
        UserPromptExpansion: missing field `expansion_type`
        MessageDisplay: missing field `turn_id`
        PreToolUse: missing field `tool_name`
        PermissionRequest: missing field `tool_name`
        PermissionDenied: missing field `tool_name`
        PostToolUse: missing field `tool_name`
        PostToolUseFailure: missing field `tool_name`
        PostToolBatch: missing field `tool_calls`
        Notification: missing field `message`
        SubagentStart: missing field `agent_type`
        SubagentStop: missing field `stop_hook_active`
        TaskCreated: missing field `task_id`
        TaskCompleted: missing field `task_id`
        Stop: missing field `stop_hook_active`
        StopFailure: missing field `error`
        TeammateIdle: missing field `teammate_name`
        ConfigChange: missing field `source`
        CwdChanged: missing field `old_cwd`
        DirectoryAdded: missing field `directory`
        FileChanged: missing field `file_path`
        WorktreeCreate: missing field `name`
        WorktreeRemove: missing field `worktree_path`
        PreCompact: missing field `trigger`
        PostCompact: missing field `trigger`
        SessionEnd: missing field `reason`
        Elicitation: missing field `mcp_server_name`
        ElicitationResult: missing field `mcp_server_name`
        ");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (name, input, expected) in [
            ("PreToolUze", json!({}), "`PreToolUze` is no event; the events are SessionStart"),
            ("Stop", json!([]), "the input of Stop must be a JSON object"),
            ("Stop", json!({"stop_hook_active": "no"}), "`stop_hook_active`: invalid type: string"),
            (
                "SessionStart",
                json!({"source": "reboot"}),
                "unknown variant `reboot`, expected one of `startup`",
            ),
            (
                "PostToolBatch",
                json!({"tool_calls": [{"tool_name": 3}]}),
                "`tool_calls[0].tool_name`: invalid type: integer `3`",
            ),
            ("PreToolUse", json!({"tool_name": "Bash"}), "missing field `tool_input`"),
            ("PreToolUse", json!({"tool_name": null, "tool_input": {}}), "missing field `tool_name`"),
        ] {
            let error = Event::read(name, &input).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_is_read_is_written_as_it_was() {
        for (name, input) in [
            ("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"})),
            ("SessionStart", json!({"source": "resume", "model": "m"})),
            ("FileChanged", json!({"file_path": "/w/.env", "event": "unlink"})),
            (
                "Elicitation",
                json!({"mcp_server_name": "s", "message": "m", "mode": "url", "url": "https://x"}),
            ),
            (
                "Stop",
                json!({"stop_hook_active": true, "background_tasks": [{"id": "1", "type": "shell", "status": "running", "description": "d", "command": "c"}]}),
            ),
        ] {
            let event = Event::read(name, &input).unwrap();
            assert_eq!(Value::Object(event.fields()), input, "{name}");
        }
    }
}
