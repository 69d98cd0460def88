//! The `hooks` objects of settings, read into handlers in configuration order.

use crate::condition::Condition;
use crate::event::EventKind;
use crate::matcher::Matcher;
use crate::{CommandHandler, CommandLine, HandlerEnd, HookHandler, HookInput};
use async_trait::async_trait;
use pegboard_tool_core::ports::{HookReportOutcome, RuleCompiler};
use pegboard_tool_core::{Origin, SettingSource};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Duration;

/// What happens when a handler fails: is not understood, crashes, times out or cannot start.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum OnFailure {
    /// The call goes on to the rules; the user is told.
    #[default]
    Continue,
    /// The call is blocked.
    Block,
}

/// Makes handlers of a kind that this crate does not know, such as `http`.
pub trait HandlerFactory: Debug + Send + Sync {
    /// Makes a handler from its object in the settings.
    ///
    /// # Errors
    /// When the object is wrong; the text says what to write.
    fn make(&self, event: &str, handler: &Map<String, Value>) -> Result<Arc<dyn HookHandler>, String>;
}

const _: fn(&dyn HandlerFactory) = |_| ();

/// What configuration means here.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HookOptions {
    /// Compiles the `if` of handlers; without it every handler with an `if` runs.
    pub rules: Option<Arc<dyn RuleCompiler>>,
    /// What happens when any handler fails; a handler's own `onFailure` may only tighten it.
    pub on_failure: OnFailure,
    /// `disableAllHooks`, and whether the policy says so itself; it switches off the policy's hooks only then.
    pub disabled_by: Option<SettingSource>,
    /// `allowManagedHooksOnly` of the policy.
    pub only_policy: bool,
    /// Kinds of handlers beside `command`, by `type`.
    pub kinds: BTreeMap<String, Arc<dyn HandlerFactory>>,
}

impl HookOptions {
    /// No rules, failures go on, nothing switched off, commands only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a compiler for `if`.
    #[must_use]
    pub fn with_rules(self, rules: Arc<dyn RuleCompiler>) -> Self {
        Self { rules: Some(rules), ..self }
    }

    /// The same with another answer to failures.
    #[must_use]
    pub fn with_on_failure(self, on_failure: OnFailure) -> Self {
        Self { on_failure, ..self }
    }

    /// The same with `disableAllHooks` set by a source.
    #[must_use]
    pub fn with_disabled_by(self, source: SettingSource) -> Self {
        Self { disabled_by: Some(source), ..self }
    }

    /// The same with only the policy's hooks.
    #[must_use]
    pub fn with_only_policy(self) -> Self {
        Self { only_policy: true, ..self }
    }

    /// The same with handlers of one more kind.
    #[must_use]
    pub fn with_kind(mut self, kind: impl Into<String>, factory: Arc<dyn HandlerFactory>) -> Self {
        self.kinds.insert(kind.into(), factory);
        self
    }
}

/// Something in a configuration that cannot be used as written.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct HookProblem {
    /// Where the `hooks` object stands.
    pub origin: Origin,
    /// Place in it, such as `PreToolUse.0.hooks.1`.
    pub at: String,
    /// What is wrong, and what becomes of it.
    pub text: String,
}

impl fmt::Display for HookProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: hooks.{}: {}", self.origin, self.at, self.text)
    }
}

/// One handler in its place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) label: String,
    pub(crate) identity: Option<String>,
    pub(crate) matcher: Arc<Matcher>,
    pub(crate) condition: Condition,
    pub(crate) time_limit: Duration,
    pub(crate) on_failure: OnFailure,
    /// Nobody waits for its decision.
    pub(crate) advisory: bool,
    pub(crate) handler: Arc<dyn HookHandler>,
}

/// Handlers of all events, in configuration order. Cheap to ask, made once.
#[derive(Clone, Debug, Default)]
pub struct HookConfig {
    events: BTreeMap<&'static str, Vec<Entry>>,
}

impl HookConfig {
    /// Reads `hooks` objects (event name to list of groups). Their order does not matter: handlers
    /// are ordered by source (user, project, local, flag, policy), then group, then handler; within a
    /// source in the order given.
    ///
    /// What is wrong is a problem and the rest stays in force; what is wrong about a handler that
    /// could block makes it block.
    #[must_use]
    pub fn from_layers(mut layers: Vec<(Origin, Value)>, options: &HookOptions) -> (Self, Vec<HookProblem>) {
        layers.sort_by_key(|(origin, _)| origin.source);
        let mut config = Self::default();
        let mut problems = Vec::new();
        for (origin, hooks) in &layers {
            if runs(origin.source, options) {
                let mut reader = Reader { origin, options, problems: &mut problems, config: &mut config };
                reader.layer(hooks);
            }
        }
        (config, problems)
    }

