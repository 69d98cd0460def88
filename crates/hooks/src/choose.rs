//! Which handlers run for an event, and why the others do not.

use crate::OnFailure;
use crate::config::Entry;
use crate::event::EventKind;
use crate::matcher::Fit;
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::HookCall;
use std::collections::HashMap;

/// What an event is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) event: EventKind,
    /// The text that matchers are held against, and its other names.
    pub(crate) names: &'a [&'a str],
    pub(crate) call: Option<&'a HookCall<'a>>,
    pub(crate) ctx: &'a ToolContext,
}

/// An entry that runs, with the strictest of its copies' answers to failure.
#[derive(Debug)]
pub(crate) struct Chosen<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) on_failure: OnFailure,
    /// The matcher could not be held against the name.
    pub(crate) unclear: bool,
}

/// Whether an entry runs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Runs {
    Yes,
    /// It counts as run and failed: its matcher cannot be held against the name.
    Unclear,
    No(String),
}

/// Whether an entry runs, copies aside.
pub(crate) fn runs(entry: &Entry, subject: &Subject<'_>) -> Runs {
    if let Some(why) = &entry.off {
        return Runs::No(why.clone());
    }
    let fit = entry.matcher.fits_any(subject.names.iter().copied());
    let unclear = match fit {
        Fit::Yes => false,
        Fit::Unknown if subject.event.guards() => true,
        Fit::Unknown => return Runs::No("its matcher takes too long on this name".to_owned()),
        Fit::No => {
            let name = subject.names.first().copied().unwrap_or_default();
            return Runs::No(format!("its matcher does not fit `{}`", crate::long_text::short(name)));
        }
    };
    if !entry.condition.holds(subject.call) {
        return Runs::No(match entry.condition.is_never() {
            true => format!("`if` has no meaning on {}", subject.event.name),
            false => "its `if` does not fit the call".to_owned(),
        });
    }
    if entry.agent.is_some() && entry.agent != subject.ctx.agent_id {
        return Runs::No("it is for another subagent".to_owned());
    }
    if entry.is_spent() {
        return Runs::No("it is to run once, and did".to_owned());
    }
    if unclear { Runs::Unclear } else { Runs::Yes }
}

/// What runs for an event, in configuration order; of identical handlers the last.
pub(crate) fn choose<'a>(entries: &'a [Entry], subject: &Subject<'_>) -> Vec<Chosen<'a>> {
    let mut chosen: Vec<Option<Chosen<'a>>> = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        let unclear = match runs(entry, subject) {
            Runs::Yes => false,
            Runs::Unclear => true,
            Runs::No(_) => continue,
        };
        let mut on_failure = entry.on_failure;
        if let Some(identity) = entry.identity.as_deref()
            && let Some(earlier) = seen.insert(identity, chosen.len())
            && let Some(earlier) = chosen.get_mut(earlier).and_then(Option::take)
        {
            on_failure = on_failure.max(earlier.on_failure);
        }
        chosen.push(Some(Chosen { entry, on_failure, unclear }));
    }
    chosen.into_iter().flatten().collect()
}
