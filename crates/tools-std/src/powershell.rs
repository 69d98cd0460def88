//! PowerShell: one command line in a new PowerShell of its own session, on the engine of Bash.
//!
//! The model may expect what it expects of Bash: stdin is empty; all streams arrive as one in their true
//! order, as UTF-8 and without colours; the location carries over inside the project, variables do not.
//! What a line would do is not analysed: every call is exclusive, asked about unless a rule allows the
//! whole tool, and killed at its time limit, never moved to the background by it.

mod exit;
mod launch;

use crate::shell::foreground::{self, AtLimit, Plan};
use crate::shell::limits::Limits;
use crate::shell::result::VALID_CHARS;
use crate::shell::{CommandOutput, CommandProgress, TaskKind, background_is_off};
use crate::{Services, input};
use pegboard_tool_core::{
    Availability, InvalidInput, Progress, ResultContent, Tool, ToolContext, ToolDefinition, ToolEnv,
    ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// Time that the tool needs beyond the command's own limit, to end it and collect its output.
const OVERHEAD: Duration = Duration::from_secs(30);
/// The variable that turns the tool on where it is not at home.
const SWITCH: &str = "CLAUDE_CODE_USE_POWERSHELL_TOOL";

/// Runs command lines of PowerShell.
#[derive(Clone, Debug)]
pub struct PowerShell {
    services: Services,
}

impl PowerShell {
    /// The tool.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }

    fn plan(&self, input: &PowerShellInput, ctx: &ToolContext) -> Plan {
        Plan {
            line: input.command.clone(),
            description: input.description.clone(),
            kind: TaskKind::PowerShell,
            limit: Limits::of(&ctx.env).for_call(input.timeout),
            at_limit: AtLimit::Kill,
            life: crate::bash::at_limit::life(ctx),
            meaning: exit::meaning,
            most_output: self.most_output(),
            notice: None,
        }
    }

    fn most_output(&self) -> u64 {
        self.services.settings.shell.max_output_bytes.unwrap_or(crate::bash::Bash::MOST_OUTPUT_BYTES)
    }
}

/// Input of [`PowerShell`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PowerShellInput {
    /// The command line to run, of PowerShell.
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

impl Tool for PowerShell {
    type Input = PowerShellInput;
    type Output = CommandOutput;
    type Progress = CommandProgress;

    fn name(&self) -> &str {
        "PowerShell"
    }

    fn description(&self) -> String {
        "Runs one PowerShell command line in a new PowerShell and returns what it printed.\n\
         - `Set-Location` carries over to later calls inside the project; variables, functions and aliases \
         do not.\n\
         - Standard input is empty; commands that ask fail. Jobs end with the command.\n\
         - The command is killed at its time limit (`timeout`, in milliseconds).\n\
         - Long output is stored in a file, whose two ends are shown; read the rest from the file."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.max_inline_chars = Some(VALID_CHARS);
        definition.examples = vec![
            serde_json::json!({"command": "Get-ChildItem -Name", "description": "List the names of files"}),
        ];
        input::with_alias(definition, "power_shell")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        let is_home = env.os == "windows";
        let switch = env.vars.get(SWITCH).map(|value| value.trim());
        match switch {
            Some("0" | "false") => return Availability::Absent(format!("{SWITCH} turns it off")),
            Some("1" | "true") => {}
            _ if is_home => {}
            _ => return Availability::Absent(format!("off outside of Windows; {SWITCH}=1 turns it on")),
        }
        let found = env
            .path
            .iter()
            .any(|folder| launch::programs(is_home).iter().any(|name| folder.join(name).is_file()));
        if found {
            Availability::Here
        } else {
            Availability::Absent("PowerShell 7 (`pwsh`) is not on PATH".to_owned())
        }
    }

    fn changes_context(&self, _input: &PowerShellInput, _ctx: &ToolContext) -> bool {
        true
    }

    fn time_limit(&self, input: &PowerShellInput, ctx: &ToolContext) -> Option<Duration> {
        Some(Limits::of(&ctx.env).for_call(input.timeout) + OVERHEAD)
    }

    async fn validate(&self, input: &PowerShellInput, ctx: &ToolContext) -> Result<(), InvalidInput> {
        input::check_text("command", &input.command)?;
        if input.timeout.is_some_and(|timeout| timeout < 0.0) {
            return Err(InvalidInput::new("`timeout` is negative; give milliseconds, such as 120000"));
        }
        if input.run_in_background && background_is_off(&ctx.env) {
            let text = "background tasks are switched off here; run it without `run_in_background`";
            return Err(InvalidInput::new(text));
        }
        Ok(())
    }

    async fn call(
        &self,
        input: PowerShellInput,
        ctx: ToolContext,
        progress: Progress<CommandProgress>,
    ) -> Result<ToolOutput<CommandOutput>, ToolError> {
        let launch = launch::of(&input.command, self.services.shell.limits, &ctx, self.most_output())?;
        let plan = self.plan(&input, &ctx);
        if input.run_in_background {
            foreground::start_in_background(launch, &plan, &ctx).await
        } else {
            foreground::run(launch, &plan, &ctx, &progress).await
        }
    }

    fn to_result(&self, output: &CommandOutput) -> Vec<ResultContent> {
        output.content()
    }

    fn render_result(&self, output: &CommandOutput) -> Option<String> {
        Some(output.for_people())
    }

    fn describe(&self, input: &PowerShellInput) -> String {
        let line = input.description.as_deref().unwrap_or(&input.command);
        let mut lines = line.trim().lines();
        let first: String = lines.next().unwrap_or_default().chars().take(200).collect();
        if lines.next().is_some() { format!("{first} ...") } else { first }
    }

    fn render_use(&self, input: &PowerShellInput, _ctx: &ToolContext) -> Option<String> {
        Some(input.command.clone())
    }
}
