//! `pegboard shell analyze`: what a command line would run, as JSON. Nothing runs.

use crate::exit::{Exit, Fault};
use crate::host;
use crate::lines::{Lines, id_of_bad, is_blank, read_text};
use crate::permissions_args::AnalyzeArgs;
use crate::print::Printer;
use crate::stack;
use pegboard::ports::{CommandAnalyzer, CommandReport, CommandUse, OpaquePart, ShellStart};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs `pegboard shell analyze`.
pub(crate) fn analyze(args: &AnalyzeArgs, printer: &Printer) -> Result<Exit, Fault> {
    let analyst = Analyst::new(args)?;
    let given = args.command.as_deref();
    if args.jsonl {
        return analyst.lines(Path::new(given.unwrap_or("-")), printer);
    }
    let line = match given {
        Some(line) if line != "-" => line.to_owned(),
        _ => {
            let mut text = read_text(Path::new("-"))?;
            // The end of the last line is the file's, not the command's.
            if text.ends_with('\n') {
                text.pop();
            }
            text
        }
    };
    printer.out(&format!("{}\n", Value::Object(analyst.report(&line))))?;
    Ok(Exit::Done)
}

struct Analyst {
    analyzer: Arc<dyn CommandAnalyzer>,
    start: ShellStart,
}

impl Analyst {
    fn new(args: &AnalyzeArgs) -> Result<Self, Fault> {
        // The folder need not be there: nothing is looked up in it.
        let cwd = match &args.cwd {
            Some(cwd) => std::path::absolute(cwd).map_err(|error| {
                Fault::usage(format!("the working directory `{}` cannot be used ({error})", cwd.display()))
            })?,
            None => std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        };
        let home = host::locations(&cwd).home;
        Ok(Self { analyzer: stack::analyzer(), start: ShellStart::bash(cwd, home) })
    }

    fn lines(&self, path: &Path, printer: &Printer) -> Result<Exit, Fault> {
        let mut lines = Lines::open(path)?;
        let mut exit = Exit::Done;
        let mut line = Vec::new();
        while lines.next_of_all(&mut line)?.is_some() {
            let answer = match command_of(&line) {
                Ok((id, command)) => {
                    let mut answer = Map::new();
                    answer.extend(id.map(|id| ("id".to_owned(), id)));
                    answer.extend(self.report(&command));
                    answer
                }
                Err((id, text)) => {
                    exit = Exit::Usage;
                    Map::from_iter([("id".to_owned(), id), ("error".to_owned(), json!(text))])
                }
            };
            printer.out(&format!("{}\n", Value::Object(answer)))?;
        }
        Ok(exit)
    }

    fn report(&self, line: &str) -> Map<String, Value> {
        let report: Arc<CommandReport> = self.analyzer.analyze(line, &self.start);
        let commands: Vec<Value> = report.commands.iter().map(command).collect();
        let opaque: Vec<Value> = report.opaque.iter().map(opaque).collect();
        let fields = [
            ("commands", Value::Array(commands)),
            ("writes", json!(report.writes)),
            ("reads", json!(report.reads)),
            ("removes", json!(report.removes)),
            ("network", json!(report.network)),
            ("opaque", Value::Array(opaque)),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

fn command(command: &CommandUse) -> Value {
    json!({
        "program": command.program, "argv": command.argv, "exact": command.exact, "via": command.via,
        "at": command.at,
    })
}

fn opaque(part: &OpaquePart) -> Value {
    json!({"reason": part.reason, "at": part.at})
}

fn command_of(line: &[u8]) -> Result<(Option<Value>, String), (Value, String)> {
    if is_blank(line) {
        return Err((Value::Null, "the line is blank; write {\"command\": ..}".to_owned()));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| (id_of_bad(line), format!("the line is not JSON: {error}")))?;
    let id = value.get("id").filter(|id| !id.is_null()).cloned();
    match value.get("command") {
        Some(Value::String(command)) => Ok((id, command.clone())),
        _ => Err((id.unwrap_or(Value::Null), "the line has no text `command`".to_owned())),
    }
}
