//! `--events`: every phase of every call as a JSON line.

use crate::print::Printer;
use pegboard::ports::{Event, HookAdvice, HookReport, Observer, Outcome};
use pegboard::{Origin, RuleText};
use serde_json::{Map, Value, json};
use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Writes events as `{"v":1,"ms":..,"type":..,"id":..}`, one a line.
pub(crate) struct EventLines {
    started: Instant,
    printer: Printer,
    lost: AtomicBool,
    out: Mutex<Box<dyn Write + Send>>,
}

impl EventLines {
    /// Events that go to `out`; `ms` counts from now.
    pub(crate) fn new(out: Box<dyn Write + Send>, printer: Printer) -> Self {
        Self { started: Instant::now(), printer, lost: AtomicBool::new(false), out: Mutex::new(out) }
    }
}

impl fmt::Debug for EventLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLines").finish_non_exhaustive()
    }
}

impl Observer for EventLines {
    fn event(&self, event: &Event<'_>) {
        let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut line = Map::new();
        line.insert("v".to_owned(), json!(1));
        line.insert("ms".to_owned(), json!(ms));
        let Some((kind, id, fields)) = describe(event) else { return };
        line.insert("type".to_owned(), json!(kind));
        line.insert("id".to_owned(), json!(id));
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not fail the calls, and whoever reads the file must know that it ends early.
        if let Err(error) = writeln!(out, "{}", Value::Object(line)).and_then(|()| out.flush())
            && !self.lost.swap(true, Ordering::Relaxed)
        {
            self.printer.error(&format!("events are lost, they cannot be written: {error}"));
        }
    }
}

fn describe<'a>(event: &'a Event<'a>) -> Option<(&'static str, Option<&'a str>, Value)> {
    Some(match event {
        Event::Received { id, called_as } => ("received", Some(*id), json!({"called_as": called_as})),
        Event::Validated { id, tool, input, title } => {
            ("validated", Some(*id), json!({"tool": tool, "input": input, "title": title}))
        }
        Event::PhaseStarted { id, phase } => ("phase_started", Some(*id), json!({"phase": phase})),
        Event::PhaseEnded { id, phase } => ("phase_ended", Some(*id), json!({"phase": phase})),
        Event::HooksRan { id, event, reports, system_messages } => {
            let handlers: Vec<Value> = reports.iter().map(handler).collect();
            let fields =
                json!({"event": event.as_str(), "handlers": handlers, "system_messages": system_messages});
            ("hooks", Some(*id), fields)
        }
        Event::Judged { id, tool, input, context, hook } => {
            let paths = |paths: &[std::path::PathBuf]| -> Vec<String> {
                paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
            };
            let fields = json!({
                "tool": tool, "input": input, "cwd": context.cwd.to_string_lossy(),
                "project_dir": context.project_dir.to_string_lossy(), "directories": paths(&context.directories),
                "mode": context.mode, "hook": advice(*hook),
            });
            ("judged", Some(*id), fields)
        }
        Event::Decided { id, verdict, step, reason, rules, approved_by } => {
            let rules: Vec<Value> = rules.iter().map(|matched| rule(matched)).collect();
            let fields = json!({
                "verdict": verdict, "step": step, "reason": reason, "rules": rules, "approved_by": approved_by,
            });
            ("decided", Some(*id), fields)
        }
        Event::Progress { id, event } => ("progress", Some(*id), json!({"event": event})),
        Event::Finished { id, tool, outcome, is_error, duration } => {
            let fields = json!({
                "tool": tool, "outcome": outcome_name(*outcome), "is_error": is_error,
                "duration_us": u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            });
            ("finished", Some(*id), fields)
        }
        Event::BatchStarted { ids } => {
            let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
            ("batch_started", None, json!({"ids": ids}))
        }
        Event::Notice { id, text } => ("notice", *id, json!({"text": text})),
        // An event of a later version that this command does not know.
        _ => return None,
    })
}

fn advice(hook: HookAdvice) -> Option<&'static str> {
    match hook {
        HookAdvice::None => None,
        HookAdvice::Ask => Some("ask"),
        HookAdvice::Allow => Some("allow"),
    }
}

fn handler(report: &HookReport) -> Value {
    json!({
        "handler": report.handler, "outcome": report.outcome, "decision": report.decision, "notice": report.notice,
        "duration_us": u64::try_from(report.duration.as_micros()).unwrap_or(u64::MAX),
    })
}

fn rule(rule: &RuleText) -> Value {
    let Origin { source, file, line, .. } = &rule.origin;
    json!({
        "effect": rule.effect, "rule": &*rule.text, "source": source,
        "file": file.as_deref().map(std::path::Path::to_string_lossy), "line": line,
    })
}

/// The name of an outcome in events.
pub(crate) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed(_) => "failed",
        Outcome::Invalid => "invalid",
        Outcome::Refused => "refused",
        Outcome::Cancelled => "cancelled",
        Outcome::NotRun => "not_run",
        Outcome::Deferred => "deferred",
    }
}
