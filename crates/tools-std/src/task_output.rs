//! TaskOutput: what a background task printed since the last look, and how it stands.
//!
//! The model may expect: with `block` (the default) it waits until the task ended, at most `timeout`
//! milliseconds (30,000 by default, 600,000 at most); each part of the output is shown once; of a long
//! part both ends are shown, together at most 30,000 characters (`BASH_MAX_OUTPUT_LENGTH`, at most
//! 150,000); the whole is in the file that is named.

use crate::blocking::blocking;
use crate::foreign::{OF_OTHERS, one_line};
use crate::input;
use crate::settings::number;
use crate::shell::output::Stored;
use crate::shell::result::{whole_lines_end, whole_lines_start};
use crate::shell::task::{Task, short};
use crate::shell::task_state::{changes_tasks, looks_at_tasks, shows_task};
use crate::shell::text::shown;
use crate::shell::{TaskEnd, TaskKind, Tasks};
use pegboard_tool_core::{
    Accesses, Availability, Concurrency, Effects, ErrorKind, InvalidInput, Progress, ResultContent, Tool,
    ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How long a call waits when it does not say.
const DEFAULT_WAIT_MS: f64 = 30_000.0;
/// How long a call waits at most.
const MOST_WAIT_MS: f64 = 600_000.0;
/// Characters that are shown at most.
const MOST_CHARS: usize = 150_000;
/// Time that the tool needs beyond waiting.
const OVERHEAD: Duration = Duration::from_secs(15);

/// Shows the output of a background task.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TaskOutput;

impl TaskOutput {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// Input of [`TaskOutput`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TaskOutputInput {
    /// Id of the task, such as `bash_1`.
    pub task_id: String,
    /// Whether to wait until the task ended. Default true.
    #[serde(default = "yes")]
    pub block: bool,
    /// How long to wait at most, in milliseconds. Default 30000, at most 600000.
    #[serde(default)]
    pub timeout: Option<f64>,
}

fn yes() -> bool {
    true
}

/// Output of [`TaskOutput`].
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct TaskOutputOutput {
    /// Id of the task.
    pub task_id: String,
    /// Which tool started it.
    pub task_type: TaskKind,
    /// What it runs.
    pub command: String,
    /// The host that wrote the output, when it listens to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TaskEnd>,
    /// Whole seconds that it has run, or ran.
    pub seconds: u64,
    /// What it printed since the last look; both ends when that is long.
    pub output: String,
    /// Bytes of `output` before it was made readable, and of what was left out of it.
    pub new_bytes: u64,
    /// Bytes that it printed as a whole.
    pub total_bytes: u64,
    /// File that holds the whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// What became of output that could not be stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What else is to know: limits that were hit, processes that could not be ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl Tool for TaskOutput {
    type Input = TaskOutputInput;
    type Output = TaskOutputOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "TaskOutput"
    }

    fn description(&self) -> String {
        "Shows what a background task printed since the last look and whether it still runs.\n\
         - `block` (the default) waits until the task ended, at most `timeout` milliseconds.\n\
         - You are told when a task ends, so there is no need to ask again and again.\n\
         - The whole output is in the file that the result names."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.max_inline_chars = Some(MOST_CHARS + 10_000);
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.examples =
            vec![serde_json::json!({"task_id": "bash_1", "block": false, "timeout": 30_000})];
        ["task_output", "BashOutput", "AgentOutputTool"].into_iter().fold(definition, input::with_alias)
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        crate::shell::background_availability(env)
    }

    fn concurrency(&self, input: &TaskOutputInput, ctx: &ToolContext) -> Concurrency {
        if is_there(input, ctx) { Concurrency::Shared } else { Concurrency::Exclusive }
    }

    fn effects(&self, _input: &TaskOutputInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, input: &TaskOutputInput, ctx: &ToolContext) -> Accesses {
        if is_there(input, ctx) {
            return Accesses::Only(Arc::from([looks_at_tasks(), shows_task(&input.task_id)]));
        }
        // A call before it may start the task.
        Accesses::Only(Arc::from([changes_tasks()]))
    }

    fn time_limit(&self, input: &TaskOutputInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(wait(input) + OVERHEAD)
    }

    async fn validate(&self, input: &TaskOutputInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        input::check_text("task_id", &input.task_id)?;
        if input.timeout.is_some_and(|timeout| timeout < 0.0) {
            return Err(InvalidInput::new("`timeout` is negative; give milliseconds, such as 30000"));
        }
        Ok(())
    }

    async fn call(
        &self,
        input: TaskOutputInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<TaskOutputOutput>, ToolError> {
        let task = ctx.session.of::<Tasks>().known(&input.task_id, &ctx).await?;
        let ended = async {
            // Of several that wait for the end, the first to come shows what there is.
            let turn = task.waiting.lock().await;
            task.ended().await;
            turn
        };
        let _turn = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return Err(ToolError::cancelled()),
            turn = ended => Some(turn),
            () = tokio::time::sleep(wait(&input)) => None,
        };
        let (most, shown) = (most_chars(&ctx), Arc::clone(&task));
        blocking(move || look(&shown, most)).await.map(ToolOutput::new)
    }

    fn to_result(&self, output: &TaskOutputOutput) -> Vec<ResultContent> {
        vec![ResultContent::Text(text(output))]
    }

    fn describe(&self, input: &TaskOutputInput) -> String {
        format!("Output of {}", short(&input.task_id))
    }

    fn render_result(&self, output: &TaskOutputOutput) -> Option<String> {
        let state = state(output);
        let text = crate::shell::result::tail_for_people(&output.output);
        Some(if text.is_empty() { state } else { format!("{state}\n{text}") })
    }
}

