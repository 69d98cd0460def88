//! Calls of the past, as an events file or the journal of a session tells them.

use crate::exit::{Fault, chain};
use crate::lines::Lines;
use pegboard::PermissionMode;
use pegboard::ports::{DecisionStep, HookAdvice, Outcome, Verdict};
use pegboard::session::{JOURNAL_FILE, RecordedCall, read_journal};
use pegboard::tool_core::RawInput;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A call of the past.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) project_dir: Option<PathBuf>,
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) hook: Option<HookAdvice>,
    pub(crate) was: Option<Was>,
}

/// What became of it.
#[derive(Clone, Debug)]
pub(crate) enum Was {
    /// The gate said so; who answered an ask, and the rule.
    Decided {
        /// Before anybody was asked.
        verdict: Verdict,
        /// Who answered, and what.
        answer: Option<(String, Verdict)>,
        /// The first rule that was named, with its place.
        rule: Option<String>,
        /// In words.
        reason: String,
    },
    /// It ran; who let it is not recorded.
    Ran,
    /// It was refused; by whom is not recorded.
    Refused,
}

/// Reads what `path` holds: the folder or the journal of a session, or a file of events.
pub(crate) fn read(path: &Path) -> Result<Vec<Recorded>, Fault> {
    let is_journal = path.is_dir() || path.file_name().is_some_and(|name| name == JOURNAL_FILE);
    if is_journal {
        let calls = read_journal(path)
            .map_err(|error| Fault::usage(format!("{}: {}", path.display(), chain(&error))))?;
        let project = calls.first().map(|call| call.cwd.clone());
        return Ok(calls.into_iter().filter_map(|call| of_journal(call, project.as_deref())).collect());
    }
    of_events(path)
}

fn of_journal(call: RecordedCall, project: Option<&Path>) -> Option<Recorded> {
    let RawInput::Json(input) = &call.call.input else { return None };
    let refused = call.finished.as_ref().is_some_and(|finished| finished.outcome == Outcome::Refused);
    let was = match (call.began, refused) {
        (true, _) => Some(Was::Ran),
        (false, true) => Some(Was::Refused),
        (false, false) => None,
    };
    Some(Recorded {
        id: call.call.id.to_string(),
        tool: call.call.name.to_string(),
        input: (**input).clone(),
        cwd: Some(call.cwd),
        project_dir: project.map(Path::to_path_buf),
        mode: call.mode.parse().ok(),
        was,
        ..Recorded::default()
    })
}

fn of_events(path: &Path) -> Result<Vec<Recorded>, Fault> {
    let mut lines = Lines::open(path)?;
    let mut calls: Vec<Recorded> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut line = Vec::new();
    let mut is_known = false;
    while let Some(number) = lines.next(&mut line)? {
        let fault = |why: &str| Fault::usage(format!("{}:{number}: {why}", path.display()));
        let event: Value = serde_json::from_slice(&line)
            .map_err(|error| fault(&format!("no JSON ({error}); give a file written by `--events`")))?;
        let (Some(kind), id) = (event["type"].as_str(), event["id"].as_str()) else {
            return Err(fault("no event; give a file written by `--events`, or the folder of a session"));
        };
        is_known |= event["v"].is_u64();
        let Some(id) = id else { continue };
        // A call may be received again before it is decided; after that it is another one of the same id.
        let is_over = places.get(id).and_then(|at| calls.get(*at)).is_none_or(|call| call.was.is_some());
        if kind == "received" && is_over || !places.contains_key(id) {
            places.insert(id.to_owned(), calls.len());
            calls.push(Recorded { id: id.to_owned(), ..Recorded::default() });
        }
        if let Some(call) = places.get(id).and_then(|at| calls.get_mut(*at)) {
            call.add(kind, &event);
        }
    }
    if !is_known {
        return Err(Fault::usage(format!(
            "`{}` holds no event; give a file written by `--events`, or the folder of a session",
            path.display()
        )));
    }
    Ok(calls.into_iter().filter(|call| !call.tool.is_empty()).collect())
}

impl Recorded {
    fn add(&mut self, kind: &str, event: &Value) {
        let path = |name: &str| event[name].as_str().map(PathBuf::from);
        match kind {
            "validated" | "judged" => {
                self.tool = event["tool"].as_str().unwrap_or_default().to_owned();
                self.input = event["input"].clone();
            }
            _ => {}
        }
        if kind == "judged" {
            self.cwd = path("cwd");
            self.project_dir = path("project_dir");
            self.directories = serde_json::from_value(event["directories"].clone()).unwrap_or_default();
            self.mode = event["mode"].as_str().and_then(|mode| mode.parse().ok());
            self.hook = match event["hook"].as_str() {
                Some("allow") => Some(HookAdvice::Allow),
                Some("ask") => Some(HookAdvice::Ask),
                _ => None,
            };
        }
        if kind == "decided" {
            self.was = decided(event, self.mode);
        }
    }
}

fn decided(event: &Value, mode: Option<PermissionMode>) -> Option<Was> {
    let last: Verdict = serde_json::from_value(event["verdict"].clone()).ok()?;
    let step: Option<DecisionStep> = serde_json::from_value(event["step"].clone()).ok();
    let by = event["approved_by"].as_str();
    // An ask that was answered before, or that nobody was there to answer.
    let asked = by.is_some()
        || step == Some(DecisionStep::Default)
            && !(last == Verdict::Deny && mode == Some(PermissionMode::DontAsk));
    let rule = event["rules"].get(0).map(|rule| {
        let text = |name: &str| rule[name].as_str().unwrap_or_default();
        let line = rule["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let file = rule["file"].as_str().map(|file| format!(" {file}{line}")).unwrap_or_default();
        format!("{} `{}` ({}{file})", text("effect"), text("rule"), text("source"))
    });
    Some(Was::Decided {
        verdict: if asked { Verdict::Ask } else { last },
        answer: by.map(|by| (by.to_owned(), last)),
        rule,
        reason: event["reason"].as_str().unwrap_or_default().to_owned(),
    })
}
