//! [`Hooks`]: fires events and merges the answers.

use crate::background::Background;
use crate::choose::{Chosen, Subject, choose};
use crate::config::{Entry, HookConfig, Waits};
use crate::env_file::EnvFile;
use crate::event::EventKind;
use crate::events::{Event, EventError};
use crate::matcher::Fit;
use crate::merge::{self, Ended};
use crate::watcher::HookWatcher;
use crate::{EventOutcome, HandlerEnd, HookInput, OnFailure, input};
use arc_swap::ArcSwap;
use async_trait::async_trait;
use futures::FutureExt as _;
use futures::future::join_all;
use pegboard_tool_core::ports::{
    BatchCall, HookCall, HookEvent, HookReportOutcome, HookRunner, PermissionAnswer, PermissionOutcome,
    PostOutcome, PreOutcome,
};
use pegboard_tool_core::{ContextChange, ToolContext, ToolName};
use serde_json::{Map, Value};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time that a handler has beyond its limit to report it by itself, before it is dropped.
const OVERTIME: Duration = Duration::from_secs(5);
/// Variable that says how long handlers of `SessionEnd` may take together, in milliseconds.
const SESSION_END_VARIABLE: &str = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";

/// Runs the handlers of a configuration. The configuration may be replaced while events run; those
/// keep the one that they began with.
#[derive(Debug)]
pub struct Hooks {
    config: ArcSwap<HookConfig>,
    background: Background,
    watcher: Arc<dyn HookWatcher>,
}

impl Hooks {
    /// A runner of these handlers.
    #[must_use]
    pub fn new(config: HookConfig) -> Self {
        Self {
            config: ArcSwap::from_pointee(config),
            background: Background::default(),
            watcher: Arc::new(()),
        }
    }

    /// The same with somebody who hears of running handlers.
    #[must_use]
    pub fn with_watcher(self, watcher: Arc<dyn HookWatcher>) -> Self {
        Self { watcher, ..self }
    }

    /// Takes another configuration into force.
    pub fn replace(&self, config: HookConfig) {
        self.config.store(Arc::new(config));
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> Arc<HookConfig> {
        self.config.load_full()
    }

    /// Fires any event. An event about a call is matched by the tool's name and these aliases.
    pub async fn fire_event(&self, event: &Event, aliases: &[ToolName], ctx: &ToolContext) -> EventOutcome {
        self.fire_fields(event.name(), event.fields(), aliases, ctx).await
    }

    /// Fires the event `name` with an input in the public form; common fields that are not in it are filled in.
    ///
    /// # Errors
    /// When there is no such event, or its input is not as the documents say. Nothing runs then.
    pub async fn fire_json(
        &self,
        name: &str,
        given: Value,
        aliases: &[ToolName],
        ctx: &ToolContext,
    ) -> Result<EventOutcome, EventError> {
        let event = Event::read(name, &given)?;
        // What is not known here passes through.
        let fields = match given {
            Value::Object(fields) => fields,
            _ => event.fields(),
        };
        Ok(self.fire_fields(event.name(), fields, aliases, ctx).await)
    }

    /// Texts of handlers that nobody waited for and that ended since, for the next request to the model.
    #[must_use]
    pub fn take_late(&self) -> EventOutcome {
        let mut outcome = EventOutcome::default();
        self.add_late(None, &mut outcome);
        outcome
    }

    fn add_late(&self, dir: Option<&Path>, outcome: &mut EventOutcome) {
        merge::add_late(&self.background.take_late(), self.background.take_wakes(), dir, outcome);
    }

    /// Waits until a handler with `asyncRewake` ends with code 2, and gives its text: the model is to be woken
    /// with it at once. A text that nobody took here comes with the late ones.
    pub async fn woken(&self) -> String {
        self.background.woken().await
    }

    /// Ends handlers that nobody waits for, as at the end of a headless run. Gives how many there were.
    pub async fn end_background(&self) -> usize {
        self.background.end().await
    }

    /// Waits until the handlers that nobody waits for have ended by themselves.
    pub async fn settle_background(&self) {
        self.background.settle().await;
    }

    async fn fire_fields(
        &self,
        name: &str,
        fields: Map<String, Value>,
        aliases: &[ToolName],
        ctx: &ToolContext,
    ) -> EventOutcome {
        let Some(event) = EventKind::of(name) else { return EventOutcome::default() };
        let matched = event.matched_text(&fields);
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, input) = (text("tool_use_id"), fields.get("tool_input").cloned().unwrap_or_default());
        let is_call = event.matched == Some("tool_name");
        let call = is_call.then(|| HookCall::new(&matched, aliases, &id, &input, ctx));
        let names = match &call {
            Some(call) => names(call),
            None => vec![matched.as_str()],
        };
        let subject = Subject { event, names: &names, call: call.as_ref(), ctx };
        let json = || {
            let mut map = input::common(event, ctx);
            map.extend(fields.clone());
            // What is fired is what it says it is.
            map.insert("hook_event_name".into(), Value::from(event.name));
            map
        };
        let mut outcome = self.outcome(&subject, json).await;
        // What the policy says holds, whatever a hook thinks of it.
        if event.name == "ConfigChange" && matched == "policy_settings" {
            let kept = outcome.blocked.take();
            let told =
                kept.map(|reason| format!("a change of the policy cannot be blocked by a hook: {reason}"));
            outcome.system_messages.extend(told);
        }
        outcome
    }

