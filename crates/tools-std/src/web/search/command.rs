//! A program of one's own: one JSON object on its standard input, results as JSON on its standard output. It is
//! started without a shell, and nothing of it is left when the search ends.

use super::{Query, SearchError, SearchHit};
use pegboard_process::Reach;
use pegboard_tool_core::ToolContext;
use serde_json::{Value, json};
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// Most bytes that are read.
const MOST_BYTES: u64 = 4_000_000;
/// How long what is left may take to end.
const GRACE: Duration = Duration::from_millis(200);

/// Asks the program.
pub(super) async fn ask(
    command: &[String],
    query: &Query<'_>,
    ctx: &ToolContext,
) -> Result<Vec<SearchHit>, SearchError> {
    let failed = |what: String| SearchError::Command(what);
    let (program, arguments) = command.split_first().ok_or_else(|| failed("is empty".to_owned()))?;
    let domains = |list: &[super::Domain]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let input = json!({
        "query": query.words,
        "page": query.page,
        "allowed_domains": domains(query.allowed),
        "blocked_domains": domains(query.blocked),
    });
    let mut start = Command::new(program);
    start
        .args(arguments)
        .current_dir(&ctx.project_dir)
        .env_clear()
        .envs(environment(ctx))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let started = pegboard_process::start(start);
    let (mut child, tree) =
        started.map_err(|error| failed(format!("cannot be started ({})", error.kind())))?;
    let (Some(mut stdin), Some(stdout)) = (child_stdin(&mut child), child_stdout(&mut child)) else {
        return Err(failed("has no pipes".to_owned()));
    };
    let line = format!("{input}\n");
    let write = async move {
        // One that does not read its input may answer all the same.
        let _written = stdin.write_all(line.as_bytes()).await;
        drop(stdin);
    };
    let mut output = Vec::new();
    let mut limited = stdout.take(MOST_BYTES + 1);
    let ((), read) = tokio::join!(write, limited.read_to_end(&mut output));
    let is_too_large = output.len() as u64 > MOST_BYTES;
    let status = if is_too_large || read.is_err() { None } else { Some(wait(&mut child).await) };
    tree.end(Reach::Everything, GRACE).await;
    read.map_err(|error| failed(format!("broke off ({})", error.kind())))?;
    match status {
        None => return Err(SearchError::NotUnderstood("it is too large")),
        Some(Err(error)) => return Err(failed(format!("was lost ({})", error.kind()))),
        Some(Ok(status)) if !status.success() => {
            let how = status
                .code()
                .map_or("was ended by a signal".to_owned(), |code| format!("ended with code {code}"));
            return Err(failed(how));
        }
        Some(Ok(_)) => {}
    }
    let answer: Value =
        serde_json::from_slice(&output).map_err(|_| SearchError::NotUnderstood("it is no JSON"))?;
    let results = answer.as_array().or_else(|| answer.get("results").and_then(Value::as_array));
    results.map(|list| SearchHit::list(list)).ok_or(SearchError::NotUnderstood("it is no list of results"))
}

/// The environment of the program: the session's, with what every child is told.
fn environment(ctx: &ToolContext) -> Vec<(String, String)> {
    let is_sound = |name: &str, value: &str| {
        !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0') && !name.starts_with("OTEL_")
    };
    let own = ctx.env.iter().filter(|(name, value)| is_sound(name, value));
    let mut all: Vec<(String, String)> = own.map(|(name, value)| (name.clone(), value.clone())).collect();
    all.push(("CLAUDECODE".into(), "1".into()));
    all.push(("CLAUDE_CODE_CHILD_SESSION".into(), "1".into()));
    all.push(("CLAUDE_CODE_SESSION_ID".into(), ctx.session_id.replace('\0', "")));
    all
}

#[cfg(unix)]
fn child_stdin(child: &mut pegboard_process::Child) -> Option<tokio::process::ChildStdin> {
    child.stdin().take()
}

#[cfg(unix)]
fn child_stdout(child: &mut pegboard_process::Child) -> Option<tokio::process::ChildStdout> {
    child.stdout().take()
}

#[cfg(unix)]
async fn wait(child: &mut pegboard_process::Child) -> io::Result<std::process::ExitStatus> {
    child.wait().await
}

#[cfg(not(unix))]
fn child_stdin(child: &mut pegboard_process::Child) -> Option<tokio::process::ChildStdin> {
    child.stdin.take()
}

#[cfg(not(unix))]
fn child_stdout(child: &mut pegboard_process::Child) -> Option<tokio::process::ChildStdout> {
    child.stdout.take()
}

#[cfg(not(unix))]
async fn wait(child: &mut pegboard_process::Child) -> io::Result<std::process::ExitStatus> {
    child.wait().await
}
