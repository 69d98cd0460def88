//! The command handler: a process that reads the input and answers by exit code and output.

use crate::event::EventKind;
use crate::output::{self, ProcessOutput};
use crate::source::PluginPlace;
use crate::stream::{ANSWER_BYTES, ERROR_BYTES, Pipe, Stream};
use crate::{HandlerEnd, HookHandler, HookInput};
use async_trait::async_trait;
use pegboard_process::{ProcessTree, Reach};
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::HookReportOutcome;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::process::Command;

/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(200);

/// How a command is started.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the forms of the public documents")]
pub enum CommandLine {
    /// By `sh -c`.
    Shell(String),
    /// By `bash -c`.
    Bash(String),
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
    plugin: Option<Arc<PluginPlace>>,
}

impl CommandHandler {
    /// A handler that starts `line`.
    #[must_use]
    pub fn new(line: CommandLine) -> Self {
        Self { line, condition: None, plugin: None }
    }

    /// The same under an `if`, which is part of its identity.
    pub(crate) fn under(self, condition: Option<&str>) -> Self {
        Self { condition: condition.map(str::to_owned), ..self }
    }

    /// The same as part of a plugin.
    pub(crate) fn of_plugin(self, plugin: Option<Arc<PluginPlace>>) -> Self {
        Self { plugin, ..self }
    }

    fn command(&self, input: &HookInput) -> Command {
        let ctx = &input.ctx;
        let places = self.places(ctx);
        let mut command = match &self.line {
            CommandLine::Shell(text) | CommandLine::Bash(text) => {
                let is_bash = cfg!(windows) || matches!(self.line, CommandLine::Bash(_));
                let mut command = Command::new(if is_bash { "bash" } else { "/bin/sh" });
                // The shell expands the exported variable itself where the text of the path could be
                // read as code.
                let filled = places.iter().filter(|(_, place)| is_plain(place));
                let text = filled
                    .fold(text.clone(), |text, (name, place)| text.replace(&format!("${{{name}}}"), place));
                command.arg("-c").arg(text);
                command
            }
            CommandLine::PowerShell(text) => {
                let mut command = Command::new(if cfg!(windows) { "powershell" } else { "pwsh" });
                let text = places.iter().fold(text.clone(), |text, (name, _)| {
                    text.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}"))
                });
                command.args(["-NoProfile", "-NonInteractive", "-Command"]).arg(text);
                command
            }
            CommandLine::Program { program, args } => {
                let fill = |text: &str| {
                    let text = places.iter().fold(text.to_owned(), |text, (name, place)| {
                        text.replace(&format!("${{{name}}}"), place)
                    });
                    let options = self.plugin.iter().flat_map(|plugin| &plugin.options);
                    options.fold(text, |text, (key, value)| {
                        text.replace(&format!("${{user_config.{key}}}"), value)
                    })
                };
                let mut command = Command::new(fill(program));
                command.args(args.iter().map(|arg| fill(arg)));
                command
            }
        };
        command.env_clear().envs(environment(ctx)).envs(places);
        let options = self.plugin.iter().flat_map(|plugin| &plugin.options);
        command.envs(options.map(|(key, value)| (format!("CLAUDE_PLUGIN_OPTION_{key}"), value.clone())));
        if let Some(file) = &input.env_file {
            command.env("CLAUDE_ENV_FILE", &**file);
        }
        command.current_dir(working_dir(ctx));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Variables that stand for places, in the text and in the environment.
    fn places(&self, ctx: &ToolContext) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut places = vec![("CLAUDE_PROJECT_DIR", text(&ctx.project_dir))];
        if let Some(plugin) = &self.plugin {
            places.push(("CLAUDE_PLUGIN_ROOT", text(&plugin.root)));
            places.push(("CLAUDE_PLUGIN_DATA", text(&plugin.data)));
        }
        places
    }
}