    /// The same with a handler of the host's own, after all others of the event. The matcher is one of
    /// the public form; `None` is everything.
    ///
    /// # Errors
    /// When there is no such event, or the matcher is no expression.
    pub fn with_handler(
        mut self,
        event: &str,
        matcher: Option<&str>,
        time_limit: Duration,
        on_failure: OnFailure,
        handler: Arc<dyn HookHandler>,
    ) -> Result<Self, String> {
        let event = EventKind::of(event).ok_or_else(|| format!("`{event}` is no event"))?;
        let matcher = Matcher::new(matcher, event);
        if let Matcher::Broken(error) = &matcher {
            return Err(format!("the matcher is no expression: {error}"));
        }
        let entry = Entry {
            label: handler.label(),
            identity: handler.identity(),
            matcher: Arc::new(matcher),
            condition: Condition::Always,
            time_limit,
            on_failure,
            advisory: false,
            handler,
        };
        self.events.entry(event.name).or_default().push(entry);
        Ok(self)
    }

    /// Whether there is no handler at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub(crate) fn of(&self, event: &str) -> &[Entry] {
        self.events.get(event).map(Vec::as_slice).unwrap_or_default()
    }
}

fn runs(source: SettingSource, options: &HookOptions) -> bool {
    let is_policy = source == SettingSource::Policy;
    match options.disabled_by {
        Some(SettingSource::Policy) => false,
        Some(_) => is_policy,
        None => is_policy || !options.only_policy,
    }
}

struct Reader<'a> {
    origin: &'a Origin,
    options: &'a HookOptions,
    problems: &'a mut Vec<HookProblem>,
    config: &'a mut HookConfig,
}

impl Reader<'_> {
    fn problem(&mut self, at: &str, text: impl Into<String>) {
        let problem = HookProblem { origin: self.origin.clone(), at: at.to_owned(), text: text.into() };
        self.problems.push(problem);
    }

    fn layer(&mut self, hooks: &Value) {
        let Some(events) = hooks.as_object() else {
            return self.problem("", "must be an object of events; nothing of it is used");
        };
        for (name, groups) in events {
            let Some(event) = EventKind::of(name) else {
                self.problem(name, "is not an event of this version; it is skipped");
                continue;
            };
            let Some(groups) = groups.as_array() else {
                self.broken(event, name, "must be a list of groups");
                continue;
            };
            for (index, group) in groups.iter().enumerate() {
                self.group(event, &format!("{name}.{index}"), group);
            }
        }
    }

    fn group(&mut self, event: EventKind, at: &str, group: &Value) {
        let Some(group) = group.as_object() else {
            return self.broken(event, at, "must be an object with `hooks`");
        };
        let matcher = match group.get("matcher") {
            None | Some(Value::Null) => Matcher::Any,
            Some(Value::String(text)) => Matcher::new(Some(text), event),
            Some(_) => Matcher::Broken("`matcher` must be a string".to_owned()),
        };
        if let Matcher::Broken(error) = &matcher {
            return self.broken(event, at, &format!("the matcher cannot be used: {error}"));
        }
        let matcher = Arc::new(matcher);
        let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
            return self.broken_for(event, at, "must have a list `hooks`", matcher);
        };
        for (index, handler) in handlers.iter().enumerate() {
            self.handler(event, &format!("{at}.hooks.{index}"), handler, &matcher);
        }
    }

    fn handler(&mut self, event: EventKind, at: &str, handler: &Value, matcher: &Arc<Matcher>) {
        let Some(object) = handler.as_object() else {
            return self.broken_for(event, at, "must be an object with `type`", Arc::clone(matcher));
        };
        let on_failure = match object.get("onFailure").and_then(Value::as_str) {
            Some("block") => OnFailure::Block,
            Some("continue") => OnFailure::Continue,
            _ if object.contains_key("onFailure") => {
                self.problem(at, "`onFailure` must be \"block\" or \"continue\"; \"block\" is used");
                OnFailure::Block
            }
            _ => OnFailure::Continue,
        };
        let on_failure = on_failure.max(self.options.on_failure);
        let condition_text = object.get("if").filter(|value| !value.is_null());
        let made = self.make(event, object, condition_text.and_then(Value::as_str));
        let handler = match made {
            Ok(handler) => handler,
            Err(Unusable::Wrong(text)) => return self.broken_for(event, at, &text, Arc::clone(matcher)),
            Err(Unusable::Unsupported(text)) if on_failure == OnFailure::Block => {
                self.problem(at, format!("{text}; it blocks"));
                Arc::new(Unavailable { label: at.to_owned(), reason: text })
            }
            Err(Unusable::Unsupported(text)) => return self.problem(at, format!("{text}; it is skipped")),
        };
        let condition = self.condition(event, at, condition_text);
        let advisory =
            ["async", "asyncRewake"].iter().any(|key| object.get(*key) == Some(&Value::Bool(true)));
        if advisory {
            self.problem(
                at,
                "`async` is not supported yet: the handler is awaited, and what it decides has no effect",
            );
        }
        let time_limit = self.time_limit(event, at, object);
        self.config.events.entry(event.name).or_default().push(Entry {
            label: format!("{} ({})", handler.label(), self.origin),
            identity: handler.identity(),
            matcher: Arc::clone(matcher),
            condition,
            time_limit,
            on_failure,
            advisory,
            handler,
        });
    }

    fn make(
        &self,
        event: EventKind,
        object: &Map<String, Value>,
        condition: Option<&str>,
    ) -> Result<Arc<dyn HookHandler>, Unusable> {
        let kind = object.get("type").and_then(Value::as_str);
        let kind =
            kind.ok_or_else(|| Unusable::Wrong("must have a `type` such as \"command\"".to_owned()))?;
        if let Some(factory) = self.options.kinds.get(kind) {
            return factory.make(event.name, object).map_err(Unusable::Wrong);
        }
        match kind {
            "command" => {
                let line = command_line(object).map_err(Unusable::Wrong)?;
                Ok(Arc::new(CommandHandler::new(line).under(condition)))
            }
            "http" | "mcp_tool" | "prompt" | "agent" => {
                Err(Unusable::Unsupported(format!("handlers of type `{kind}` are not supported here")))
            }
            _ => Err(Unusable::Wrong(format!("`{kind}` is not a type of handler; use \"command\""))),
        }
    }

    fn condition(&mut self, event: EventKind, at: &str, given: Option<&Value>) -> Condition {
        let Some(given) = given else { return Condition::Always };
        if !event.has_condition() {
            self.problem(at, format!("`if` has no meaning on {}: the handler never runs", event.name));
            return Condition::Never;
        }
        let Some(rule) = given.as_str() else {
            self.problem(at, "`if` must be a permission rule; the handler runs always");
            return Condition::Always;
        };
        let compiled = match &self.options.rules {
            Some(rules) => rules.compile(rule).map_err(|error| error.to_string()),
            None => Err("nothing here understands permission rules".to_owned()),
        };
        compiled.map_or_else(
            |error| {
                self.problem(at, format!("`if`: {error}; the handler runs always"));
                Condition::Always
            },
            Condition::Rule,
        )
    }

    fn time_limit(&mut self, event: EventKind, at: &str, object: &Map<String, Value>) -> Duration {
        let default = Duration::from_secs_f64(event.default_seconds());
        let Some(given) = object.get("timeout").filter(|value| !value.is_null()) else { return default };
        let seconds = given.as_f64().filter(|seconds| *seconds > 0.0);
        let Some(limit) = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) else {
            self.problem(
                at,
                format!("`timeout` must be a number of seconds; {} is used", default.as_secs_f64()),
            );
            return default;
        };
        if limit >= Duration::from_secs(86_400) {
            self.problem(at, "`timeout` is in seconds, and this is more than a day; it is used as written");
        }
        limit
    }

    /// A part that cannot be read, whatever it was for.
    fn broken(&mut self, event: EventKind, at: &str, text: &str) {
        self.broken_for(event, at, text, Arc::new(Matcher::Any));
    }

    /// A part that cannot be read: where it could have blocked a call, it blocks.
    fn broken_for(&mut self, event: EventKind, at: &str, text: &str, matcher: Arc<Matcher>) {
        if !event.guards() {
            return self.problem(at, format!("{text}; it is skipped"));
        }
        self.problem(at, format!("{text}; calls that it could be for are blocked"));
        let label = format!("hooks.{at} ({})", self.origin);
        self.config.events.entry(event.name).or_default().push(Entry {
            label: label.clone(),
            identity: None,
            matcher,
            condition: Condition::Always,
            time_limit: Duration::from_secs(1),
            on_failure: OnFailure::Block,
            advisory: false,
            handler: Arc::new(Unavailable { label, reason: text.to_owned() }),
        });
    }
}

