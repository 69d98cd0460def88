//! [`CommandInput`]: what a tool for command lines is asked, of whichever shell.

use super::background_is_off;
use super::limits::Limits;
use crate::input::check_text;
use pegboard_tool_core::{InvalidInput, ToolContext};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// Longest title of a call, in characters.
const TITLE_CHARS: usize = 200;

/// Input of Bash and PowerShell.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CommandInput {
    /// The command line to run.
    pub command: String,
    /// Time limit in milliseconds. Default 120000, at most 600000.
    #[serde(default)]
    pub timeout: Option<f64>,
    /// What the command does, in five to ten words.
    #[serde(default)]
    pub description: Option<String>,
    /// Return at once and let the command run on; its output goes to a file that the result names.
    #[serde(default)]
    pub run_in_background: bool,
    /// Has no effect: commands are not sandboxed.
    #[serde(default, rename = "dangerouslyDisableSandbox")]
    pub dangerously_disable_sandbox: bool,
}

impl CommandInput {
    /// Checks what the schema cannot say.
    pub(crate) fn check(&self, ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_text("command", &self.command)?;
        if self.timeout.is_some_and(|timeout| timeout < 0.0) {
            return Err(InvalidInput::new("`timeout` is negative; give milliseconds, such as 120000"));
        }
        if self.run_in_background && background_is_off(&ctx.env) {
            let text = "background tasks are switched off here; run it without `run_in_background`";
            return Err(InvalidInput::new(text));
        }
        Ok(())
    }

    /// The time limit of the command.
    pub(crate) fn limit(&self, ctx: &ToolContext) -> Duration {
        Limits::of(&ctx.env).for_call(self.timeout)
    }

    /// The line that people see: the first of the description or of the command.
    pub(crate) fn title(&self) -> String {
        let line = self.description.as_deref().unwrap_or(&self.command);
        let mut lines = line.trim().lines();
        let first: String = lines.next().unwrap_or_default().chars().take(TITLE_CHARS).collect();
        if lines.next().is_some() { format!("{first} ...") } else { first }
    }
}
