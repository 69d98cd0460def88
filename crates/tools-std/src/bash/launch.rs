//! How a line is started: in a shell without start-up files of its own, which says at its end where it is.

use crate::shell::engine::{Launch, Streams, unavailable};
use crate::shell::side::Side;
use crate::shell::startup::ShellStartup;
use crate::shell::{env_file, environment};
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Shells beside bash that know `trap` with `EXIT`.
const TRAPPING: [&str; 6] = ["sh", "dash", "ash", "ksh", "mksh", "zsh"];

/// A line to start, and what the model must know about its start.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) launch: Launch,
    pub(crate) notice: Option<String>,
}

/// The line as something to start.
pub(crate) async fn of(
    line: &str,
    startup: &ShellStartup,
    ctx: &ToolContext,
    streams: Streams,
    most_output: u64,
) -> Result<Prepared, ToolError> {
    let program = shell(startup, ctx)?;
    let side = Side::new(&environment::temporary(ctx)).map_err(unusable)?;
    let (env, notice) = environment_of(startup, &program, ctx).await;
    let mut env: Vec<(OsString, OsString)> =
        env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    let (args, start) = if startup.is_bash() {
        let start = side.write("start", start_file(startup, &side).as_bytes()).map_err(unusable)?;
        // The line stands alone, so what bash says about it has the right line numbers; the last word is the
        // name that bash gives itself.
        (["--noprofile", "--norc", "-c", line, "bash"].map(OsString::from).to_vec(), Some(start))
    } else {
        (vec!["-c".into(), other_line(line, &program, &side).into()], None)
    };
    let limits = startup.limits;
    let launch = match &startup.prefix {
        None => {
            env.extend(start.map(|start| ("BASH_ENV".into(), start.into_os_string())));
            let arg0 = startup.is_bash().then(|| "bash".into());
            Launch { program, arg0, args, cwd: ctx.cwd.clone(), env, side, streams, most_output, limits }
        }
        Some(prefix) => {
            let (prefix, mut words) = prefix_of(prefix, ctx)?;
            let mut args = args;
            args.extend(startup.is_bash().then(|| "bash".into()));
            words.push(as_one_command(&program, &args, start.as_deref()).into());
            let cwd = ctx.cwd.clone();
            Launch { program: prefix, arg0: None, args: words, cwd, env, side, streams, most_output, limits }
        }
    };
    Ok(Prepared { launch, notice })
}

fn unusable(error: io::Error) -> ToolError {
    unavailable("the temporary folder cannot be used", error)
}

/// The shell that the host wants, or bash.
fn shell(startup: &ShellStartup, ctx: &ToolContext) -> Result<PathBuf, ToolError> {
    let absent = |text: &'static str| ToolError::new(ErrorKind::Unavailable, text);
    match &startup.program {
        None => environment::shell(ctx).ok_or_else(|| absent("bash is not installed")),
        Some(named) if named.is_absolute() => Some(named.clone())
            .filter(|named| named.is_file())
            .ok_or_else(|| absent("the shell that CLAUDE_CODE_SHELL names is not there")),
        Some(named) => environment::program(&named.to_string_lossy(), ctx, &[])
            .filter(|_| named.components().count() == 1)
            .ok_or_else(|| absent("the shell that CLAUDE_CODE_SHELL names is not on PATH")),
    }
}

/// The environment with what the env file says.
async fn environment_of(
    startup: &ShellStartup,
    program: &Path,
    ctx: &ToolContext,
) -> (Vec<(String, String)>, Option<String>) {
    let Some(file) = &startup.env_file else { return (environment::of(ctx), None) };
    let bash = if startup.is_bash() { Some(program.to_owned()) } else { environment::shell(ctx) };
    let variables = match bash {
        Some(bash) => env_file::variables(&ctx.absolute(file), &bash, startup.limits, ctx).await,
        None => Err("bash, which reads the env file, is not installed".to_owned()),
    };
    match variables {
        Ok(variables) => (environment::cleaned(&variables, ctx), None),
        Err(problem) => (environment::of(ctx), Some(format!("[CLAUDE_ENV_FILE does not count: {problem}]"))),
    }
}

/// What bash reads first.
fn start_file(startup: &ShellStartup, side: &Side) -> String {
    let file = quoted(&side.cwd_file().to_string_lossy());
    let note = format!("{{ builtin jobs -rp; builtin pwd -P; }} >| {file} 2>/dev/null");
    let snapshot = startup.snapshot.as_ref().map(|snapshot| snapshot.text()).unwrap_or_default();
    format!("unset BASH_ENV\n{snapshot}\ntrap {} EXIT\n", quoted(&note))
}

/// The line for a shell that is not bash.
fn other_line(line: &str, program: &Path, side: &Side) -> String {
    let name = program.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    if !TRAPPING.contains(&&*name) {
        return line.to_owned();
    }
    let note = format!("pwd -P > {} 2>/dev/null", quoted(&side.cwd_file().to_string_lossy()));
    format!("trap {} EXIT\n{line}", quoted(&note))
}

/// The program that runs the command for us, and its own words.
fn prefix_of(prefix: &str, ctx: &ToolContext) -> Result<(PathBuf, Vec<OsString>), ToolError> {
    let whole = Path::new(prefix);
    if whole.is_absolute() && whole.is_file() {
        return Ok((whole.to_owned(), Vec::new()));
    }
    let mut words = prefix.split_whitespace();
    let first = words.next().unwrap_or_default();
    let program = if Path::new(first).is_absolute() {
        Some(PathBuf::from(first)).filter(|program| program.is_file())
    } else {
        environment::program(first, ctx, &[]).filter(|_| !first.contains('/'))
    };
    let absent =
        || ToolError::new(ErrorKind::Unavailable, "the program of CLAUDE_CODE_SHELL_PREFIX is not there");
    Ok((program.ok_or_else(absent)?, words.map(OsString::from).collect()))
}

/// The start of the shell as one command line of any shell.
fn as_one_command(program: &Path, args: &[OsString], start: Option<&Path>) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(start.map(|start| format!("BASH_ENV={}", quoted(&start.to_string_lossy()))));
    words.push(quoted(&program.to_string_lossy()));
    words.extend(args.iter().map(|arg| quoted(&arg.to_string_lossy())));
    words.join(" ")
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
