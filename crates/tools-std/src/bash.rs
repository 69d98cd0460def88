//! Bash: one command line in a new shell of its own session.
//!
//! The model may expect: stdin is empty; stdout and stderr arrive as one stream in their true order;
//! `cd` carries over inside the project, `export` does not; nothing that the command left outlives the
//! call. Limits: 120 s by default, 600 s at most (`BASH_DEFAULT_TIMEOUT_MS`, `BASH_MAX_TIMEOUT_MS`); at the
//! limit the command goes on as a background task or is killed, see `at_limit`. Output above 30,000 characters (10,000
//! of a failure) goes to a file, which is named, up to 5 GiB.

pub(crate) mod at_limit;
mod exit;
mod last_command;
pub(crate) mod launch;
mod read_only;

use crate::blocking::blocking;
use crate::shell::engine::Streams;
use crate::shell::foreground::{self, AtLimit, Plan};
use crate::shell::result::VALID_CHARS;
use crate::shell::task_state::looks_at_tasks;
use crate::shell::{CommandInput, CommandOutput, CommandProgress, TaskKind, background_is_off, environment};
use crate::{ReadLedger, Services, history, input};
use launch::Prepared;
use pegboard_tool_core::ports::{CommandReport, ShellStart};
use pegboard_tool_core::{
    Access, Accesses, Availability, Concurrency, InvalidInput, Progress, Resource, ResultContent, Tool,
    ToolCheck, ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput,
};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Time that the tool needs beyond the command's own limit, to end it and collect its output.
const OVERHEAD: Duration = Duration::from_secs(30);

/// Runs command lines.
#[derive(Clone, Debug)]
pub struct Bash {
    services: Services,
    most_output: u64,
    /// The last line that was analysed: one call asks about its line several times.
    last: Arc<Mutex<Option<Analysed>>>,
}

/// A line, where it would run, and what it would do.
#[derive(Debug)]
struct Analysed {
    line: String,
    start: ShellStart,
    report: Arc<CommandReport>,
}

impl Bash {
    /// The tool. Of the services it uses the analyzer: without one every call is exclusive.
    #[must_use]
    pub fn new(services: Services) -> Self {
        let most_output = services.settings.shell.most_output();
        Self { services, most_output, last: Arc::default() }
    }

    /// The same with another cap of output, in bytes.
    #[must_use]
    pub fn with_most_output(self, most_output: u64) -> Self {
        Self { most_output, ..self }
    }
}

impl Tool for Bash {
    type Input = CommandInput;
    type Output = CommandOutput;
    type Progress = CommandProgress;

    fn name(&self) -> &str {
        "Bash"
    }

    fn description(&self) -> String {
        "Runs one bash command line in a new shell and returns what it printed.\n\
         - `cd` carries over to later calls inside the project; variables, functions and aliases do not.\n\
         - Standard input is empty. Jobs started with `&` end with the command.\n\
         - With run_in_background it returns at once with a task id. At its time limit (`timeout`, in milliseconds) a \
         command goes on in the background too; one that waits (`sleep`), runs git or cannot be read is killed. \
         TaskOutput shows a background task, TaskStop ends it.\n\
         - Long output is stored in a file, whose two ends are shown; read the rest from the file.\n\
         - To read, search or change files use the tools made for that. Join commands that depend on each \
         other with `&&` in one call."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.max_inline_chars = Some(VALID_CHARS);
        definition.examples =
            vec![serde_json::json!({"command": "git status --short", "description": "Show changed files"})];
        input::with_alias(definition, "bash")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        match &self.services.shell.program {
            None => environment::bash_availability(env),
            Some(_) => Availability::Here,
        }
    }

    fn concurrency(&self, input: &CommandInput, ctx: &ToolContext) -> Concurrency {
        if self.may_overlap(input, ctx) { Concurrency::Shared } else { Concurrency::Exclusive }
    }

    fn accesses(&self, input: &CommandInput, ctx: &ToolContext) -> Accesses {
        if !self.may_overlap(input, ctx) {
            return Accesses::Everything;
        }
        let files = Access::read(Resource::Tree("/".into()));
        // What names a task by its id waits for the lines before it: one of them may become that task.
        match self.plan(input, ctx).at_limit {
            AtLimit::Background => Accesses::Only(Arc::from([files, looks_at_tasks()])),
            AtLimit::Kill => Accesses::Only(Arc::from([files])),
        }
    }