    /// Runs everything that matches, all at once, waits for all that are waited for, and merges.
    async fn outcome(
        &self,
        subject: &Subject<'_>,
        json: impl FnOnce() -> Map<String, Value>,
    ) -> EventOutcome {
        let (event, ctx) = (subject.event, subject.ctx);
        let config = self.config.load_full();
        let chosen = choose(config.of(event.name), subject);
        let dir = ctx.session_dir.as_deref();
        let mut outcome = if chosen.is_empty() {
            EventOutcome::default()
        } else {
            let mut input = HookInput::new(event.name, Value::Object(json()), ctx.clone(), Duration::ZERO);
            let env_file = dir.filter(|_| event.has_env_file()).map(EnvFile::create);
            if let Some(Ok(file)) = &env_file {
                input.env_file = Some(Arc::from(file.path()));
            }
            let ended = join_all(chosen.iter().map(|chosen| self.attend(chosen, &input))).await;
            let mut outcome = merge::all(&ended, event, dir);
            self.take_variables(env_file, ctx, &mut outcome);
            outcome
        };
        if event.hears_late() {
            self.add_late(dir, &mut outcome);
        }
        outcome
    }

    fn take_variables(
        &self,
        file: Option<std::io::Result<EnvFile>>,
        ctx: &ToolContext,
        outcome: &mut EventOutcome,
    ) {
        let (variables, problems) = match file {
            None => return,
            Some(Ok(file)) => file.read(&ctx.env),
            Some(Err(error)) => {
                (Vec::new(), vec![format!("there is no file for variables of hooks: {error}")])
            }
        };
        outcome.context_change = (!variables.is_empty()).then_some(ContextChange::Env(variables));
        outcome.system_messages.extend(problems.into_iter().map(|text| format!("hooks: {text}")));
    }

    /// One handler: started and left alone, or held to its limit.
    async fn attend(&self, chosen: &Chosen<'_>, input: &HookInput) -> Ended {
        let Chosen { entry, on_failure, unclear } = chosen;
        let time_limit =
            match input.ctx.env.get(SESSION_END_VARIABLE).filter(|_| &*input.event == "SessionEnd") {
                Some(text) => text.trim().parse().map_or(entry.time_limit, Duration::from_millis),
                None => entry.time_limit,
            };
        let input = HookInput { time_limit, ..input.clone() };
        if *unclear {
            let text = "has a matcher that cannot be held against the name of the tool";
            return Ended::at_once(
                entry,
                HandlerEnd::failed(HookReportOutcome::NotUnderstood, text),
                OnFailure::Block,
            );
        }
        if input.ctx.cancel.is_cancelled() {
            let text = "was not started: the call was cancelled";
            return Ended::at_once(
                entry,
                HandlerEnd::failed(HookReportOutcome::Cancelled, text),
                *on_failure,
            );
        }
        // Of two firings at once only one may take what runs once.
        if let Some(spent) = &entry.once
            && spent.swap(true, Ordering::AcqRel)
        {
            return Ended::at_once(entry, HandlerEnd::answered(crate::Answer::silent()), OnFailure::Continue);
        }
        if entry.waits != Waits::Awaited {
            // The call may end long before; the variables' file is gone by then.
            let ctx = input.ctx.with_cancel(self.background.cancel());
            let (entry, input) = (Entry::clone(entry), HookInput { ctx, env_file: None, ..input });
            let label =
                Ended::at_once(&entry, HandlerEnd::answered(crate::Answer::silent()), OnFailure::Continue);
            let waits = entry.waits;
            self.background.start(waits, async move {
                let mut ended = run(&entry, &input, OnFailure::Continue).await;
                // It is heard of at another event than its own.
                if let Some(notice) = &mut ended.end.notice {
                    *notice = format!("{notice} (it was started for {})", input.event);
                }
                ended
            });
            return label;
        }
        if let Some(message) = &entry.status_message {
            self.watcher.started(&input.event, &entry.label, message);
        }
        let ended = run(entry, &input, *on_failure).await;
        if entry.status_message.is_some() {
            self.watcher.ended(&input.event, &entry.label);
        }
        if let Some(spent) = &entry.once
            && ended.end.outcome != HookReportOutcome::Answered
        {
            spent.store(false, Ordering::Release);
        }
        ended
    }

