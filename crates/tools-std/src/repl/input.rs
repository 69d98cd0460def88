//! What Repl is asked and what it answers.

use super::kept::Seen;
use super::language::ReplLanguage;
use crate::terminal::owner::check_name;
use pegboard_tool_core::InvalidInput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Most bytes of code at once.
const MOST_CODE: usize = 256 * 1024;
/// Time limit when nothing is said, in milliseconds.
const DEFAULT_LIMIT: u64 = 120_000;
/// Highest time limit, in milliseconds.
const MOST_LIMIT: u64 = 600_000;

/// What to do.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum ReplAction {
    /// Run code.
    #[default]
    Run,
    /// Wait for code that still runs, and show what it printed.
    Read,
    /// Interrupt the code that runs; the state is kept.
    Interrupt,
    /// End the interpreter and start a new one; then run the code, if there is any.
    Restart,
    /// End the interpreter.
    Stop,
}

/// What happens to code at its time limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum ReplAtTimeout {
    /// It is interrupted; variables are kept.
    #[default]
    Interrupt,
    /// It goes on; `read` and `interrupt` reach it.
    KeepRunning,
}

/// Input of [`super::Repl`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReplInput {
    /// `python`, `node` (JavaScript) or `bash`.
    pub language: ReplLanguage,
    /// Code to run, of any number of lines. Variables, functions and imports stay for later calls.
    #[serde(default)]
    pub code: Option<String>,
    /// `run` (default) runs code; `read` waits for code that still runs; `interrupt` stops it as Ctrl-C does;
    /// `restart` starts with an empty state; `stop` ends the interpreter.
    #[serde(default)]
    pub action: ReplAction,
    /// Name of the interpreter, for several of one language. Default `main`.
    #[serde(default)]
    pub session: Option<String>,
    /// Time limit in milliseconds. Default 120000, at most 600000.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// What happens at the time limit: `interrupt` (default), or `keep_running` to look again later with `read`.
    #[serde(default)]
    pub at_timeout: ReplAtTimeout,
}

/// How code ended.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum ReplState {
    /// It ran to its end, or none was running.
    #[default]
    Done,
    /// It still runs.
    Running,
    /// It was interrupted.
    Interrupted,
    /// The interpreter is over; the next code starts a new one.
    Over,
}

/// Output of [`super::Repl`].
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReplOutput {
    /// The language.
    pub language: ReplLanguage,
    /// Name of the interpreter.
    pub session: String,
    /// What was printed between the last call and this one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub earlier: String,
    /// What was printed, and the value of a last expression; its two ends when it was very long.
    pub output: String,
    /// How the code ended.
    pub state: ReplState,
    /// Status of a shell's last command, when it is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What else is to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ReplInput {
    /// What is wrong with the input as a whole.
    pub(super) fn check(&self) -> Result<(), InvalidInput> {
        if let Some(name) = &self.session {
            check_name(name).map_err(InvalidInput::new)?;
        }
        match (&self.code, self.action) {
            (None, ReplAction::Run) => return Err(InvalidInput::new("`run` needs `code`")),
            (Some(_), ReplAction::Read | ReplAction::Interrupt | ReplAction::Stop) => {
                return Err(InvalidInput::new("`code` means nothing to this action; leave it out"));
            }
            (Some(code), _) if code.contains('\0') => {
                return Err(InvalidInput::new("`code` holds a NUL byte"));
            }
            (Some(code), _) if code.len() > MOST_CODE => {
                let text = format!("`code` has more than {MOST_CODE} bytes; write it to a file and run that");
                return Err(InvalidInput::new(text));
            }
            _ => {}
        }
        if self.timeout == Some(0) {
            return Err(InvalidInput::new("`timeout` is 0; give milliseconds, such as 120000"));
        }
        Ok(())
    }

    /// Name of the interpreter.
    pub(super) fn name(&self) -> &str {
        self.session.as_deref().unwrap_or("main")
    }

    pub(super) fn limit(&self) -> Duration {
        Duration::from_millis(self.timeout.unwrap_or(DEFAULT_LIMIT).min(MOST_LIMIT))
    }
}

impl ReplOutput {
    /// What was printed before this call.
    pub(super) fn see_earlier(&mut self, seen: Seen) {
        self.earlier.push_str(&seen.text);
        self.notes.extend(seen.notes);
    }

    /// What was printed in this call.
    pub(super) fn see(&mut self, seen: Seen) {
        self.output = seen.text;
        self.notes.extend(seen.notes);
    }

    /// What a model reads.
    pub(super) fn text(&self) -> String {
        let mut parts = Vec::new();
        if !self.earlier.trim().is_empty() {
            parts.push("[printed since the last call]".to_owned());
            parts.push(self.earlier.trim_end_matches('\n').to_owned());
            parts.push("[this call]".to_owned());
        }
        let output = self.output.trim_end_matches('\n');
        if !output.is_empty() {
            parts.push(output.to_owned());
        }
        parts.extend(self.status.as_ref().map(|status| format!("[exit status {status}]")));
        parts.extend(self.notes.iter().map(|note| format!("[{note}]")));
        if parts.is_empty() {
            return "[no output]".to_owned();
        }
        parts.join("\n")
    }
}
