//! From a `hooks` object to entries of a configuration, with everything that is wrong in it.

use crate::command::command_line;
use crate::condition::Condition;
use crate::config::{Entry, Waits};
use crate::event::EventKind;
use crate::matcher::Matcher;
use crate::mcp_tool::McpToolHandler;
use crate::model_handler::{ModelHandler, ModelKind};
use crate::source::{HookFrom, HookSource};
use crate::unavailable::Unavailable;
use crate::{CommandHandler, CommandLine, HookConfig, HookHandler, HookOptions, HookProblem, OnFailure};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A limit from it on is probably meant in milliseconds.
const SUSPICIOUS: Duration = Duration::from_secs(1_000);

pub(crate) struct Reader<'a> {
    pub(crate) source: &'a HookSource,
    pub(crate) options: &'a HookOptions,
    pub(crate) problems: &'a mut Vec<HookProblem>,
    pub(crate) config: &'a mut HookConfig,
    /// Why nothing of it runs.
    pub(crate) off: Option<String>,
}

/// A group whose parts are being read.
struct Group<'a> {
    event: EventKind,
    matcher: &'a Arc<Matcher>,
    matcher_text: Option<&'a str>,
}

enum Unusable {
    /// The object is wrong.
    Wrong(String),
    /// The object is right, and has no place here.
    Misplaced(String),
    /// The object is right, and something is missing that it needs.
    Missing(String),
}

