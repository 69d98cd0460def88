//! A program of one's own: one JSON object on its standard input, results as JSON on its standard output. It is
//! started without a shell, and nothing of it is left when the search ends.

use super::{Query, SearchError, SearchHit};
use crate::child::{Streams, streams};
use crate::printed::{Printed, read_to_its_end};
use crate::{Services, confined};
use pegboard_process::Reach;
use pegboard_tool_core::ToolContext;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// Most bytes that are read.
const MOST_BYTES: usize = 4_000_000;
/// How long what is left may take to end.
const GRACE: Duration = Duration::from_millis(200);

/// Asks the program.
pub(super) async fn ask(
    command: &[String],
    query: &Query<'_>,
    services: &Services,
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
    let confinement = confined::of_session(services, ctx);
    let cannot = |error: io::Error| failed(format!("cannot be started ({})", error.kind()));
    let mut start = confinement.command(Path::new(program)).map_err(cannot)?;
    start
        .command()
        .args(arguments)
        .current_dir(&ctx.project_dir)
        .env_clear()
        .envs(environment(ctx))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let (mut child, tree) = start.start().map_err(cannot)?;
    let Streams { stdin: Some(mut stdin), stdout: Some(stdout), .. } = streams(&mut child) else {
        return Err(failed("has no pipes".to_owned()));
    };
    let line = format!("{input}\n");
    let write = async move {
        // One that does not read its input may answer all the same.
        let _written = stdin.write_all(line.as_bytes()).await;
        drop(stdin);
        std::future::pending::<Infallible>().await
    };
    let read = tokio::select! {
        read = read_to_its_end(&mut child, stdout, MOST_BYTES) => read,
        never = write => match never {},
    };
    tree.end(Reach::Everything, GRACE).await;
    let Printed { bytes, status } = read.map_err(|error| failed(format!("broke off ({})", error.kind())))?;
    match status {
        None => return Err(SearchError::NotUnderstood("it is too large")),
        Some(status) if !status.success() => {
            let how = status
                .code()
                .map_or("was ended by a signal".to_owned(), |code| format!("ended with code {code}"));
            return Err(failed(how));
        }
        Some(_) => {}
    }
    let answer: Value =
        serde_json::from_slice(&bytes).map_err(|_| SearchError::NotUnderstood("it is no JSON"))?;
    let results = answer.as_array().or_else(|| answer.get("results").and_then(Value::as_array));
    results.map(|list| SearchHit::list(list)).ok_or(SearchError::NotUnderstood("it is no list of results"))
}

/// The environment of the program: the session's, with what every child is told.
fn environment(ctx: &ToolContext) -> Vec<(String, String)> {
    pegboard_process::child_environment(&ctx.env, &ctx.session_id)
}
