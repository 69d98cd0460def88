//! Starts the shell, reads what it prints, and ends everything that it started.

use super::environment;
use super::output::Collected;
use pegboard_process::{PIPE_PATIENCE, Reach};
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Command;
use tokio::time::{Instant, sleep_until, timeout};

/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(100);
/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Bytes read after the shell ended from a pipe that is still open.
const LATE_BYTES: usize = 1024 * 1024;

/// Why the shell is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
    TooMuchOutput,
}

/// What a command left.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) ending: Ending,
    pub(super) output: Collected,
    /// Working directory of the shell at its end, when it said so.
    pub(super) shell_cwd: Option<PathBuf>,
    /// Processes that could not be ended.
    pub(super) survivors: usize,
    pub(super) most_output: u64,
}

/// Runs one command line.
pub(super) async fn run(
    line: &str,
    ctx: &ToolContext,
    limit: Duration,
    most_output: u64,
) -> Result<Finished, ToolError> {
    let shell = environment::shell(ctx)
        .ok_or_else(|| ToolError::new(ErrorKind::Unavailable, "bash is not installed"))?;
    if !ctx.cwd.is_dir() {
        let text = "the working directory is gone; nothing was run";
        return Err(ToolError::new(ErrorKind::NotFound, text));
    }
    let side = Side::new(&environment::temporary(ctx))
        .map_err(|error| unavailable("the temporary folder cannot be used", error))?;
    let (reader, writer) =
        io::pipe().map_err(|error| unavailable("the shell could not be started", error))?;
    let started = command(line, ctx, &shell, &side, writer).and_then(pegboard_process::start);
    let (mut child, tree) = started.map_err(|error| match error.kind() {
        io::ErrorKind::ArgumentListTooLong => {
            let text = "the command line is too long for the system; write it to a script file and run that";
            ToolError::new(ErrorKind::InvalidInput, text).with_source(error)
        }
        _ => unavailable("the shell could not be started", error),
    })?;
    let deadline = Instant::now() + limit;
    let mut output = Collected::default();
    let mut pipe = Receiver::from_owned_fd(OwnedFd::from(reader))
        .map_err(|error| unavailable("the output could not be read", error))?;
    let mut buffer = vec![0; CHUNK_BYTES];
    let ending = {
        let mut wait = pin!(child.wait());
        let mut open = true;
        loop {
            tokio::select! {
                biased;
                () = ctx.cancel.cancelled() => break Ending::Cancelled,
                () = sleep_until(deadline) => break Ending::TimedOut,
                read = pipe.read(&mut buffer), if open => match read {
                    Ok(read @ 1..) => {
                        output.push(buffer.get(..read).unwrap_or_default(), ctx).await;
                        if output.bytes() > most_output {
                            break Ending::TooMuchOutput;
                        }
                    }
                    _ => open = false,
                },
                status = &mut wait => match status {
                    Ok(status) => break Ending::Exited(status),
                    Err(error) => return Err(unavailable("the shell could not be waited for", error)),
                },
            }
        }
    };
    let survivors = match ending {
        Ending::Exited(_) => tree.end(Reach::Everything, GRACE).await,
        _ => tokio::join!(tree.end(Reach::Everything, GRACE), child.wait()).0,
    };
    // What was written before the end is in the pipe; whoever else holds it does not hold us.
    let mut late = 0;
    while late < LATE_BYTES {
        match timeout(PIPE_PATIENCE, pipe.read(&mut buffer)).await {
            Ok(Ok(read @ 1..)) => {
                late += read;
                output.push(buffer.get(..read).unwrap_or_default(), ctx).await;
            }
            _ => break,
        }
    }
    Ok(Finished { ending, output, shell_cwd: side.cwd(), survivors, most_output })
}

fn unavailable(text: &'static str, error: io::Error) -> ToolError {
    ToolError::new(ErrorKind::Unavailable, text)
        .with_operator_text(format!("{text}: {error}"))
        .with_source(error)
}

fn command(
    line: &str,
    ctx: &ToolContext,
    shell: &Path,
    side: &Side,
    writer: io::PipeWriter,
) -> io::Result<Command> {
    let mut command = Command::new(shell);
    command.arg0("bash");
    // The line stands alone, so what bash says about it has the right line numbers.
    command.args(["--noprofile", "--norc", "-c", line]).current_dir(&ctx.cwd);
    command.env_clear().envs(environment::of(ctx)).env("BASH_ENV", side.start_file());
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    Ok(command)
}

/// Private files beside the shell: what it reads at its start, and where it says at its end in which
/// directory it is.
#[derive(Debug)]
struct Side {
    folder: tempfile::TempDir,
}

impl Side {
    fn new(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("pegboard-bash-").tempdir_in(parent)?;
        let side = Self { folder };
        let cwd_file = side.cwd_file();
        let quoted = cwd_file.to_string_lossy().replace('\'', r"'\''");
        let note = format!("builtin pwd -P >| '{quoted}' 2>/dev/null").replace('\'', r"'\''");
        std::fs::write(side.start_file(), format!("unset BASH_ENV\ntrap '{note}' EXIT\n"))?;
        Ok(side)
    }

    fn start_file(&self) -> PathBuf {
        self.folder.path().join("start")
    }

    fn cwd_file(&self) -> PathBuf {
        self.folder.path().join("cwd")
    }

    fn cwd(&self) -> Option<PathBuf> {
        let mut text = std::fs::read(self.cwd_file()).ok()?;
        if text.pop() != Some(b'\n') {
            return None;
        }
        let path = PathBuf::from(OsString::from_vec(text));
        (path.is_absolute() && path.is_dir()).then_some(path)
    }
}
