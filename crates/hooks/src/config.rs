//! [`HookConfig`]: handlers of all events, in configuration order.

use crate::condition::Condition;
use crate::event::{EventKind, SESSION_END_SECONDS};
use crate::matcher::Matcher;
use crate::reader::Reader;
use crate::source::{HookFrom, HookSource};
use crate::{HookHandler, HookOptions, OnFailure};
use pegboard_tool_core::{Origin, SettingSource};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longest time that handlers of `SessionEnd` may have together.
const MOST_SESSION_END: Duration = Duration::from_secs(60);

/// Something in a configuration that cannot be used as written.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct HookProblem {
    /// Where it stands.
    pub origin: Origin,
    /// Place in the `hooks` object, such as `PreToolUse.0.hooks.1`.
    pub at: String,
    /// What is wrong, and what becomes of it.
    pub text: String,
}

impl HookProblem {
    /// A problem of the part at `at` of a `hooks` object; empty for the whole.
    pub fn new(origin: Origin, at: impl Into<String>, text: impl Into<String>) -> Self {
        Self { origin, at: at.into(), text: text.into() }
    }
}

impl fmt::Display for HookProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.at.is_empty() { "" } else { "." };
        write!(f, "{}: hooks{dot}{}: {}", self.origin, self.at, self.text)
    }
}

/// Whether somebody waits for a handler.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Waits {
    /// Yes, and what it decides counts.
    Awaited,
    /// No; its texts reach the model later.
    Background,
    /// No; a block wakes the model at once.
    Rewakes,
}

/// One handler in its place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) label: String,
    pub(crate) kind: String,
    pub(crate) origin: Origin,
    pub(crate) at: String,
    pub(crate) identity: Option<String>,
    pub(crate) matcher: Arc<Matcher>,
    pub(crate) matcher_text: Option<String>,
    pub(crate) condition: Condition,
    pub(crate) condition_text: Option<String>,
    pub(crate) time_limit: Duration,
    pub(crate) on_failure: OnFailure,
    /// A time limit that is reached blocks, whatever else a failure means.
    pub(crate) blocks_late: bool,
    pub(crate) waits: Waits,
    /// Runs once; set when it did.
    pub(crate) once: Option<Arc<AtomicBool>>,
    pub(crate) status_message: Option<String>,
    /// The only subagent in which it runs.
    pub(crate) agent: Option<Arc<str>>,
    /// Why it does not run.
    pub(crate) off: Option<String>,
    pub(crate) handler: Arc<dyn HookHandler>,
}

impl Entry {
    /// A handler that always runs, with nothing special about it.
    pub(crate) fn plain(
        kind: &str,
        label: String,
        origin: Origin,
        at: &str,
        matcher: Arc<Matcher>,
        handler: Arc<dyn HookHandler>,
    ) -> Self {
        Self {
            label,
            kind: kind.to_owned(),
            origin,
            at: at.to_owned(),
            identity: handler.identity(),
            matcher,
            matcher_text: None,
            condition: Condition::Always,
            condition_text: None,
            time_limit: Duration::from_secs(600),
            on_failure: OnFailure::Continue,
            blocks_late: false,
            waits: Waits::Awaited,
            once: None,
            status_message: None,
            agent: None,
            off: None,
            handler,
        }
    }

    /// Whether it was to run once, and did.
    pub(crate) fn is_spent(&self) -> bool {
        self.once.as_ref().is_some_and(|spent| spent.load(Ordering::Acquire))
    }
}

/// Handlers of all events, in configuration order. Cheap to ask, made once.
#[derive(Clone, Debug, Default)]
pub struct HookConfig {
    events: BTreeMap<&'static str, Vec<Entry>>,
    /// What is configured and does not run.
    off: BTreeMap<&'static str, Vec<Entry>>,
}

impl HookConfig {
    /// Reads the `hooks` objects of settings files; see [`HookConfig::from_sources`].
    #[must_use]
    pub fn from_layers(layers: Vec<(Origin, Value)>, options: &HookOptions) -> (Self, Vec<HookProblem>) {
        let sources = layers.into_iter().map(|(origin, hooks)| HookSource::new(origin, hooks)).collect();
        Self::from_sources(sources, options)
    }