    fn changes_context(&self, input: &CommandInput, ctx: &ToolContext) -> bool {
        // In the background nothing carries over to later calls.
        !input.run_in_background && !self.only_reads(input, ctx)
    }

    fn time_limit(&self, input: &CommandInput, ctx: &ToolContext) -> Option<Duration> {
        Some(input.limit(ctx) + OVERHEAD)
    }

    async fn validate(&self, input: &CommandInput, ctx: &ToolContext) -> Result<(), InvalidInput> {
        input.check(ctx)
    }

    async fn check_permissions(&self, input: &CommandInput, ctx: &ToolContext) -> ToolCheck {
        crate::closed::line(&self.services, self.report(input, ctx), &input.command, ctx).await
    }

    async fn call(
        &self,
        input: CommandInput,
        ctx: ToolContext,
        progress: Progress<CommandProgress>,
    ) -> Result<ToolOutput<CommandOutput>, ToolError> {
        let began = SystemTime::now();
        let startup = &self.services.shell;
        let Prepared { launch, notice } =
            launch::of(&input.command, startup, &ctx, Streams::Merged, self.most_output).await?;
        let plan = Plan { notice, ..self.plan(&input, &ctx) };
        let changes = self.keep(&input, &ctx).await?;
        let outcome = if input.run_in_background {
            foreground::start_in_background(launch, &plan, &ctx).await
        } else {
            foreground::run(launch, &plan, &ctx, &progress).await
        };
        self.changed(changes, &ctx).await?;
        let output = outcome?;
        if output.data.persisted_output_path.is_none() && output.data.background_task_id.is_none() {
            // Everything was shown, so a plain `cat` of a file counts as a read of it.
            ReadLedger::of(&ctx).note_command(&input.command, &output.data.stdout, began, &ctx);
        }
        Ok(output)
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

impl Bash {
    fn plan(&self, input: &CommandInput, ctx: &ToolContext) -> Plan {
        let report = if background_is_off(&ctx.env) { None } else { self.report(input, ctx) };
        Plan {
            line: input.command.clone(),
            description: input.description.clone(),
            kind: TaskKind::Bash,
            limit: input.limit(ctx),
            at_limit: report.map_or(AtLimit::Kill, |report| at_limit::of(&input.command, &report)),
            life: at_limit::life(ctx),
            meaning: exit::meaning,
            most_output: self.most_output,
            notice: None,
        }
    }

    /// What the line would do, where somebody can tell.
    fn report(&self, input: &CommandInput, ctx: &ToolContext) -> Option<Arc<CommandReport>> {
        let analyzer = self.services.analyzer.as_ref()?;
        let mut start = ShellStart::bash(&ctx.cwd, ctx.home.clone());
        start.is_bash = self.services.shell.is_bash();
        start.shadowed = self.services.shell.shadowed();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.line == input.command && last.start == start) {
            return Some(Arc::clone(&last.report));
        }
        let report = analyzer.analyze(&input.command, &start);
        *last = Some(Analysed { line: input.command.clone(), start, report: Arc::clone(&report) });
        Some(report)
    }

    fn only_reads(&self, input: &CommandInput, ctx: &ToolContext) -> bool {
        self.report(input, ctx).is_some_and(|report| read_only::is_read_only(&report, ctx))
    }

    /// Whether the call may run beside others: it only looks, and it starts no task that later calls may name.
    fn may_overlap(&self, input: &CommandInput, ctx: &ToolContext) -> bool {
        !input.run_in_background && self.only_reads(input, ctx)
    }

    /// Keeps the files that the line is known to change, and names them.
    async fn keep(&self, input: &CommandInput, ctx: &ToolContext) -> Result<Vec<PathBuf>, ToolError> {
        let report = if self.services.history.is_some() { self.report(input, ctx) } else { None };
        let Some(report) = report else { return Ok(Vec::new()) };
        let (services, ctx) = (self.services.clone(), ctx.clone());
        blocking(move || {
            let paths = history::command::paths(&report, &ctx);
            paths.iter().try_for_each(|path| history::keep(&services, &ctx, path))?;
            Ok(paths)
        })
        .await
    }

    async fn changed(&self, paths: Vec<PathBuf>, ctx: &ToolContext) -> Result<(), ToolError> {
        if paths.is_empty() {
            return Ok(());
        }
        let (services, ctx) = (self.services.clone(), ctx.clone());
        blocking(move || {
            paths.iter().for_each(|path| history::changed(&services, &ctx, path));
            Ok(())
        })
        .await
    }
}
