//! [`Hooks`]: fires events and merges the answers.

use crate::config::{Entry, HookConfig};
use crate::event::EventKind;
use crate::matcher::Fit;
use crate::merge::{self, Ended};
use crate::{HandlerEnd, HookInput, input};
use arc_swap::ArcSwap;
use async_trait::async_trait;
use futures::FutureExt as _;
use futures::future::join_all;
use pegboard_tool_core::ports::{
    BatchCall, HookCall, HookEvent, HookReportOutcome, HookRunner, PermissionAnswer, PostOutcome, PreOutcome,
};
use pegboard_tool_core::{ToolContext, ToolName};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time that a handler has beyond its limit to report it by itself, before it is dropped.
const OVERTIME: Duration = Duration::from_secs(5);

/// Runs the handlers of a configuration. The configuration may be replaced while events run; those
/// keep the one that they began with.
#[derive(Debug)]
pub struct Hooks {
    config: ArcSwap<HookConfig>,
}

impl Hooks {
    /// A runner of these handlers.
    #[must_use]
    pub fn new(config: HookConfig) -> Self {
        Self { config: ArcSwap::from_pointee(config) }
    }

    /// Takes another configuration into force.
    pub fn replace(&self, config: HookConfig) {
        self.config.store(Arc::new(config));
    }

    /// Runs everything that matches, all at once, and waits for all.
    async fn run(
        &self,
        event: EventKind,
        names: &[&str],
        call: Option<&HookCall<'_>>,
        ctx: &ToolContext,
        json: impl FnOnce() -> Map<String, Value>,
    ) -> Vec<Ended> {
        let config = self.config.load_full();
        let chosen = choose(config.of(event.name), event, names, call);
        if chosen.is_empty() {
            return Vec::new();
        }
        let input = HookInput::new(event.name, Value::Object(json()), ctx.clone(), Duration::ZERO);
        join_all(chosen.iter().map(|chosen| attend(chosen, &input))).await
    }
}

/// An entry that runs, with the strictest of its copies' answers to failure.
struct Chosen<'a> {
    entry: &'a Entry,
    on_failure: crate::OnFailure,
    /// The matcher could not be held against the name.
    unclear: bool,
}

/// What runs for an event, in configuration order; of identical handlers the last.
fn choose<'a>(
    entries: &'a [Entry],
    event: EventKind,
    names: &[&str],
    call: Option<&HookCall<'_>>,
) -> Vec<Chosen<'a>> {
    let mut chosen: Vec<Option<Chosen<'a>>> = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        let unclear = match entry.matcher.fits_any(names.iter().copied()) {
            Fit::Yes => false,
            Fit::Unknown if event.guards() => true,
            Fit::No | Fit::Unknown => continue,
        };
        if !entry.condition.holds(call) {
            continue;
        }
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

/// One handler: held to its limit, to cancellation, and to not panicking.
async fn attend(chosen: &Chosen<'_>, input: &HookInput) -> Ended {
    let Chosen { entry, on_failure, unclear } = chosen;
    let started = Instant::now();
    let input = HookInput { time_limit: entry.time_limit, ..input.clone() };
    let ended = |end: HandlerEnd, on_failure| Ended {
        label: entry.label.clone(),
        on_failure,
        end,
        duration: started.elapsed(),
    };
    if *unclear {
        let text = "its matcher cannot be held against the name of the tool";
        return ended(HandlerEnd::failed(HookReportOutcome::NotUnderstood, text), crate::OnFailure::Block);
    }
    if input.ctx.cancel.is_cancelled() {
        let text = "was not started: the call was cancelled";
        return ended(HandlerEnd::failed(HookReportOutcome::Cancelled, text), *on_failure);
    }
    let handle = AssertUnwindSafe(entry.handler.handle(&input)).catch_unwind();
    let end = tokio::select! {
        end = handle => end.unwrap_or_else(|_| HandlerEnd::failed(HookReportOutcome::Crashed, "panicked")),
        end = overtime(&input) => end,
    };
    let mut end = end.counted();
    if entry.advisory {
        end.answer = end.answer.undecided();
        return ended(end, crate::OnFailure::Continue);
    }
    ended(end, *on_failure)
}

/// The end of a handler that does not end by itself.
async fn overtime(input: &HookInput) -> HandlerEnd {
    let outcome = tokio::select! {
        () = input.ctx.cancel.cancelled() => HookReportOutcome::Cancelled,
        () = tokio::time::sleep(input.time_limit) => HookReportOutcome::TimedOut,
    };
    tokio::time::sleep(OVERTIME).await;
    HandlerEnd::failed(outcome, "did not end when it was told to, and was dropped")
}

