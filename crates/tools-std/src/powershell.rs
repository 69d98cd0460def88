//! PowerShell: one command line in a new PowerShell of its own session, on the engine of Bash.
//!
//! The model may expect what it expects of Bash: stdin is empty; all streams arrive as one in their true
//! order, as UTF-8 and without colours; the location carries over inside the project, variables do not.
//! What a line would do is not analysed: every call is exclusive, asked about unless a rule allows the
//! whole tool, and killed at its time limit, never moved to the background by it.

mod exit;
mod launch;

use crate::shell::foreground::{self, AtLimit, Plan};
use crate::shell::result::VALID_CHARS;
use crate::shell::{CommandInput, CommandOutput, CommandProgress, TaskKind};
use crate::{Services, input};
use pegboard_tool_core::{
    Availability, InvalidInput, Progress, ResultContent, Tool, ToolContext, ToolDefinition, ToolEnv,
    ToolError, ToolOutput,
};
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

    fn plan(&self, input: &CommandInput, ctx: &ToolContext) -> Plan {
        Plan {
            line: input.command.clone(),
            description: input.description.clone(),
            kind: TaskKind::PowerShell,
            limit: input.limit(ctx),
            at_limit: AtLimit::Kill,
            life: crate::bash::at_limit::life(ctx),
            meaning: exit::meaning,
            most_output: self.most_output(),
            notice: None,
        }
    }

    fn most_output(&self) -> u64 {
        self.services.settings.shell.most_output()
    }
}

impl Tool for PowerShell {
    type Input = CommandInput;
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
         - With run_in_background it returns at once with a task id, for TaskOutput and TaskStop. At its time limit \
         (`timeout`, in milliseconds) the command is killed.\n\
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

    fn changes_context(&self, _input: &CommandInput, _ctx: &ToolContext) -> bool {
        true
    }

    fn time_limit(&self, input: &CommandInput, ctx: &ToolContext) -> Option<Duration> {
        Some(input.limit(ctx) + OVERHEAD)
    }

    async fn validate(&self, input: &CommandInput, ctx: &ToolContext) -> Result<(), InvalidInput> {
        input.check(ctx)
    }

    async fn call(
        &self,
        input: CommandInput,
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

    fn describe(&self, input: &CommandInput) -> String {
        input.title()
    }

    fn render_use(&self, input: &CommandInput, _ctx: &ToolContext) -> Option<String> {
        Some(input.command.clone())
    }
}
