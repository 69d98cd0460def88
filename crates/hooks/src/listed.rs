//! [`Listed`]: one configured handler, and whether it would run.

use crate::choose::{Runs, Subject, choose, runs};
use crate::config::{Entry, Waits};
use crate::event::EventKind;
use crate::{HookConfig, OnFailure};
use pegboard_tool_core::ports::HookCall;
use pegboard_tool_core::{Origin, ToolContext};
use serde_json::{Value, json};
use std::time::Duration;

/// One configured handler, and whether it would run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed {
    /// The event.
    pub event: &'static str,
    /// Type of the handler.
    pub kind: String,
    /// What it does, in a line; its source is in brackets.
    pub label: String,
    /// Source, file and line.
    pub origin: Origin,
    /// Place in its `hooks` object.
    pub at: String,
    /// The matcher as written.
    pub matcher: Option<String>,
    /// The `if` as written.
    pub condition: Option<String>,
    /// Most time that it may take.
    pub time_limit: Duration,
    /// What a failure means.
    pub on_failure: OnFailure,
    /// Whether nobody waits for it.
    pub is_async: bool,
    /// Why it does not run; `None` when it does.
    pub off: Option<String>,
}

impl Listed {
    fn new(event: EventKind, entry: &Entry, off: Option<String>) -> Self {
        Self {
            event: event.name,
            kind: entry.kind.clone(),
            label: entry.label.clone(),
            origin: entry.origin.clone(),
            at: entry.at.clone(),
            matcher: entry.matcher_text.clone(),
            condition: entry.condition_text.clone(),
            time_limit: entry.time_limit,
            on_failure: entry.on_failure,
            is_async: entry.waits != Waits::Awaited,
            off,
        }
    }

    /// As JSON, for reports.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "event": self.event,
            "runs": self.off.is_none(),
            "why_not": self.off,
            "type": self.kind,
            "handler": self.label,
            "matcher": self.matcher,
            "if": self.condition,
            "timeout": self.time_limit.as_secs_f64(),
            "on_failure": if self.on_failure == OnFailure::Block { "block" } else { "continue" },
            "async": self.is_async,
            "source": self.origin.source,
            "file": self.origin.file.as_deref().map(std::path::Path::to_string_lossy),
            "line": self.origin.line,
            "at": self.at,
        })
    }
}

impl HookConfig {
    /// Everything that is configured, in configuration order; what does not run says why. With an event only
    /// that event's, with a call as it would be for that call.
    #[must_use]
    pub fn list(&self, event: Option<&str>, call: Option<&HookCall<'_>>, ctx: &ToolContext) -> Vec<Listed> {
        let kinds = crate::event::EVENTS.iter().filter(|kind| event.is_none_or(|event| kind.name == event));
        kinds.flat_map(|kind| self.list_event(*kind, call, ctx)).collect()
    }

    fn list_event(&self, event: EventKind, call: Option<&HookCall<'_>>, ctx: &ToolContext) -> Vec<Listed> {
        let off = self.off(event.name).iter().map(|entry| Listed::new(event, entry, entry.off.clone()));
        // Of an event that is not about calls a call says nothing.
        let Some(call) = call.filter(|_| event.matched == Some("tool_name")) else {
            let on = self.of(event.name).iter().map(|entry| {
                let never = entry.condition.is_never();
                let off = never.then(|| format!("`if` has no meaning on {}", event.name));
                Listed::new(event, entry, off)
            });
            return on.chain(off).collect();
        };
        let names = crate::runner::names(call);
        let subject = Subject { event, names: &names, call: Some(call), ctx };
        let chosen = choose(self.of(event.name), &subject);
        let on = self.of(event.name).iter().map(|entry| {
            let off = match runs(entry, &subject) {
                Runs::No(why) => Some(why),
                Runs::Yes | Runs::Unclear => {
                    let is_chosen = chosen.iter().any(|one| std::ptr::eq(one.entry, entry));
                    (!is_chosen).then(|| "a later copy of it runs instead".to_owned())
                }
            };
            Listed::new(event, entry, off)
        });
        on.chain(off).collect()
    }
}
