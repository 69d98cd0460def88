//! A call written on one JSON line, with the rules that it is judged by: for `permissions check --calls` and
//! `permissions test`.

use crate::args::CommonArgs;
use crate::exit::{Fault, chain, one_line};
use crate::host;
use crate::judge::{Judge, Question, Unread};
use crate::lines::{id_of_bad, is_blank};
use crate::print::Printer;
use crate::stack;
use pegboard::permissions::{Engine, EngineConfig, Outcome, Problem};
use pegboard::settings::{Settings, inline};
use pegboard::tool_core::{RuleEffect, SourceOrder};
use pegboard::{PermissionMode, SettingSource};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One line.
#[derive(Debug)]
pub(crate) struct CallLine {
    pub(crate) id: Value,
    pub(crate) question: Question,
    /// Where it is asked, when the line says so.
    pub(crate) cwd: Option<PathBuf>,
    settings: Option<Value>,
    settings_by_source: Option<Map<String, Value>>,
    mode: Option<PermissionMode>,
    additional_dirs: Vec<PathBuf>,
    home: Option<PathBuf>,
}

/// Why a line cannot be used, with its id as far as there is one.
#[derive(Debug)]
pub(crate) struct BadLine {
    pub(crate) id: Value,
    pub(crate) text: String,
}

/// What judges lines: the options, and what was loaded for them.
pub(crate) struct Judges<'a> {
    common: &'a CommonArgs,
    cwd: &'a Path,
    printer: &'a Printer,
    /// Made at the first line that needs it: lines with settings of their own use no files.
    by_options: Option<Arc<Judge>>,
}

impl<'a> Judges<'a> {
    pub(crate) fn new(common: &'a CommonArgs, cwd: &'a Path, printer: &'a Printer) -> Self {
        Self { common, cwd, printer, by_options: None }
    }

    /// Where a line is asked.
    pub(crate) fn cwd_of(&self, line: &CallLine) -> PathBuf {
        line.cwd.as_deref().map_or_else(|| self.cwd.to_path_buf(), |own| self.cwd.join(own))
    }

    /// Who judges `line`: its own settings and nothing else, or those of the options.
    /// What is wrong with its own settings is said on stderr, with its `number`.
    pub(crate) fn of(&mut self, line: &CallLine, number: usize) -> Result<Arc<Judge>, Fault> {
        let cwd = self.cwd_of(line);
        let home = || line.home.clone().or_else(|| host::locations(&cwd).home);
        let values: Vec<(SettingSource, &Value)> = match (&line.settings_by_source, &line.settings) {
            (Some(sources), _) => sources
                .iter()
                .map(|(name, value)| Ok((name.parse().map_err(Fault::usage)?, value)))
                .collect::<Result<_, Fault>>()?,
            (None, Some(settings)) => vec![(SettingSource::Project, settings)],
            (None, None) => {
                let judge = match &self.by_options {
                    Some(judge) if line.cwd.is_none() => Arc::clone(judge),
                    _ => {
                        let judge = Arc::new(Judge::of_options(self.common, &cwd, self.printer)?);
                        if line.cwd.is_none() {
                            self.by_options = Some(Arc::clone(&judge));
                        }
                        judge
                    }
                };
                if line.is_plain() {
                    return Ok(judge);
                }
                let judge = match &line.home {
                    None => Judge::clone(&judge),
                    Some(home) => Judge::new(judge.settings().clone(), &cwd, Some(home.clone()))?,
                };
                return Ok(Arc::new(judge.adjusted(line.mode, &line.additional_dirs)));
            }
        };
        let settings = inline(&values, &cwd, home().as_deref(), &SourceOrder::default())
            .map_err(|error| Fault::usage(chain(&error)))?;
        let unread = unread_rules(&settings);
        let entries: Vec<String> = settings.problems.iter().map(ToString::to_string).collect();
        let (judge, problems) = Judge::with_problems(settings, &cwd, home())?;
        for problem in entries.iter().chain(&problems) {
            let id = if line.id.is_null() { String::new() } else { format!(" (id {})", line.id) };
            self.printer.error(&format!("line {number}{id}: {}", one_line(problem)));
        }
        Ok(Arc::new(judge.adjusted(line.mode, &line.additional_dirs).held_by(unread)))
    }
}

/// The deny and ask rules of `settings` that cannot be read: what they should have held back is put to a person.
fn unread_rules(settings: &Settings) -> Vec<Unread> {
    let mut found = Vec::new();
    for layer in &settings.layers {
        for (list, effect) in [("deny", RuleEffect::Deny), ("ask", RuleEffect::Ask)] {
            let entries = layer.value().get("permissions").and_then(|permissions| permissions.get(list));
            for entry in entries.and_then(Value::as_array).into_iter().flatten() {
                let is_rule =
                    entry.as_str().is_some_and(|text| !text.trim().is_empty() && !text.contains('\0'));
                if !is_rule {
                    let text = entry.as_str().map_or_else(|| entry.to_string(), str::to_owned);
                    found.push(Unread { effect, text });
                }
            }
        }
    }
    let mut config = EngineConfig::new(stack::analyzer());
    config.rules = settings.rules.iter().filter(|rule| rule.effect != RuleEffect::Allow).cloned().collect();
    let (_, problems) = Engine::new(config);
    let skipped = problems.into_iter().filter(|problem| problem.outcome == Outcome::Skipped);
    found.extend(
        skipped.map(|Problem { rule, .. }| Unread { effect: rule.effect, text: rule.text.to_string() }),
    );
    // A deny rule first: its step is the stricter one.
    found.sort_by_key(|unread| unread.effect != RuleEffect::Deny);
    found
}

impl CallLine {
    pub(crate) fn parse(line: &[u8]) -> Result<(Self, Map<String, Value>), BadLine> {
        if is_blank(line) {
            let text = "the line is blank; write {\"tool\": .., \"input\": ..}".to_owned();
            return Err(BadLine { id: Value::Null, text });
        }
        let value: Value = serde_json::from_slice(line).map_err(|error| BadLine {
            id: id_of_bad(line),
            text: format!("the line is not JSON: {error}"),
        })?;
        let id = value.get("id").cloned().unwrap_or(Value::Null);
        let Value::Object(object) = value else {
            let text = "the line is no call; write {\"tool\": .., \"input\": ..}".to_owned();
            return Err(BadLine { id, text });
        };
        match Self::of(&object, &id) {
            Ok(call) => Ok((call, object)),
            Err(text) => Err(BadLine { id, text }),
        }
    }

    fn of(object: &Map<String, Value>, id: &Value) -> Result<Self, String> {
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
        let input = match object.get("input") {
            Some(input @ Value::Object(_)) => input.clone(),
            Some(_) => return Err("`input` is no object".to_owned()),
            None => return Err("the line has no `input`".to_owned()),
        };
        Ok(Self {
            id: id.clone(),
            question: Question { tool: text("tool")?.ok_or("the line names no `tool`")?, input },
            settings: object.get("settings").filter(|value| !value.is_null()).cloned(),
            settings_by_source,
            mode: mode.transpose()?,
            cwd: text("cwd")?.map(PathBuf::from),
            additional_dirs,
            home: text("home")?.map(PathBuf::from),
        })
    }

    /// Whether the options alone say how it is judged.
    fn is_plain(&self) -> bool {
        self.mode.is_none() && self.additional_dirs.is_empty() && self.home.is_none()
    }
}
