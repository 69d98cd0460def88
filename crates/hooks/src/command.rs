//! The command handler: a process that reads the input and answers by exit code and output.

use crate::event::EventKind;
use crate::output::{self, ProcessOutput};
use crate::{HandlerEnd, HookHandler, HookInput};
use async_trait::async_trait;
use pegboard_process::{ProcessTree, Reach};
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::HookReportOutcome;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::process::Command;

/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(300);
/// Bytes that are kept from the start of a stream.
const HEAD_BYTES: usize = 8 * 1024 * 1024;
/// Bytes that are kept from the end of a longer one.
const TAIL_BYTES: usize = 64 * 1024;
/// Bytes read after the process ended from a pipe that somebody else still writes to.
const LATE_BYTES: usize = HEAD_BYTES;

/// How a command is started.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the forms of the public documents")]
pub enum CommandLine {
    /// By `sh -c`.
    Shell(String),
    /// By PowerShell.
    PowerShell(String),
    /// Directly: a program, looked up on PATH, and its arguments.
    Program {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// Runs a command for each event.
#[derive(Clone, Debug)]
pub struct CommandHandler {
    line: CommandLine,
    condition: Option<String>,
}

impl CommandHandler {
    /// A handler that starts `line`.
    #[must_use]
    pub fn new(line: CommandLine) -> Self {
        Self { line, condition: None }
    }

    /// The same under an `if`, which is part of its identity.
    pub(crate) fn under(self, condition: Option<&str>) -> Self {
        Self { condition: condition.map(str::to_owned), ..self }
    }

    fn command(&self, ctx: &ToolContext) -> Command {
        let project = ctx.project_dir.to_string_lossy().into_owned();
        let fill = |text: &str| text.replace(PROJECT_DIR, &project);
        let mut command = match &self.line {
            CommandLine::Shell(text) => {
                let mut command = Command::new(if cfg!(windows) { "bash" } else { "/bin/sh" });
                // The shell expands the exported variable itself where the text of the path could be
                // read as code.
                let text = if is_plain(&project) { fill(text) } else { text.clone() };
                command.arg("-c").arg(text);
                command
            }
            CommandLine::PowerShell(text) => {
                let mut command = Command::new(if cfg!(windows) { "powershell" } else { "pwsh" });
                command.args(["-NoProfile", "-NonInteractive", "-Command"]).arg(fill_power(text));
                command
            }
            CommandLine::Program { program, args } => {
                let mut command = Command::new(fill(program));
                command.args(args.iter().map(|arg| fill(arg)));
                command
            }
        };
        command.env_clear().envs(environment(ctx)).env("CLAUDE_PROJECT_DIR", &project);
        command.current_dir(working_dir(ctx));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

const PROJECT_DIR: &str = "${CLAUDE_PROJECT_DIR}";

fn fill_power(text: &str) -> String {
    text.replace(PROJECT_DIR, "${env:CLAUDE_PROJECT_DIR}")
}

/// Whether a shell reads the text as itself.
fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || "/_.-+@:,%=".contains(letter))
}

/// The host's environment without exporter settings and what belongs to other events.
fn environment(ctx: &ToolContext) -> Vec<(String, String)> {
    let host = ctx.env.iter().filter(|(name, _)| !name.starts_with("OTEL_") && *name != "CLAUDE_ENV_FILE");
    let mut all: Vec<(String, String)> = host.map(|(name, value)| (name.clone(), value.clone())).collect();
    all.push(("CLAUDECODE".into(), "1".into()));
    all.push(("CLAUDE_CODE_CHILD_SESSION".into(), "1".into()));
    all.push(("CLAUDE_CODE_SESSION_ID".into(), ctx.session_id.to_string()));
    all
}

/// The working directory, or what is left of its surroundings.
fn working_dir(ctx: &ToolContext) -> PathBuf {
    let places = [Some(&ctx.cwd), Some(&ctx.project_dir), ctx.home.as_ref()];
    let found = places.into_iter().flatten().find(|place| place.is_dir());
    found.cloned().unwrap_or_else(|| Path::new("/").to_owned())
}

#[async_trait]
impl HookHandler for CommandHandler {
    fn label(&self) -> String {
        match &self.line {
            CommandLine::Shell(text) | CommandLine::PowerShell(text) => crate::long_text::short(text),
            CommandLine::Program { program, args } => crate::long_text::short(
                &[&[program.as_str()], &*args.iter().map(String::as_str).collect::<Vec<_>>()]
                    .concat()
                    .join(" "),
            ),
        }
    }

    fn identity(&self) -> Option<String> {
        Some(format!("command {:?} {:?}", self.line, self.condition))
    }

    async fn handle(&self, input: &HookInput) -> HandlerEnd {
        let Some(event) = EventKind::of(&input.event) else {
            return HandlerEnd::failed(
                HookReportOutcome::CouldNotStart,
                format!("`{}` is no event", input.event),
            );
        };
        let (child, tree) = match pegboard_process::start(self.command(&input.ctx)) {
            Ok(started) => started,
            Err(error) => {
                return HandlerEnd::failed(
                    HookReportOutcome::CouldNotStart,
                    format!("could not start: {error}"),
                );
            }
        };
        attend(child, tree, input, event).await
    }
}

/// Stays with the process until it ends, its time is over or the call is cancelled.
async fn attend(
    mut child: pegboard_process::Child,
    tree: ProcessTree,
    input: &HookInput,
    event: EventKind,
) -> HandlerEnd {
    let mut stdout = Stream::new(take(&mut child, Which::Out));
    let mut stderr = Stream::new(take(&mut child, Which::Err));
    let stdin = take_stdin(&mut child);
    let ended = {
        let talk = async {
            // The three run at once; none of them holds up the end of the process.
            let feed = feed(stdin, input.text.as_bytes());
            let talk = async { tokio::join!(feed, stdout.read_all(), stderr.read_all()) };
            tokio::pin!(talk);
            let wait = wait(&mut child);
            tokio::pin!(wait);
            tokio::select! {
                status = &mut wait => status,
                _ = &mut talk => wait.await,
            }
        };
        tokio::select! {
            biased;
            () = input.ctx.cancel.cancelled() => Err(HookReportOutcome::Cancelled),
            status = talk => Ok(status),
            () = tokio::time::sleep(input.time_limit) => Err(HookReportOutcome::TimedOut),
        }
    };
    match ended {
        Ok(status) => {
            tree.end(Reach::Group, Duration::ZERO).await;
            stdout.read_late().await;
            stderr.read_late().await;
            let code = match status {
                Ok(status) => status.code(),
                Err(error) => {
                    return HandlerEnd::failed(
                        HookReportOutcome::Crashed,
                        format!("could not be waited for: {error}"),
                    );
                }
            };
            let cut = stdout.is_cut();
            let output = ProcessOutput { code, stdout: stdout.into_text(), cut, stderr: stderr.into_text() };
            output::read(&output, event)
        }
        Err(outcome) => {
            let (left, _status) = tokio::join!(tree.end(Reach::Everything, GRACE), wait(&mut child));
            let mut notice = match outcome {
                HookReportOutcome::Cancelled => "was ended: the call was cancelled".to_owned(),
                _ => format!("was ended at its time limit of {}", seconds(input.time_limit)),
            };
            if left > 0 {
                notice.push_str("; some of its processes could not be ended");
            }
            HandlerEnd::failed(outcome, notice)
        }
    }
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

/// Writes the input and closes the pipe. A handler that does not read is no failure.
async fn feed(stdin: Option<impl AsyncWrite + Unpin>, text: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _unread_is_fine = stdin.write_all(text).await;
        let _closed_is_fine = stdin.shutdown().await;
    }
}

type Pipe = Box<dyn AsyncRead + Send + Unpin>;

enum Which {
    Out,
    Err,
}

#[cfg(unix)]
fn take(child: &mut pegboard_process::Child, which: Which) -> Option<Pipe> {
    match which {
        Which::Out => child.stdout().take().map(|pipe| Box::new(pipe) as Pipe),
        Which::Err => child.stderr().take().map(|pipe| Box::new(pipe) as Pipe),
    }
}

#[cfg(not(unix))]
fn take(child: &mut pegboard_process::Child, which: Which) -> Option<Pipe> {
    match which {
        Which::Out => child.stdout.take().map(|pipe| Box::new(pipe) as Pipe),
        Which::Err => child.stderr.take().map(|pipe| Box::new(pipe) as Pipe),
    }
}

#[cfg(unix)]
fn take_stdin(child: &mut pegboard_process::Child) -> Option<tokio::process::ChildStdin> {
    child.stdin().take()
}

#[cfg(not(unix))]
fn take_stdin(child: &mut pegboard_process::Child) -> Option<tokio::process::ChildStdin> {
    child.stdin.take()
}

async fn wait(child: &mut pegboard_process::Child) -> io::Result<ExitStatus> {
    child.wait().await
}

/// One output stream, read in bounded memory: its start, and its end when it is longer.
struct Stream {
    pipe: Option<Pipe>,
    head: Vec<u8>,
    tail: Vec<u8>,
    total: usize,
}

impl Stream {
    fn new(pipe: Option<Pipe>) -> Self {
        Self { pipe, head: Vec::new(), tail: Vec::new(), total: 0 }
    }

    async fn read_all(&mut self) {
        let Some(mut pipe) = self.pipe.take() else { return };
        let mut buffer = vec![0; 64 * 1024];
        // The pipe is put back before every wait, so that nothing is lost when this is dropped.
        loop {
            let read = {
                let slot = self.pipe.insert(pipe);
                slot.read(&mut buffer).await
            };
            match (read, self.pipe.take()) {
                (Ok(read @ 1..), Some(back)) => {
                    self.keep(buffer.get(..read).unwrap_or_default());
                    pipe = back;
                }
                _ => return,
            }
        }
    }

    /// What still is in the pipe after the process ended.
    async fn read_late(&mut self) {
        let Some(mut pipe) = self.pipe.take() else { return };
        let mut buffer = vec![0; 64 * 1024];
        let mut late = 0;
        while late < LATE_BYTES {
            match pegboard_process::read_soon(&mut pipe, &mut buffer).await {
                Ok(read @ 1..) => {
                    late += read;
                    self.keep(buffer.get(..read).unwrap_or_default());
                }
                _ => return,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len());
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(tail);
        if self.tail.len() > 2 * TAIL_BYTES {
            self.tail.drain(..self.tail.len() - TAIL_BYTES);
        }
    }

    fn is_cut(&self) -> bool {
        self.total > self.head.len() + self.tail.len()
    }

    fn into_text(self) -> String {
        let mut bytes = self.head;
        if self.total > bytes.len() + self.tail.len() {
            bytes.extend_from_slice(b"\n");
        }
        bytes.extend_from_slice(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
