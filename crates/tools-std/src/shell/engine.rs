//! Starts what a tool describes: any program, with one pipe for both streams or one for each. Next:
//! [`super::running`].

use super::output::Collector;
use super::output_file::Place;
use super::running::{OutputWatcher, Parts, Running};
use super::side::Side;
use super::source::Source;
use crate::confined::{self, LimitWatch};
use pegboard_process::Limits;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

/// What to start.
#[derive(Debug)]
pub(crate) struct Launch {
    /// Absolute path of the program.
    pub(crate) program: PathBuf,
    /// Its own name in its argument list, when that is another than its path.
    pub(crate) arg0: Option<OsString>,
    pub(crate) args: Vec<OsString>,
    /// Where it starts.
    pub(crate) cwd: PathBuf,
    /// Its environment, complete.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Private files that it reads, and where it says in which directory it ended.
    pub(crate) side: Side,
    /// What becomes of its two streams.
    pub(crate) streams: Streams,
    /// Bytes of output after which it is killed.
    pub(crate) most_output: u64,
    /// What it may use together with the other commands of the session.
    pub(crate) limits: Limits,
}

/// What becomes of standard output and standard error.
#[derive(Debug)]
pub(crate) enum Streams {
    /// One stream, in true order.
    Merged,
    /// Both are kept as one output, in the order in which they are read; somebody sees standard output
    /// as it comes.
    Watched(Box<dyn OutputWatcher>),
}

/// Starts it. What it prints is stored where `ctx` says.
///
/// # Errors
/// When its folder is gone or the system does not start it, in words for the model.
pub(crate) fn start(launch: Launch, ctx: &ToolContext) -> Result<Running, ToolError> {
    if !launch.cwd.is_dir() {
        let text = "the working directory is gone; nothing was run";
        return Err(ToolError::new(ErrorKind::NotFound, text));
    }
    let failed = |error| match io::Error::kind(&error) {
        io::ErrorKind::ArgumentListTooLong => {
            let text = "the command line is too long for the system; write it to a script file and run that";
            ToolError::new(ErrorKind::InvalidInput, text).with_source(error)
        }
        _ => unavailable("the shell could not be started", error),
    };
    let (output, writer) = Source::new().map_err(failed)?;
    let (watcher, errors, error_writer) = match launch.streams {
        Streams::Merged => (None, None, writer.try_clone().map_err(failed)?),
        Streams::Watched(watcher) => {
            let (errors, writer) = Source::new().map_err(failed)?;
            (Some(watcher), Some(errors), writer)
        }
    };
    let confinement = confined::of(launch.limits, ctx);
    let limits = LimitWatch::new(Arc::clone(&confinement));
    let mut confined = confinement.command(&launch.program).map_err(failed)?;
    let command = confined.command();
    #[cfg(unix)]
    if let Some(arg0) = launch.arg0.filter(|_| command.as_std().get_program() == launch.program) {
        command.arg0(arg0);
    }
    command.args(&launch.args).current_dir(&launch.cwd);
    command.env_clear().envs(launch.env);
    command.stdin(Stdio::null()).stdout(writer).stderr(error_writer);
    let (child, tree) = confined.start().map_err(failed)?;
    Ok(Running::new(Parts {
        child,
        tree,
        output,
        errors,
        watcher,
        collector: Collector::new(Place::of(ctx)),
        side: launch.side,
        most_output: launch.most_output,
        limits,
    }))
}

/// Something of the system that is needed failed.
pub(crate) fn unavailable(text: &'static str, error: io::Error) -> ToolError {
    ToolError::new(ErrorKind::Unavailable, text)
        .with_operator_text(format!("{text}: {error}"))
        .with_source(error)
}
