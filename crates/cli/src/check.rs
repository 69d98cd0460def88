//! `pegboard permissions check`: one verdict, or one a line, as JSON. Nothing runs, nobody is asked.

use crate::args::CheckArgs;
use crate::call_line::{BadLine, CallLine, Judges};
use crate::exit::{Exit, Fault};
use crate::host;
use crate::judge::{Judge, Question, report};
use crate::lines::{Lines, read_text};
use crate::print::Printer;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Runs `pegboard permissions check`.
pub(crate) async fn check(args: &CheckArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    match (&args.calls, &args.tool, &args.input) {
        (Some(calls), ..) => lines(calls, Judges::new(&args.common, &cwd, printer), printer).await,
        (None, Some(tool), Some(input)) => {
            let question = Question { tool: tool.clone(), input: input_of(input)? };
            let judge = Judge::of_options(&args.common, &cwd, printer)?;
            let judged = judge.examine(&question).await.map_err(Fault::usage)?;
            printer.out(&format!("{}\n", Value::Object(report(&judged.decision))))?;
            Ok(Exit::Done)
        }
        (None, ..) => Err(Fault::usage("name a call: `--tool T --input JSON`, or `--calls FILE`")),
    }
}

/// The value of `--input`; `-` is stdin.
pub(crate) fn input_of(text: &str) -> Result<Value, Fault> {
    let read = if text == "-" { Some(read_text(Path::new("-"))?) } else { None };
    let input: Value = serde_json::from_str(read.as_deref().unwrap_or(text)).map_err(|error| {
        Fault::usage(format!("`--input` is not JSON ({error}); write it as '{{\"key\": ...}}'"))
    })?;
    match input {
        Value::Object(_) => Ok(input),
        _ => Err(Fault::usage("`--input` is no object; write it as '{\"key\": ...}'")),
    }
}

async fn lines(calls: &Path, mut judges: Judges<'_>, printer: &Printer) -> Result<Exit, Fault> {
    let mut lines = Lines::open(calls)?;
    let mut exit = Exit::Done;
    let mut line = Vec::new();
    while let Some(number) = lines.next_of_all(&mut line)? {
        let answer = match answer(&line, number, &mut judges).await {
            Ok(answer) => answer,
            Err(BadLine { id, text }) => {
                exit = Exit::Usage;
                Map::from_iter([("id".to_owned(), id), ("error".to_owned(), json!(text))])
            }
        };
        printer.out(&format!("{}\n", Value::Object(answer)))?;
    }
    Ok(exit)
}

async fn answer(line: &[u8], number: usize, judges: &mut Judges<'_>) -> Result<Map<String, Value>, BadLine> {
    let (call, _) = CallLine::parse(line)?;
    let bad = |text: String| BadLine { id: call.id.clone(), text };
    let judge = judges.of(&call, number).map_err(|fault| bad(fault.text))?;
    let judged = judge.examine(&call.question).await.map_err(bad)?;
    let mut answer = Map::new();
    if !call.id.is_null() {
        answer.insert("id".to_owned(), call.id.clone());
    }
    answer.extend(report(&judged.decision));
    Ok(answer)
}