impl Reader<'_> {
    fn problem(&mut self, at: &str, text: impl Into<String>) {
        self.problems.push(HookProblem::new(self.source.origin_at(at), at, text));
    }

    pub(crate) fn read(&mut self) {
        let Some(events) = self.source.hooks.as_object() else {
            return self.problem("", "must be an object of events; nothing of it is used");
        };
        for (name, groups) in events {
            let Some(event) = EventKind::of(name) else {
                self.problem(name, "is not an event of this version; it is skipped");
                continue;
            };
            // The stop of a subagent is what its own hooks mean by a stop.
            let event = match (&self.source.from, event.name) {
                (HookFrom::Agent { .. }, "Stop") => EventKind::of("SubagentStop").unwrap_or(event),
                _ => event,
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
        let text = group.get("matcher").and_then(Value::as_str);
        let matcher = match group.get("matcher") {
            None | Some(Value::Null) => Matcher::Any,
            Some(Value::String(text)) => Matcher::new(Some(text), event),
            Some(_) => Matcher::Broken("`matcher` must be a string".to_owned()),
        };
        if let Matcher::Broken(error) = &matcher {
            return self.broken(event, at, &format!("has a matcher that cannot be used: {error}"));
        }
        let matcher = Arc::new(matcher);
        let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
            return self.broken_for(event, at, "must have a list `hooks`", matcher);
        };
        let group = Group { event, matcher: &matcher, matcher_text: text };
        for (index, handler) in handlers.iter().enumerate() {
            self.handler(&group, &format!("{at}.hooks.{index}"), handler);
        }
    }

    fn handler(&mut self, group: &Group<'_>, at: &str, handler: &Value) {
        let (event, matcher) = (group.event, group.matcher);
        let Some(object) = handler.as_object() else {
            return self.broken_for(event, at, "must be an object with `type`", Arc::clone(matcher));
        };
        let on_failure = self.on_failure(at, object);
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
        let condition_text = object.get("if").filter(|value| !value.is_null());
        let handler = match self.make(event, object, condition_text.and_then(Value::as_str)) {
            Ok(handler) => handler,
            Err(Unusable::Wrong(text)) => return self.broken_for(event, at, &text, Arc::clone(matcher)),
            Err(Unusable::Misplaced(text)) if on_failure == OnFailure::Continue => {
                return self.problem(at, format!("{text}; it is skipped"));
            }
            Err(Unusable::Misplaced(text) | Unusable::Missing(text)) => {
                let so = if on_failure == OnFailure::Block { "so it blocks" } else { "so it cannot start" };
                self.problem(at, format!("{text}, {so}"));
                Arc::new(Unavailable::new(format!("{kind} at hooks.{at}"), text)) as Arc<dyn HookHandler>
            }
        };
        let condition = self.condition(event, at, condition_text);
        let origin = self.source.origin_at(at);
        let label = format!("{} ({origin})", handler.label());
        let identity =
            handler.identity().map(|identity| format!("{} {identity}", self.source.from.identity()));
        let agent = match &self.source.from {
            HookFrom::Agent { agent_id, .. } => Some(Arc::clone(agent_id)),
            HookFrom::Settings | HookFrom::Plugin(_) | HookFrom::Skill(_) => None,
        };
        let entry = Entry {
            identity,
            matcher_text: group.matcher_text.map(str::to_owned),
            condition,
            condition_text: condition_text.and_then(Value::as_str).map(str::to_owned),
            time_limit: self.time_limit(event, at, kind, object),
            on_failure,
            waits: self.waits(at, kind, object),
            once: self.once(at, object),
            status_message: object.get("statusMessage").and_then(Value::as_str).map(str::to_owned),
            agent,
            off: self.off.clone(),
            ..Entry::plain(kind, label, origin, at, Arc::clone(matcher), handler)
        };
        self.config.add(event, entry);
    }

    fn on_failure(&mut self, at: &str, object: &Map<String, Value>) -> OnFailure {
        let own = match object.get("onFailure").and_then(Value::as_str) {
            Some("block") => OnFailure::Block,
            Some("continue") => OnFailure::Continue,
            _ if object.contains_key("onFailure") => {
                self.problem(at, "`onFailure` must be \"block\" or \"continue\"; \"block\" is used");
                OnFailure::Block
            }
            _ => OnFailure::Continue,
        };
        own.max(self.options.on_failure)
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
        if !event.takes(kind) {
            let text = format!("handlers of type `{kind}` cannot be attached to {}", event.name);
            return Err(Unusable::Misplaced(text));
        }
        match kind {
            "command" => {
                let line = command_line(object).map_err(Unusable::Wrong)?;
                let plugin = match &self.source.from {
                    HookFrom::Plugin(plugin) => Some(Arc::clone(plugin)),
                    HookFrom::Settings | HookFrom::Skill(_) | HookFrom::Agent { .. } => None,
                };
                if let CommandLine::Shell(text) | CommandLine::PowerShell(text) = &line
                    && plugin.is_some()
                    && text.contains("${user_config.")
                {
                    let text =
                        "`${user_config.KEY}` needs `args`; in a shell write `$CLAUDE_PLUGIN_OPTION_KEY`";
                    return Err(Unusable::Wrong(text.to_owned()));
                }
                Ok(Arc::new(CommandHandler::new(line).under(condition).of_plugin(plugin)))
            }
            "http" => {
                let url = object.get("url").and_then(Value::as_str).unwrap_or_default();
                if !self.options.http.allows(url) {
                    let text = "its address is not among `allowedHttpHookUrls`";
                    return Err(Unusable::Misplaced(text.to_owned()));
                }
                self.http(object, condition)
            }
            "mcp_tool" => {
                let missing = || Unusable::Missing("no servers are connected here".to_owned());
                let caller = self.options.caller.clone().ok_or_else(missing)?;
                let handler = McpToolHandler::new(object, condition, caller).map_err(Unusable::Wrong)?;
                Ok(Arc::new(handler))
            }
            "prompt" | "agent" => {
                let (kind, ask) = match kind {
                    "agent" => (ModelKind::Agent, self.options.agent.as_ref().or(self.options.ask.as_ref())),
                    _ => (ModelKind::Prompt, self.options.ask.as_ref()),
                };
                let missing = || Unusable::Missing("there is no model here to ask".to_owned());
                let ask = Arc::clone(ask.ok_or_else(missing)?);
                let handler = ModelHandler::new(kind, object, condition, ask).map_err(Unusable::Wrong)?;
                Ok(Arc::new(handler))
            }
            _ => Err(Unusable::Wrong(format!(
                "`{kind}` is not a type of handler; use command, http, mcp_tool, prompt or agent"
            ))),
        }
    }

    #[cfg(feature = "http-hooks")]
    fn http(
        &self,
        object: &Map<String, Value>,
        condition: Option<&str>,
    ) -> Result<Arc<dyn HookHandler>, Unusable> {
        let handler = crate::http::HttpHandler::new(object, condition, &self.options.http);
        Ok(Arc::new(handler.map_err(Unusable::Wrong)?))
    }

    #[cfg(not(feature = "http-hooks"))]
    #[expect(clippy::unused_self, reason = "the other form of it needs the options")]
    fn http(
        &self,
        _object: &Map<String, Value>,
        _condition: Option<&str>,
    ) -> Result<Arc<dyn HookHandler>, Unusable> {
        let text = "this program was built without `http` hooks (feature `http-hooks`)";
        Err(Unusable::Missing(text.to_owned()))
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
        if is_several(rule) {
            let text = "`if` must be one permission rule, and these are several; the handler runs always";
            self.problem(at, text);
            return Condition::Always;
        }
        let compiled = match &self.options.rules {
            Some(rules) => rules.compile(rule).map_err(|error| error.to_string()),
            None => Err("nothing here understands permission rules".to_owned()),
        };
        compiled.map_or_else(
            |error| {
                self.problem(at, format!("`if`: {error}; the handler runs always"));
                Condition::Always
            },
            |compiled| Condition::of_rule(rule, compiled),
        )
    }

    fn waits(&mut self, at: &str, kind: &str, object: &Map<String, Value>) -> Waits {
        let is_on = |key: &str| object.get(key) == Some(&Value::Bool(true));
        let waits = match (is_on("asyncRewake"), is_on("async")) {
            (true, _) => Waits::Rewakes,
            (false, true) => Waits::Background,
            (false, false) => return Waits::Awaited,
        };
        if kind != "command" {
            self.problem(at, "`async` is only for commands; the handler is awaited");
            return Waits::Awaited;
        }
        waits
    }

    fn once(&mut self, at: &str, object: &Map<String, Value>) -> Option<Arc<AtomicBool>> {
        if object.get("once") != Some(&Value::Bool(true)) {
            return None;
        }
        if matches!(self.source.from, HookFrom::Skill(_)) {
            return Some(Arc::default());
        }
        self.problem(at, "`once` has a meaning only in skills; the handler runs each time");
        None
    }

    fn time_limit(
        &mut self,
        event: EventKind,
        at: &str,
        kind: &str,
        object: &Map<String, Value>,
    ) -> Duration {
        let default = Duration::from_secs_f64(event.default_seconds(kind));
        let Some(given) = object.get("timeout").filter(|value| !value.is_null()) else { return default };
        let seconds = given.as_f64().filter(|seconds| *seconds > 0.0);
        let Some(limit) = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) else {
            let seconds = default.as_secs_f64();
            self.problem(
                at,
                format!("`timeout` must be a number of seconds, more than 0; {seconds} is used"),
            );
            return default;
        };
        // What is told of a policy ends the program; a long time is no reason for that.
        if limit >= SUSPICIOUS && self.source.origin.source != pegboard_tool_core::SettingSource::Policy {
            let text = "`timeout` is in seconds, and this looks like milliseconds; it is used as written";
            self.problem(at, text);
        }
        // The time of plugins does not lengthen the end of a session.
        let is_settings = matches!(self.source.from, HookFrom::Settings);
        if event.name == "SessionEnd" && !is_settings { limit.min(default) } else { limit }
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
        let origin = self.source.origin_at(at);
        let label = format!("hooks.{at} ({origin})");
        let handler = Arc::new(Unavailable::new(label.clone(), format!("hooks.{at} {text}")));
        let entry = Entry {
            time_limit: Duration::from_secs(1),
            on_failure: OnFailure::Block,
            off: self.off.clone(),
            ..Entry::plain("broken", label, origin, at, matcher, handler)
        };
        self.config.add(event, entry);
    }
}

