//! A program of one's own: one JSON object on its standard input, results as JSON on its standard output. It is
//! started without a shell, and nothing of it is left when the search ends.

use super::complaint::Complaint;
use super::{Query, SearchError, SearchHit};
use crate::child::{Streams, streams};
use crate::printed::{Printed, read_to_its_end};
use crate::{Services, confined, program};
use pegboard_process::Reach;
use pegboard_tool_core::ToolContext;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
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
    let (name, arguments) = command.split_first().ok_or_else(|| failed("is empty".to_owned()))?;
    let folders = std::env::split_paths(program::path_of(ctx));
    let program = program::resolve(name, &ctx.project_dir, folders)
        .map_err(|problem| failed(format!("`{name}` {problem}")))?;
    let domains = |list: &[super::Domain]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let input = json!({
        "query": query.words,
        "page": query.page,
        "allowed_domains": domains(query.allowed),
        "blocked_domains": domains(query.blocked),
    });
    let confinement = confined::of_session(services, ctx);
    let cannot = |error: io::Error| failed(format!("`{name}` cannot be started ({error})"));
    let mut start = confinement.command(&program).map_err(cannot)?;
    start
        .command()
        .args(arguments)
        .current_dir(&ctx.project_dir)
        .env_clear()
        .envs(program::environment(ctx))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (mut child, tree) = start.start().map_err(cannot)?;
    let Streams { stdin: Some(mut stdin), stdout: Some(stdout), stderr: Some(mut stderr) } =
        streams(&mut child)
    else {
        return Err(failed("has no pipes".to_owned()));
    };
    let line = format!("{input}\n");
    let write = async move {
        // One that does not read its input may answer all the same.
        let _written = stdin.write_all(line.as_bytes()).await;
        drop(stdin);
        std::future::pending::<Infallible>().await
    };
    let mut complaint = Complaint::default();
    let read = tokio::select! {
        read = read_to_its_end(&mut child, stdout, MOST_BYTES) => read,
        never = write => match never {},
        never = complaint.listen(&mut stderr) => match never {},
    };
    tree.end(Reach::Everything, GRACE).await;
    let answer = read.map_err(|error| format!("broke off ({error})")).and_then(results);
    match answer {
        Ok(hits) => Ok(hits),
        Err(problem) => {
            complaint.read_what_is_left(&mut stderr).await;
            Err(failed(format!("{problem}{}", complaint.in_words(&ctx.env))))
        }
    }
}

/// The results, or what is wrong after the words "the search command".
fn results(printed: Printed) -> Result<Vec<SearchHit>, String> {
    let not_understood = |why: &str| format!("sent an answer that is not understood ({why})");
    let status = printed.status.ok_or_else(|| not_understood("it is too large"))?;
    if !status.success() {
        return Err(match status.code() {
            Some(code) => format!("ended with code {code}"),
            None => "was ended by a signal".to_owned(),
        });
    }
    let answer: Value =
        serde_json::from_slice(&printed.bytes).map_err(|_| not_understood("it is no JSON"))?;
    let results = answer.as_array().or_else(|| answer.get("results").and_then(Value::as_array));
    let results = results.ok_or_else(|| not_understood("it is no list of results"))?;
    Ok(SearchHit::list(results, str::to_owned))
}