/// Whether the task is there already, so that no call before this one has to start it.
fn is_there(input: &TaskOutputInput, ctx: &ToolContext) -> bool {
    ctx.session.of::<Tasks>().find(&input.task_id).is_some()
}

/// How long to wait.
fn wait(input: &TaskOutputInput) -> Duration {
    if !input.block {
        return Duration::ZERO;
    }
    let asked = input.timeout.unwrap_or(DEFAULT_WAIT_MS).clamp(0.0, MOST_WAIT_MS);
    Duration::try_from_secs_f64(asked / 1000.0).unwrap_or_default()
}

/// Characters that are shown.
fn most_chars(ctx: &ToolContext) -> usize {
    usize::try_from(number::OUTPUT_CHARS.read(&ctx.env)).unwrap_or(MOST_CHARS).min(MOST_CHARS)
}

/// Reads what is new, and notes that it was read.
fn look(task: &Task, most: usize) -> Result<TaskOutputOutput, ToolError> {
    // Held until the part is read: two looks at once never show the same.
    let mut read = task.read.lock().unwrap_or_else(PoisonError::into_inner);
    let view = task.view();
    let from = *read;
    let (output, until) = part(task, from, view.bytes.max(from), most, view.end.is_some())?;
    *read = until.max(from);
    drop(read);
    if view.end.is_some() {
        task.told.store(true, Ordering::Relaxed);
    }
    let problem = match task.output.stored() {
        Stored::Lost { problem, kept, .. } => {
            Some(format!("the output could not be stored ({problem}) beyond its first {kept} bytes"))
        }
        Stored::File(_) | Stored::Memory => None,
    };
    Ok(TaskOutputOutput {
        task_id: view.id,
        task_type: view.kind,
        command: view.command,
        from: task.from.clone(),
        end: view.end,
        seconds: view.lasted.as_secs(),
        output,
        new_bytes: until - from,
        total_bytes: view.bytes,
        output_file: view.output.map(|path| path.to_string_lossy().into_owned()),
        problem,
        notices: view.notices,
    })
}

