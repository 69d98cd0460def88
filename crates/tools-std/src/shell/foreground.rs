//! A call that runs a command: it is waited for, and at its time limit moved to the background or
//! killed.

use super::cwd;
use super::engine::{self, Launch};
use super::output::Output;
use super::output_file::Place;
use super::progress::{self, CommandProgress};
use super::result::{
    CommandOutput, FAILURE_CHARS, FAILURE_END_CHARS, Kept, VALID_CHARS, VALID_END_CHARS, ends, keep,
};
use super::running::{Closed, Running, Step};
use super::status::Status;
use super::task::{About, Task, TaskKind};
use super::tasks::Tasks;
use pegboard_tool_core::{ContextChange, ErrorKind, Progress, ToolContext, ToolError, ToolOutput};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// What an exit status means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Meaning {
    Success,
    /// A code that is an answer and no failure, and what it says.
    Benign(&'static str),
    Failure,
}

/// What becomes of a command that reaches its time limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AtLimit {
    /// It goes on in the background.
    Background,
    /// It is killed.
    Kill,
}

/// How a command is run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The line as the model wrote it.
    pub(crate) line: String,
    /// What it is for, in the model's words.
    pub(crate) description: Option<String>,
    /// Which tool runs it.
    pub(crate) kind: TaskKind,
    /// How long the call waits.
    pub(crate) limit: Duration,
    pub(crate) at_limit: AtLimit,
    /// How long it may live in the background, from now.
    pub(crate) life: Option<Duration>,
    /// Reads the exit status that the line ended with.
    pub(crate) meaning: fn(Status, &str, &str) -> Meaning,
    /// Bytes of output after which it is killed.
    pub(crate) most_output: u64,
    /// What the model must know about its start.
    pub(crate) notice: Option<String>,
}

/// Why a call stops to wait.
#[derive(Debug)]
enum Waited {
    Cancelled,
    TimedOut,
}

/// How a command that was waited for is over.
#[derive(Debug)]
enum Ending {
    Exited(Status),
    TimedOut,
    Cancelled,
    TooMuchOutput,
}

/// Starts a command and waits for it.
///
/// # Errors
/// When it cannot be started, fails, is cancelled, or is killed at a limit: the text starts with how it
/// ended and holds both ends of what it printed.
pub(crate) async fn run(
    launch: Launch,
    plan: &Plan,
    ctx: &ToolContext,
    progress: &Progress<CommandProgress>,
) -> Result<ToolOutput<CommandOutput>, ToolError> {
    let deadline = Instant::now() + plan.limit;
    let mut running = engine::start(launch, ctx)?;
    let (output, began) = (Arc::clone(running.output()), running.began());
    let waited = async {
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => Waited::Cancelled,
            () = sleep_until(deadline) => Waited::TimedOut,
            () = progress::report(progress, &output, began) => Waited::TimedOut,
        }
    };
    let ending = match running.drive(waited).await? {
        Step::Other(Waited::TimedOut) if plan.at_limit == AtLimit::Background => {
            let seconds = plan.limit.as_secs_f64();
            let heading = format!(
                "Command did not complete within its {seconds}s timeout and was moved to the background"
            );
            let (task, kept) = hand_over(running, plan, ctx).await;
            let mut output = moved(&task, kept, plan, heading);
            output.timed_out_after_ms = u64::try_from(plan.limit.as_millis()).ok();
            return Ok(ToolOutput::new(output));
        }
        Step::Other(Waited::TimedOut) => Ending::TimedOut,
        Step::Other(Waited::Cancelled) => Ending::Cancelled,
        Step::Exited(status) => Ending::Exited(Status::of(status)),
        Step::TooMuchOutput => Ending::TooMuchOutput,
    };
    conclude(plan, ctx, ending, running.close().await).await
}

/// Starts a command that goes on after the call.
///
/// # Errors
/// When it cannot be started.
pub(crate) async fn start_in_background(
    launch: Launch,
    plan: &Plan,
    ctx: &ToolContext,
) -> Result<ToolOutput<CommandOutput>, ToolError> {
    let running = engine::start(launch, ctx)?;
    let (task, kept) = hand_over(running, plan, ctx).await;
    Ok(ToolOutput::new(moved(&task, kept, plan, "Command runs in the background".to_owned())))
}

/// Gives a command to the session's tasks; what it printed so far is taken before it can end.
async fn hand_over(mut running: Running, plan: &Plan, ctx: &ToolContext) -> (Arc<Task>, Kept) {
    running.store().await;
    let kept = ends(&running.output().glance(), VALID_END_CHARS);
    let about = About {
        kind: plan.kind,
        command: plan.line.clone(),
        description: plan.description.clone(),
        agent: ctx.agent_id.clone(),
        life: plan.life,
    };
    (ctx.session.of::<Tasks>().adopt(running, about).await, kept)
}