    /// Reads `hooks` objects (event name to list of groups). Their order does not matter: handlers
    /// are ordered by source (user, project, local, flag, policy), then group, then handler; within a
    /// source in the order given.
    ///
    /// What is wrong is a problem and the rest stays in force; what is wrong about a handler that
    /// could block makes it block.
    #[must_use]
    pub fn from_sources(mut sources: Vec<HookSource>, options: &HookOptions) -> (Self, Vec<HookProblem>) {
        sources.sort_by_key(|source| source.origin.source);
        let mut config = Self::default();
        let mut problems = Vec::new();
        for source in &sources {
            let off = source.off.clone().or_else(|| switched_off(source, options));
            let mut found = Vec::new();
            let mut reader = Reader { source, options, problems: &mut found, config: &mut config, off };
            reader.read();
            if reader.off.is_none() {
                problems.extend(found);
            }
        }
        config.share_session_end();
        (config, problems)
    }

    /// The same with a handler of the host's own, after all others of the event. The matcher is one of
    /// the public form; `None` is everything. On `PreToolUse` and `UserPromptSubmit` it blocks when its
    /// time is over.
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
        let compiled = Matcher::new(matcher, event);
        if let Matcher::Broken(error) = &compiled {
            return Err(format!("the matcher is no expression: {error}"));
        }
        let origin = Origin::of(SettingSource::Builtin);
        let entry =
            Entry::plain("callback", handler.label(), origin, event.name, Arc::new(compiled), handler);
        let entry = Entry {
            matcher_text: matcher.map(str::to_owned),
            time_limit,
            on_failure,
            blocks_late: matches!(event.name, "PreToolUse" | "UserPromptSubmit"),
            ..entry
        };
        self.add(event, entry);
        Ok(self)
    }

    /// Whether no handler runs at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Names of the files that `FileChanged` matchers want watched, in the working directory.
    #[must_use]
    pub fn watched_files(&self) -> BTreeSet<String> {
        let texts = self.of("FileChanged").iter().filter_map(|entry| entry.matcher_text.as_deref());
        let names = texts.flat_map(|text| text.split('|')).map(str::trim);
        names.filter(|name| !name.is_empty() && *name != "*").map(str::to_owned).collect()
    }

    pub(crate) fn add(&mut self, event: EventKind, entry: Entry) {
        let map = if entry.off.is_some() { &mut self.off } else { &mut self.events };
        map.entry(event.name).or_default().push(entry);
    }

    pub(crate) fn of(&self, event: &str) -> &[Entry] {
        self.events.get(event).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is configured for an event and does not run.
    pub(crate) fn off(&self, event: &str) -> &[Entry] {
        self.off.get(event).map(Vec::as_slice).unwrap_or_default()
    }

    /// Handlers of `SessionEnd` have one time together: the longest that any settings file asks for.
    fn share_session_end(&mut self) {
        let Some(entries) = self.events.get_mut("SessionEnd") else { return };
        let asked = entries.iter().map(|entry| entry.time_limit).max().unwrap_or_default();
        let budget = asked.max(Duration::from_secs_f64(SESSION_END_SECONDS)).min(MOST_SESSION_END);
        entries.iter_mut().for_each(|entry| entry.time_limit = budget);
    }
}

/// Why nothing of a source runs.
fn switched_off(source: &HookSource, options: &HookOptions) -> Option<String> {
    let is_policy = source.origin.source == SettingSource::Policy;
    let (is_plugin, is_forced) = match &source.from {
        HookFrom::Plugin(plugin) => (true, plugin.forced),
        HookFrom::Settings | HookFrom::Skill(_) | HookFrom::Agent { .. } => (false, false),
    };
    match options.disabled_by {
        Some(by) if by == SettingSource::Policy || !is_policy => {
            return Some(format!("`disableAllHooks` of {by} switches it off"));
        }
        _ => {}
    }
    if options.only_policy && !is_policy && !is_forced {
        return Some("the policy lets only its own hooks run (`allowManagedHooksOnly`)".to_owned());
    }
    if options.only_plugins && !is_policy && !is_plugin {
        return Some(
            "the policy lets only hooks of plugins run (`strictPluginOnlyCustomization`)".to_owned(),
        );
    }
    None
}
