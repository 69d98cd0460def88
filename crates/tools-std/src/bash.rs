//! Bash: one command line in a new shell of its own session.
//!
//! The model may expect: stdin is empty; stdout and stderr arrive as one stream in their true order;
//! `cd` carries over inside the project, `export` does not; nothing of the command outlives the
//! call, background jobs included. Limits: 120 s by default, 600 s at most (`BASH_DEFAULT_TIMEOUT_MS`,
//! `BASH_MAX_TIMEOUT_MS`); at the limit the command is killed. Output above 30,000 characters (10,000
//! of a failure) goes to a file, which is named, up to 5 GiB.
//!
//! There is no `run_in_background` yet, so the schema does not offer it.

mod cwd;
mod environment;
mod exit;
mod last_command;
mod limits;
mod output;
mod read_only;
mod run;

use crate::blocking::blocking;
use crate::{ReadLedger, Services, history, input};
use limits::Limits;
use output::Kept;
use pegboard_tool_core::ports::{CommandReport, ShellStart};
use pegboard_tool_core::{
    Accesses, Availability, Concurrency, ContextChange, ErrorKind, InvalidInput, Progress, ResultContent,
    Tool, ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput,
};
use run::{Ending, Finished};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Characters of a successful command's output that stay inline.
const VALID_CHARS: usize = 30_000;
/// Characters of a failed command's output that stay inline.
const FAILURE_CHARS: usize = 10_000;
/// Characters of each end of a long valid output that are shown.
const VALID_END_CHARS: usize = 4_000;
/// Characters of each end of a long failure that are shown.
const FAILURE_END_CHARS: usize = FAILURE_CHARS / 2 - 200;
/// Time that the tool needs beyond the command's own limit, to end it and collect its output.
const OVERHEAD: Duration = Duration::from_secs(15);

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
    /// Bytes of output after which a command is killed, unless the host says otherwise: 5 GiB.
    pub const MOST_OUTPUT_BYTES: u64 = 5 * 1024 * 1024 * 1024;

    /// The tool. Of the services it uses the analyzer: without one every call is exclusive.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services, most_output: Self::MOST_OUTPUT_BYTES, last: Arc::default() }
    }

    /// The same with another cap of output, in bytes.
    #[must_use]
    pub fn with_most_output(self, most_output: u64) -> Self {
        Self { most_output, ..self }
    }
}

/// Input of [`Bash`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BashInput {
    /// The command line to run.
    pub command: String,
    /// Time limit in milliseconds. Default 120000, at most 600000.
    #[serde(default)]
    pub timeout: Option<f64>,
    /// What the command does, in five to ten words.
    #[serde(default)]
    pub description: Option<String>,
}

/// Output of [`Bash`].
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BashOutput {
    /// Standard output and standard error, in their true order; its two ends when it is long.
    pub stdout: String,
    /// Notices of the tool.
    #[serde(default)]
    pub stderr: String,
    /// Whether the command was interrupted.
    #[serde(default)]
    pub interrupted: bool,
    /// What the exit code means where it is neither success nor failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_code_interpretation: Option<String>,
    /// File that holds the whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted_output_path: Option<String>,
    /// Size of that file in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted_output_size: Option<u64>,
}

impl Tool for Bash {
    type Input = BashInput;
    type Output = BashOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Bash"
    }

    fn description(&self) -> String {
        "Runs one bash command line in a new shell and returns what it printed.\n\
         - `cd` carries over to later calls inside the project; variables, functions and aliases do not.\n\
         - Standard input is empty. Background jobs end with the command.\n\
         - The command is killed at its time limit (`timeout`, in milliseconds).\n\
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
        let found = env.path.iter().any(|folder| folder.join("bash").is_file());
        if found || environment::STANDARD_SHELLS.iter().any(|shell| std::path::Path::new(shell).is_file()) {
            Availability::Here
        } else {
            Availability::Absent("bash is not installed".to_owned())
        }
    }

    fn concurrency(&self, input: &BashInput, ctx: &ToolContext) -> Concurrency {
        if self.only_reads(input, ctx) { Concurrency::Shared } else { Concurrency::Exclusive }
    }

    fn accesses(&self, input: &BashInput, ctx: &ToolContext) -> Accesses {
        if self.only_reads(input, ctx) { Accesses::read_tree("/") } else { Accesses::Everything }
    }

    fn changes_context(&self, input: &BashInput, ctx: &ToolContext) -> bool {
        !self.only_reads(input, ctx)
    }

    fn time_limit(&self, input: &BashInput, ctx: &ToolContext) -> Option<Duration> {
        Some(Limits::of(&ctx.env).for_call(input.timeout) + OVERHEAD)
    }

    async fn validate(&self, input: &BashInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        input::check_text("command", &input.command)?;
        if input.timeout.is_some_and(|timeout| timeout < 0.0) {
            return Err(InvalidInput::new("`timeout` is negative; give milliseconds, such as 120000"));
        }
        Ok(())
    }

    async fn call(
        &self,
        input: BashInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<BashOutput>, ToolError> {
        let limit = Limits::of(&ctx.env).for_call(input.timeout);
        let began = SystemTime::now();
        let changes = self.keep(&input, &ctx).await?;
        let finished = run::run(&input.command, &ctx, limit, self.most_output).await;
        self.changed(changes, &ctx).await?;
        let finished = finished?;
        let output = conclude(&input.command, &ctx, finished, limit).await?;
        if output.data.persisted_output_path.is_none() {
            // Everything was shown, so a plain `cat` of a file counts as a read of it.
            ctx.session.of::<ReadLedger>().note_command(&input.command, began, &ctx);
        }
        Ok(output)
    }

    fn to_result(&self, output: &BashOutput) -> Vec<ResultContent> {
        let meaning = output.return_code_interpretation.as_ref().map(|meaning| format!("[{meaning}]"));
        let parts =
            [Some(output.stdout.trim_end_matches('\n').to_owned()), meaning, Some(output.stderr.clone())];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { Vec::new() } else { vec![ResultContent::Text(parts.join("\n"))] }
    }

    fn describe(&self, input: &BashInput) -> String {
        let line = input.description.as_deref().unwrap_or(&input.command);
        let mut lines = line.trim().lines();
        let first: String = lines.next().unwrap_or_default().chars().take(200).collect();
        if lines.next().is_some() { format!("{first} ...") } else { first }
    }

    fn render_use(&self, input: &BashInput, _ctx: &ToolContext) -> Option<String> {
        Some(input.command.clone())
    }
}