/// What the model reads of a command that runs on.
fn moved(task: &Task, kept: Kept, plan: &Plan, heading: String) -> CommandOutput {
    let id = &task.id;
    let mut notices = vec![format!("{heading} with task id {id}")];
    match &kept.path {
        Some(path) => notices.push(format!("Its output goes to {}", path.display())),
        None => notices.extend(kept.notices),
    }
    notices.push("You are told when it ends. TaskOutput reads its output, TaskStop ends it.".to_owned());
    let hint = names_cd(&plan.line)
        .then(|| "A `cd` of a command in the background does not carry over to later calls.".to_owned());
    notices.extend(hint.clone());
    notices.extend(plan.notice.clone());
    CommandOutput {
        stdout: kept.text,
        stderr: notices.join("\n"),
        persisted_output_path: kept.path.map(|path| path.to_string_lossy().into_owned()),
        background_task_id: Some(id.clone()),
        background_cwd_hint: hint,
        ..CommandOutput::default()
    }
}

/// What is said of jobs that the line left running.
fn ended_notice(jobs: usize) -> Option<String> {
    let (jobs, were) = match jobs {
        0 => return None,
        1 => ("1 job".to_owned(), "was"),
        more => (format!("{more} jobs"), "were"),
    };
    Some(format!(
        "[{jobs} that the line left running {were} ended; use run_in_background for what is to go on]"
    ))
}

/// Whether a line may move its working directory, as far as its words tell.
fn names_cd(line: &str) -> bool {
    let mut words = line.split(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter)));
    words.any(|word| ["cd", "pushd", "popd", "Set-Location", "Push-Location", "sl", "chdir"].contains(&word))
}

/// From what the command left to what the model reads.
async fn conclude(
    plan: &Plan,
    ctx: &ToolContext,
    ending: Ending,
    closed: Closed,
) -> Result<ToolOutput<CommandOutput>, ToolError> {
    let said = closed.notices().into_iter().map(|notice| format!("[{notice}]"));
    let mut notices: Vec<String> = plan.notice.iter().cloned().chain(said).collect();
    let Closed { output, shell_cwd, ended_jobs, .. } = closed;
    notices.extend(ended_notice(ended_jobs));
    let is_untold = shell_cwd.is_none() && matches!(ending, Ending::Exited(_)) && names_cd(&plan.line);
    let (kind, heading, benign) = match ending {
        Ending::Exited(status) => match (plan.meaning)(status, &plan.line, &beginning(&output)) {
            Meaning::Success => (None, String::new(), None),
            Meaning::Benign(meaning) => (None, String::new(), Some(meaning)),
            Meaning::Failure => (Some(ErrorKind::Failed), status.heading(), None),
        },
        Ending::TimedOut => {
            let seconds = plan.limit.as_secs_f64();
            let heading = format!("Command did not complete within its {seconds}s timeout and was killed");
            (Some(ErrorKind::TimedOut), heading, None)
        }
        Ending::Cancelled => {
            (Some(ErrorKind::Cancelled), "The command was interrupted and killed".to_owned(), None)
        }
        Ending::TooMuchOutput => {
            let (most, bytes) = (plan.most_output, output.bytes());
            let heading =
                format!("The command printed more than {most} bytes and was killed, after {bytes} bytes");
            (Some(ErrorKind::Failed), heading, None)
        }
    };
    let moved = if is_untold { cwd::unknown(ctx) } else { cwd::carry(ctx, shell_cwd) };
    let place = Place::of(ctx);
    if let Some(kind) = kind {
        let kept = keep(&output, FAILURE_CHARS, FAILURE_END_CHARS, place).await;
        if moved.change.is_some() || moved.reset.is_some() {
            // A failed call changes nothing for later ones.
            let untold = moved.reset.filter(|_| is_untold);
            notices.push(untold.unwrap_or_else(|| cwd::reset_notice(&ctx.cwd)));
        }
        return Err(failure(kind, heading, kept, notices));
    }
    let kept = keep(&output, VALID_CHARS, VALID_END_CHARS, place).await;
    notices.extend(moved.reset);
    notices.extend(kept.notices);
    let data = CommandOutput {
        stdout: kept.text,
        stderr: notices.join("\n"),
        return_code_interpretation: benign.map(str::to_owned),
        persisted_output_path: kept.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
        persisted_output_size: kept.path.as_ref().map(|_| kept.bytes),
        ..CommandOutput::default()
    };
    let output = ToolOutput::new(data);
    Ok(match moved.change {
        Some(path) => output.with_change(ContextChange::Cwd(path)),
        None => output,
    })
}

/// The beginning of what a command printed.
fn beginning(output: &Output) -> String {
    String::from_utf8_lossy(&output.read(0, 4096).unwrap_or_default()).into_owned()
}

fn failure(kind: ErrorKind, heading: String, kept: Kept, notices: Vec<String>) -> ToolError {
    let text = kept.text.trim_end_matches('\n').to_owned();
    let parts = [heading, text].into_iter().chain(kept.notices).chain(notices);
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    ToolError::new(kind, parts.join("\n"))
}