    async fn after(
        &self,
        event: HookEvent,
        call: &HookCall<'_>,
        duration: Duration,
        add: impl FnOnce(&mut Map<String, Value>),
    ) -> PostOutcome {
        let Some(event) = kind(event) else { return PostOutcome::default() };
        let json = || {
            let mut map = input::of_call(event, call);
            add(&mut map);
            map.insert("duration_ms".into(), input::milliseconds(duration));
            map
        };
        self.of_call(event, call, json).await.into_post()
    }

    async fn of_call(
        &self,
        event: EventKind,
        call: &HookCall<'_>,
        json: impl FnOnce() -> Map<String, Value>,
    ) -> EventOutcome {
        let names = names(call);
        self.outcome(&Subject { event, names: &names, call: Some(call), ctx: call.ctx }, json).await
    }
}

/// Runs one handler: held to its limit, to cancellation, and to not panicking.
async fn run(entry: &Entry, input: &HookInput, on_failure: OnFailure) -> Ended {
    let started = Instant::now();
    let handle = AssertUnwindSafe(entry.handler.handle(input)).catch_unwind();
    let end = tokio::select! {
        end = handle => end.unwrap_or_else(|_| HandlerEnd::failed(HookReportOutcome::Crashed, "panicked")),
        end = overtime(input) => end,
    };
    let is_late = entry.blocks_late && end.outcome == HookReportOutcome::TimedOut;
    let on_failure = if is_late { OnFailure::Block } else { on_failure };
    Ended { duration: started.elapsed(), ..Ended::at_once(entry, end.counted(), on_failure) }
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

/// Names that a matcher may mean the tool of a call by.
pub(crate) fn names<'a>(call: &HookCall<'a>) -> Vec<&'a str> {
    let aliases = call.aliases.iter().map(ToolName::as_str);
    std::iter::once(call.tool).chain(aliases.filter(|name| is_own_name(call.tool, name))).collect()
}

/// Whether a name is more than another spelling of the tool's: matchers look at letter case, so `edit` is not `Edit`.
fn is_own_name(tool: &str, name: &str) -> bool {
    name == tool || !name.eq_ignore_ascii_case(tool)
}

/// The event of a known name. Names come from a closed list, so there is one.
fn kind(event: HookEvent) -> Option<EventKind> {
    EventKind::of(event.as_str())
}

#[async_trait]
impl HookRunner for Hooks {
    fn interested(&self, event: HookEvent, tool: &str, aliases: &[ToolName]) -> bool {
        if event == HookEvent::PostToolBatch && self.background.has_late() {
            return true;
        }
        let config = self.config.load();
        let names = || std::iter::once(tool).chain(aliases.iter().map(ToolName::as_str));
        let names = || names().filter(|name| is_own_name(tool, name));
        config.of(event.as_str()).iter().any(|entry| entry.matcher.fits_any(names()) != Fit::No)
    }

    async fn pre(&self, call: &HookCall<'_>) -> PreOutcome {
        let Some(event) = kind(HookEvent::PreToolUse) else { return PreOutcome::default() };
        self.of_call(event, call, || input::of_call(event, call)).await.into_pre()
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
        self.permission(call, suggestions).await.answer
    }

    async fn permission(&self, call: &HookCall<'_>, suggestions: &[Value]) -> PermissionOutcome {
        let Some(event) = kind(HookEvent::PermissionRequest) else { return PermissionOutcome::default() };
        let json = || {
            let mut map = input::of_call(event, call);
            if !suggestions.is_empty() {
                map.insert("permission_suggestions".into(), Value::from(suggestions.to_vec()));
            }
            map
        };
        self.of_call(event, call, json).await.into_permission()
    }

    async fn batch(&self, calls: &[BatchCall], ctx: &ToolContext) -> PostOutcome {
        let Some(event) = kind(HookEvent::PostToolBatch) else { return PostOutcome::default() };
        let subject = Subject { event, names: &[""], call: None, ctx };
        self.outcome(&subject, || input::of_batch(event, calls, ctx)).await.into_post()
    }

    async fn fire(&self, event: &str, given: Value, ctx: &ToolContext) -> PostOutcome {
        match self.fire_json(event, given, &[], ctx).await {
            Ok(outcome) => outcome.into_post(),
            Err(error) => {
                // What could not be asked about must not pass for agreed to.
                let mut outcome = PostOutcome::default();
                outcome.blocked = Some(error.to_string());
                outcome.system_messages.push(format!("hooks: {error}"));
                outcome
            }
        }
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