impl Bash {
    /// What the line would do, where somebody can tell.
    fn report(&self, input: &BashInput, ctx: &ToolContext) -> Option<Arc<CommandReport>> {
        let analyzer = self.services.analyzer.as_ref()?;
        let start = ShellStart::bash(&ctx.cwd, ctx.home.clone());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.line == input.command && last.start == start) {
            return Some(Arc::clone(&last.report));
        }
        let report = analyzer.analyze(&input.command, &start);
        *last = Some(Analysed { line: input.command.clone(), start, report: Arc::clone(&report) });
        Some(report)
    }

    fn only_reads(&self, input: &BashInput, ctx: &ToolContext) -> bool {
        self.report(input, ctx).is_some_and(|report| read_only::is_read_only(&report, ctx))
    }

    /// Keeps the files that the line is known to change, and names them.
    async fn keep(&self, input: &BashInput, ctx: &ToolContext) -> Result<Vec<PathBuf>, ToolError> {
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

/// From what the shell left to what the model reads.
async fn conclude(
    command: &str,
    ctx: &ToolContext,
    finished: Finished,
    limit: Duration,
) -> Result<ToolOutput<BashOutput>, ToolError> {
    let Finished { ending, output, shell_cwd, survivors, most_output } = finished;
    let mut notices = Vec::new();
    if survivors > 0 {
        notices.push(format!("{survivors} processes of the command could not be ended"));
    }
    let (kind, heading, benign) = match ending {
        Ending::Exited(status) => match exit::meaning(status, command) {
            exit::Meaning::Success => (None, String::new(), None),
            exit::Meaning::Benign(meaning) => (None, String::new(), Some(meaning)),
            exit::Meaning::Failure(heading) => (Some(ErrorKind::Failed), heading, None),
        },
        Ending::TimedOut => {
            let seconds = limit.as_secs_f64();
            let heading = format!("Command did not complete within its {seconds}s timeout and was killed");
            (Some(ErrorKind::TimedOut), heading, None)
        }
        Ending::Cancelled => {
            (Some(ErrorKind::Cancelled), "The command was interrupted and killed".to_owned(), None)
        }
        Ending::TooMuchOutput => {
            let heading = format!("The command printed more than {most_output} bytes and was killed");
            (Some(ErrorKind::Failed), heading, None)
        }
    };
    let moved = cwd::carry(ctx, shell_cwd);
    if let Some(kind) = kind {
        let kept = output.keep(FAILURE_CHARS, FAILURE_END_CHARS, ctx).await;
        if moved.change.is_some() || moved.reset.is_some() {
            // A failed call changes nothing for later ones.
            notices.push(cwd::reset_notice(&ctx.cwd));
        }
        return Err(failure(kind, heading, kept, notices));
    }
    let kept = output.keep(VALID_CHARS, VALID_END_CHARS, ctx).await;
    notices.extend(moved.reset);
    notices.extend(kept.notice);
    let data = BashOutput {
        stdout: kept.text,
        stderr: notices.join("\n"),
        interrupted: false,
        return_code_interpretation: benign.map(str::to_owned),
        persisted_output_path: kept.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
        persisted_output_size: kept.path.as_ref().map(|_| kept.bytes),
    };
    let output = ToolOutput::new(data);
    Ok(match moved.change {
        Some(path) => output.with_change(ContextChange::Cwd(path)),
        None => output,
    })
}

fn failure(kind: ErrorKind, heading: String, kept: Kept, notices: Vec<String>) -> ToolError {
    let text = kept.text.trim_end_matches('\n').to_owned();
    let parts = [heading, text].into_iter().chain(kept.notice).chain(notices);
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    ToolError::new(kind, parts.join("\n"))
}
