//! `pegboard permissions check`: one verdict, or one a line, as JSON. Nothing runs, nobody is asked.

use crate::args::{CheckArgs, CommonArgs};
use crate::exit::{Exit, Fault, chain};
use crate::host;
use crate::judge::{Judge, Question};
use crate::print::Printer;
use pegboard::settings::inline;
use pegboard::{PermissionMode, SettingSource, tool_core::SourceOrder};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most bytes of a line of `--calls`.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Runs `pegboard permissions check`.
pub(crate) async fn check(args: &CheckArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    match (&args.calls, &args.tool, &args.input) {
        (Some(calls), ..) => lines(calls, &args.common, &cwd, printer).await,
        (None, Some(tool), Some(input)) => {
            let input = serde_json::from_str(input).map_err(|error| {
                Fault::usage(format!("`--input` is not JSON ({error}); write it as '{{\"key\": ...}}'"))
            })?;
            let judge = Judge::of_options(&args.common, &cwd, printer)?;
            let answer = judge.answer(&Question { tool: tool.clone(), input }).await;
            printer.out(&format!("{}\n", Value::Object(answer)))?;
            Ok(Exit::Done)
        }
        (None, ..) => Err(Fault::usage("name a call: `--tool T --input JSON`, or `--calls FILE`")),
    }
}

async fn lines(calls: &Path, common: &CommonArgs, cwd: &Path, printer: &Printer) -> Result<Exit, Fault> {
    let mut reader: Box<dyn BufRead> = if calls == Path::new("-") {
        Box::new(BufReader::new(stdin()))
    } else {
        let file = File::open(calls).map_err(|error| {
            Fault::usage(format!("`{}` cannot be read ({error}); name a readable file", calls.display()))
        })?;
        Box::new(BufReader::new(file))
    };
    // Made at the first line that needs it: lines with settings of their own use no files.
    let mut by_options: Option<Arc<Judge>> = None;
    let mut exit = Exit::Done;
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut *reader, &mut line) {
            Ok(0) => return Ok(exit),
            Ok(_) => {}
            Err(error) => return Err(Fault::usage(format!("`{}` cannot be read: {error}", calls.display()))),
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match Line::parse(&line) {
            Ok(call) => match call.judge(common, cwd, printer, &mut by_options) {
                Ok(judge) => {
                    let mut answer = Map::new();
                    answer.insert("id".to_owned(), call.id.clone());
                    answer.extend(judge.answer(&call.question).await);
                    if answer.contains_key("error") {
                        exit = Exit::Usage;
                    }
                    answer
                }
                Err(fault) => fault_line(call.id.clone(), &fault.text, &mut exit),
            },
            Err((id, text)) => fault_line(id, &text, &mut exit),
        };
        printer.out(&format!("{}\n", Value::Object(answer)))?;
    }
}

fn fault_line(id: Value, text: &str, exit: &mut Exit) -> Map<String, Value> {
    *exit = Exit::Usage;
    Map::from_iter([("id".to_owned(), id), ("error".to_owned(), json!(text))])
}

/// One line without its end, at most [`MAX_LINE_BYTES`]; what is more is dropped, and the line is then no JSON.
fn read_line(reader: &mut dyn BufRead, line: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut read = 0;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(read);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(chunk.len(), |end| end + 1);
        if line.len() < MAX_LINE_BYTES {
            line.extend_from_slice(chunk.get(..taken).unwrap_or_default());
        }
        reader.consume(taken);
        read += taken;
        if end.is_some() {
            return Ok(read);
        }
    }
}

/// One line of `--calls`.
struct Line {
    id: Value,
    question: Question,
    settings: Option<Value>,
    settings_by_source: Option<Map<String, Value>>,
    mode: Option<PermissionMode>,
    cwd: Option<PathBuf>,
    additional_dirs: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Line {
    fn parse(line: &[u8]) -> Result<Self, (Value, String)> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| (Value::Null, format!("the line is not JSON: {error}")))?;
        let id = value.get("id").cloned().unwrap_or(Value::Null);
        Self::of(&value, &id).map_err(|text| (id, text))
    }

    fn of(value: &Value, id: &Value) -> Result<Self, String> {
        let Value::Object(object) = value else {
            return Err("the line is no call; write {\"tool\": .., \"input\": ..}".to_owned());
        };
        let text = |name: &str| match object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("`{name}` is no text")),
        };
        let mode =
            text("mode")?.map(|mode| mode.parse::<PermissionMode>().map_err(|error| error.to_string()));
        let additional_dirs = match object.get("additional_dirs") {
            None | Some(Value::Null) => Vec::new(),
            Some(list) => serde_json::from_value(list.clone())
                .map_err(|_| "`additional_dirs` is no list of paths".to_owned())?,
        };
        let settings_by_source = match object.get("settings_by_source") {
            None | Some(Value::Null) => None,
            Some(Value::Object(sources)) => Some(sources.clone()),
            Some(_) => return Err("`settings_by_source` is no object".to_owned()),
        };
        Ok(Self {
            id: id.clone(),
            question: Question {
                tool: text("tool")?.ok_or("the line names no `tool`")?,
                input: object.get("input").cloned().ok_or("the line has no `input`")?,
            },
            settings: object.get("settings").filter(|value| !value.is_null()).cloned(),
            settings_by_source,
            mode: mode.transpose()?,
            cwd: text("cwd")?.map(PathBuf::from),
            additional_dirs,
            home: text("home")?.map(PathBuf::from),
        })
    }

    /// Who judges the line: its own settings, or those of the options.
    fn judge(
        &self,
        common: &CommonArgs,
        cwd: &Path,
        printer: &Printer,
        by_options: &mut Option<Arc<Judge>>,
    ) -> Result<Arc<Judge>, Fault> {
        let cwd = self.cwd.as_deref().map_or_else(|| cwd.to_path_buf(), |own| cwd.join(own));
        let home = || self.home.clone().or_else(|| host::locations(&cwd).home);
        let values: Vec<(SettingSource, &Value)> = match (&self.settings_by_source, &self.settings) {
            (Some(sources), _) => sources
                .iter()
                .map(|(name, value)| Ok((name.parse().map_err(Fault::usage)?, value)))
                .collect::<Result<_, Fault>>()?,
            (None, Some(settings)) => vec![(SettingSource::Project, settings)],
            (None, None) if self.is_plain() => {
                if let Some(judge) = by_options {
                    return Ok(Arc::clone(judge));
                }
                let judge = Arc::new(Judge::of_options(common, &cwd, printer)?);
                *by_options = Some(Arc::clone(&judge));
                return Ok(judge);
            }
            (None, None) => {
                let settings = host::settings(common, &cwd, printer)?;
                return Ok(Arc::new(self.adjusted(Judge::new(settings, &cwd, home())?)));
            }
        };
        let settings = inline(&values, &cwd, home().as_deref(), &SourceOrder::default())
            .map_err(|error| Fault::usage(chain(&error)))?;
        Ok(Arc::new(self.adjusted(Judge::new(settings, &cwd, home())?)))
    }

    fn is_plain(&self) -> bool {
        self.mode.is_none() && self.cwd.is_none() && self.additional_dirs.is_empty() && self.home.is_none()
    }

    fn adjusted(&self, judge: Judge) -> Judge {
        judge.adjusted(self.mode, &self.additional_dirs)
    }
}