enum Unusable {
    /// The object is wrong.
    Wrong(String),
    /// The object is right, for a program that can more.
    Unsupported(String),
}

fn command_line(object: &Map<String, Value>) -> Result<CommandLine, String> {
    let command = object.get("command").and_then(Value::as_str).filter(|command| !command.trim().is_empty());
    let command = command.ok_or("must have a `command`")?.to_owned();
    match object.get("args") {
        None | Some(Value::Null) => {}
        Some(Value::Array(args)) => {
            let args: Option<Vec<String>> = args.iter().map(|arg| arg.as_str().map(str::to_owned)).collect();
            let args = args.ok_or("`args` must be a list of strings")?;
            return Ok(CommandLine::Program { program: command, args });
        }
        Some(_) => return Err("`args` must be a list of strings".to_owned()),
    }
    match object.get("shell").and_then(Value::as_str) {
        Some("powershell") => Ok(CommandLine::PowerShell(command)),
        None | Some("bash" | "sh") => Ok(CommandLine::Shell(command)),
        Some(other) => Err(format!("`{other}` is not a shell; use \"bash\" or \"powershell\"")),
    }
}

/// Stands for a handler that cannot be had.
#[derive(Debug)]
struct Unavailable {
    label: String,
    reason: String,
}

#[async_trait]
impl HookHandler for Unavailable {
    fn label(&self) -> String {
        self.label.clone()
    }

    async fn handle(&self, _input: &HookInput) -> HandlerEnd {
        HandlerEnd::failed(HookReportOutcome::CouldNotStart, self.reason.clone())
    }
}