/// Whether a text is more than one rule: something stands after the end of the first.
fn is_several(rule: &str) -> bool {
    let rule = rule.trim();
    let Some(open) = rule.find('(') else {
        return rule.contains(|letter: char| letter.is_whitespace() || ",&|;".contains(letter));
    };
    let (name, content) = rule.split_at(open);
    if name.contains(|letter: char| letter.is_whitespace() || ",&|;".contains(letter)) {
        return true;
    }
    let (mut depth, mut is_escaped) = (0_usize, false);
    for (at, letter) in content.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let rest = content.get(at + 1..).unwrap_or_default().trim_start();
                    return rest.starts_with([',', '&', '|', ';'])
                        || rest.starts_with(char::is_alphanumeric) && rest.ends_with(')');
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_is_told_from_several() {
        for one in [
            "Bash",
            "Bash(git *)",
            "Bash(a && b)",
            "Bash(echo (a) && b)",
            r"Bash(echo \), x)",
            "mcp__a__.*",
            "Read(a, b)",
        ] {
            assert!(!is_several(one), "{one}");
        }
        for several in [
            "Bash(a) && Bash(b)",
            "Bash(git *), Bash(npm *)",
            "Bash(a)|Edit",
            "Bash, Edit",
            "Bash|Edit",
            "Bash && Edit(x)",
            "Bash(a) Bash(b)",
        ] {
            assert!(is_several(several), "{several}");
        }
    }
}