/// The output from `from` to about `until`, at most `most` characters of it, and where it ends.
fn part(task: &Task, from: u64, until: u64, most: usize, is_over: bool) -> Result<(String, u64), ToolError> {
    let failed = |error| {
        ToolError::new(ErrorKind::Unavailable, "the output of the task cannot be read").with_source(error)
    };
    // Four bytes a character are the most.
    let window = 4 * most;
    let length = until - from;
    let read = |from: u64, most: u64| {
        let most = usize::try_from(most).unwrap_or(window).min(window);
        task.output.read(from, most).map_err(failed)
    };
    // What was counted may still be on its way to the file; it is shown the next time.
    let is_on_its_way = !is_over && matches!(task.output.stored(), Stored::File(_));
    let missing = |asked: u64, bytes: &[u8]| {
        if is_on_its_way { asked.saturating_sub(bytes.len() as u64) } else { 0 }
    };
    if length <= window as u64 {
        let mut bytes = read(from, length)?;
        let until = until - missing(length, &bytes);
        let half = if is_over { 0 } else { unfinished_letter(&bytes) };
        bytes.truncate(bytes.len() - half);
        let all = shown(&bytes).text;
        let until = until - half as u64;
        if all.chars().count() <= most {
            return Ok((all, until));
        }
        return Ok((joined(&all, &all, length, most / 2), until));
    }
    let last = read(until - window as u64, window as u64)?;
    let until = until - missing(window as u64, &last);
    let length = until - from;
    let half = if is_over { 0 } else { unfinished_letter(&last) };
    let last = last.get(..last.len() - half).unwrap_or_default();
    let first = read(from, window as u64)?;
    Ok((joined(&shown(&first).text, &shown(last).text, length, most / 2), until - half as u64))
}

fn joined(first: &str, last: &str, length: u64, end: usize) -> String {
    let head = whole_lines_start(first, end);
    let tail = whole_lines_end(last, end).trim_start_matches(char::REPLACEMENT_CHARACTER);
    let left_out = length.saturating_sub((head.len() + tail.len()) as u64);
    let break_before = if head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{break_before}... [about {left_out} bytes left out here] ...\n{tail}")
}

/// Bytes at the end that are the start of a letter whose rest is still to come.
fn unfinished_letter(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let end = bytes.get(from..).unwrap_or_default();
    let start = end.iter().rposition(|byte| *byte >= 0xc0);
    start
        .filter(|start| {
            std::str::from_utf8(end.get(*start..).unwrap_or_default())
                .is_err_and(|error| error.error_len().is_none())
        })
        .map_or(0, |start| end.len() - start)
}

fn state(output: &TaskOutputOutput) -> String {
    let TaskOutputOutput { task_id, command, seconds, .. } = output;
    let what = short(command);
    match &output.end {
        None => format!("{task_id} ({what}) runs since {seconds} s"),
        Some(end) => format!("{task_id} ({what}) {} after {seconds} s", end.in_words()),
    }
}

fn text(output: &TaskOutputOutput) -> String {
    let printed = output.output.trim_end_matches('\n');
    let printed = match &output.from {
        _ if printed.is_empty() => "[nothing new was printed]".to_owned(),
        Some(host) => of_others(host, printed),
        None => printed.to_owned(),
    };
    let mut text = format!("{}\n{printed}", state(output));
    if let Some(path) = &output.output_file {
        text.push_str(&format!("\n[all {} bytes of output are in {path}]", output.total_bytes));
    }
    for notice in output.problem.iter().chain(&output.notices) {
        text.push_str(&format!("\n[{notice}]"));
    }
    text
}

/// What a host wrote, so that no line of it looks like one of ours.
fn of_others(host: &str, text: &str) -> String {
    let mut told = format!("Messages from {host}, {OF_OTHERS}:");
    for line in text.split('\n') {
        told.push_str("\n> ");
        told.push_str(&one_line(line));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_is_not_complete_waits_for_its_rest() {
        for (bytes, expected) in [
            (&b""[..], 0),
            (b"abc", 0),
            ("a\u{2014}".as_bytes(), 0),
            (b"a\xe2", 1),
            (b"a\xe2\x80", 2),
            (b"\xf0\x9f\x98", 3),
            (b"a\xff", 0),
            (b"\x80\x80\x80\x80", 0),
            (b"\xe2a", 0),
        ] {
            assert_eq!(unfinished_letter(bytes), expected, "{bytes:?}");
        }
    }
}