/// The line of a handler's object in the settings.
pub(crate) fn command_line(object: &Map<String, Value>) -> Result<CommandLine, String> {
    let command = object.get("command").and_then(Value::as_str).filter(|command| !command.trim().is_empty());
    let command = command.ok_or("must have a `command`")?.to_owned();
    match object.get("args") {
        None | Some(Value::Null) => {}
        Some(Value::Array(args)) => {
            let args: Option<Vec<String>> = args.iter().map(|arg| arg.as_str().map(str::to_owned)).collect();
            let args = args.ok_or("`args` must be a list of strings")?;
            return Ok(CommandLine::Program { program: command, args });
        }
        Some(_) => return Err("`args` must be a list of strings".to_owned()),
    }
    match object.get("shell").and_then(Value::as_str) {
        Some("powershell") => Ok(CommandLine::PowerShell(command)),
        None | Some("sh") => Ok(CommandLine::Shell(command)),
        Some("bash") => Ok(CommandLine::Bash(command)),
        Some(other) => Err(format!("`{other}` is not a shell; use \"bash\" or \"powershell\"")),
    }
}

/// Whether a shell reads the text as itself.
fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || "/_.-+@:,%=".contains(letter))
}

/// The host's environment without exporter settings and what belongs to other events.
fn environment(ctx: &ToolContext) -> Vec<(String, String)> {
    let mut all = pegboard_process::child_environment(&ctx.env, &ctx.session_id);
    all.retain(|(name, _)| name != "CLAUDE_ENV_FILE");
    if let Some(effort) = crate::input::known(ctx, "effort") {
        all.push(("CLAUDE_EFFORT".into(), effort.to_owned()));
    }
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
            CommandLine::Shell(text) | CommandLine::Bash(text) | CommandLine::PowerShell(text) => {
                crate::long_text::short(text)
            }
            CommandLine::Program { program, args } => crate::long_text::short(
                &[&[program.as_str()], &*args.iter().map(String::as_str).collect::<Vec<_>>()]
                    .concat()
                    .join(" "),
            ),
        }
    }

    fn identity(&self) -> Option<String> {
        let plugin = self.plugin.as_ref().map(|plugin| &plugin.name);
        Some(format!("command {:?} {:?} {plugin:?}", self.line, self.condition))
    }

    async fn handle(&self, input: &HookInput) -> HandlerEnd {
        let Some(event) = EventKind::of(&input.event) else {
            return HandlerEnd::failed(
                HookReportOutcome::CouldNotStart,
                format!("`{}` is no event", input.event),
            );
        };
        let (child, tree) = match pegboard_process::start(self.command(input)) {
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
    let mut stdout = Stream::new(take(&mut child, Which::Out), ANSWER_BYTES);
    let mut stderr = Stream::new(take(&mut child, Which::Err), ERROR_BYTES);
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
            let (code, signal) = match status {
                Ok(status) => (status.code(), signal_of(status)),
                Err(error) => {
                    return HandlerEnd::failed(
                        HookReportOutcome::Crashed,
                        format!("could not be waited for: {error}"),
                    );
                }
            };
            let cut = stdout.is_cut();
            let output =
                ProcessOutput { code, signal, stdout: stdout.into_text(), cut, stderr: stderr.into_text() };
            output::read(&output, event)
        }
        Err(outcome) => {
            let (left, _status) = tokio::join!(tree.end(Reach::Everything, GRACE), wait(&mut child));
            let mut end = match outcome {
                HookReportOutcome::Cancelled => HandlerEnd::cancelled(),
                _ => HandlerEnd::timed_out(input.time_limit),
            };
            if left > 0 {
                end.notice.get_or_insert_default().push_str("; some of its processes could not be ended");
            }
            end
        }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// Writes the input and closes the pipe. A handler that does not read is no failure.
async fn feed(stdin: Option<impl AsyncWrite + Unpin>, text: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _unread_is_fine = stdin.write_all(text).await;
        let _closed_is_fine = stdin.shutdown().await;
    }
}

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