fn names<'a>(call: &HookCall<'a>) -> Vec<&'a str> {
    std::iter::once(call.tool).chain(call.aliases.iter().map(ToolName::as_str)).collect()
}

/// The event of a known name. Names come from a closed list, so there is one.
fn kind(event: HookEvent) -> Option<EventKind> {
    EventKind::of(event.as_str())
}

#[async_trait]
impl HookRunner for Hooks {
    fn interested(&self, event: HookEvent, tool: &str, aliases: &[ToolName]) -> bool {
        let config = self.config.load();
        let names = || std::iter::once(tool).chain(aliases.iter().map(ToolName::as_str));
        config.of(event.as_str()).iter().any(|entry| entry.matcher.fits_any(names()) != Fit::No)
    }

    async fn pre(&self, call: &HookCall<'_>) -> PreOutcome {
        let Some(event) = kind(HookEvent::PreToolUse) else { return PreOutcome::default() };
        let json = || input::of_call(event.name, call);
        let ended = self.run(event, &names(call), Some(call), call.ctx, json).await;
        merge::pre(&ended, call.ctx.session_dir.as_deref())
    }

    async fn post(&self, call: &HookCall<'_>, response: &Value, duration: Duration) -> PostOutcome {
        self.after(HookEvent::PostToolUse, call, duration, |map| {
            map.insert("tool_response".into(), response.clone());
        })
        .await
    }

    async fn failure(&self, call: &HookCall<'_>, error: &str, duration: Duration) -> PostOutcome {
        self.after(HookEvent::PostToolUseFailure, call, duration, |map| {
            map.insert("error".into(), Value::from(shortened(error)));
            map.insert("is_interrupt".into(), Value::from(call.ctx.cancel.is_cancelled()));
        })
        .await
    }

    async fn permission_request(
        &self,
        call: &HookCall<'_>,
        suggestions: &[Value],
    ) -> Option<PermissionAnswer> {
        let event = kind(HookEvent::PermissionRequest)?;
        let json = || {
            let mut map = input::of_call(event.name, call);
            if !suggestions.is_empty() {
                map.insert("permission_suggestions".into(), Value::from(suggestions.to_vec()));
            }
            map
        };
        let ended = self.run(event, &names(call), Some(call), call.ctx, json).await;
        merge::permission(&ended)
    }

    async fn batch(&self, calls: &[BatchCall], ctx: &ToolContext) -> PostOutcome {
        let Some(event) = kind(HookEvent::PostToolBatch) else { return PostOutcome::default() };
        let ended = self.run(event, &[""], None, ctx, || input::of_batch(calls, ctx)).await;
        merge::post(&ended, event, ctx.session_dir.as_deref())
    }

    async fn fire(&self, event: &str, given: Value, ctx: &ToolContext) -> PostOutcome {
        let Some(event) = EventKind::of(event) else { return PostOutcome::default() };
        let matched = event.matched.and_then(|field| given.get(field)).and_then(Value::as_str);
        let matched = matched.unwrap_or_default().to_owned();
        let json = || {
            let mut map = input::common(event.name, ctx);
            if let Value::Object(more) = given {
                map.extend(more);
            }
            map
        };
        let ended = self.run(event, &[&matched], None, ctx, json).await;
        merge::post(&ended, event, ctx.session_dir.as_deref())
    }
}

impl Hooks {
    async fn after(
        &self,
        event: HookEvent,
        call: &HookCall<'_>,
        duration: Duration,
        add: impl FnOnce(&mut Map<String, Value>),
    ) -> PostOutcome {
        let Some(event) = kind(event) else { return PostOutcome::default() };
        let json = || {
            let mut map = input::of_call(event.name, call);
            add(&mut map);
            map.insert("duration_ms".into(), input::milliseconds(duration));
            map
        };
        let ended = self.run(event, &names(call), Some(call), call.ctx, json).await;
        merge::post(&ended, event, call.ctx.session_dir.as_deref())
    }
}

/// An error text in the public form: above 10,000 characters its middle is cut out.
fn shortened(error: &str) -> String {
    const MOST: usize = 10_000;
    let chars = error.chars().count();
    if chars <= MOST {
        return error.to_owned();
    }
    let head: String = error.chars().take(MOST / 2).collect();
    let tail: String = error.chars().skip(chars - MOST / 2).collect();
    format!("{head}\n... [{} characters truncated] ...\n{tail}", chars - MOST)
}
