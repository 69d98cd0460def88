//! Tries rules on the engine: makes calls that a rule should match and asks what becomes of them.

use crate::config::EngineConfig;
use crate::engine::Engine;
use crate::lint::{Draft, FindingKind, LintConfig, Subject};
use crate::problem::Problem;
use pegboard_tool_core::ports::{Decision, GateCall, ShellStart, Verdict};
use pegboard_tool_core::{
    Accesses, ContextSnapshot, Effects, Origin, RuleEffect, RuleText, ToolContext, ToolDefinition, ToolOrigin,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Stands for what a star stands for. No rule that a person writes names it.
const WORD: &str = "zq7w";

/// Asks engines about calls.
pub(crate) struct Prober<'a> {
    config: &'a LintConfig,
    ctx: ToolContext,
    problems: HashMap<(RuleEffect, Arc<str>, Origin), Problem>,
    /// With the deny rules alone.
    deny: Engine,
    /// With the ask rules alone.
    ask: Engine,
}

/// A call that a rule should match.
pub(crate) struct Witness {
    definition: ToolDefinition,
    input: Value,
    effects: Effects,
    accesses: Accesses,
}

impl<'a> Prober<'a> {
    pub(crate) fn new(rules: &[RuleText], config: &'a LintConfig) -> Self {
        let mut snapshot = ContextSnapshot::new(&config.cwd, "lint");
        snapshot.home.clone_from(&config.home);
        snapshot.trusted = true;
        let (_, problems) = engine(config, rules.to_vec());
        let key = |problem: Problem| {
            let RuleText { effect, text, origin, .. } = problem.rule.clone();
            ((effect, text, origin), problem)
        };
        let of = |effect: RuleEffect| {
            engine(config, rules.iter().filter(|rule| rule.effect == effect).cloned().collect()).0
        };
        Self {
            config,
            ctx: ToolContext::new(Arc::new(snapshot)),
            problems: problems.into_iter().map(key).collect(),
            deny: of(RuleEffect::Deny),
            ask: of(RuleEffect::Ask),
        }
    }

    /// What the engine itself says about the rule.
    pub(crate) fn problem(&self, rule: &RuleText) -> Option<&Problem> {
        self.problems.get(&(rule.effect, Arc::clone(&rule.text), rule.origin.clone()))
    }

    /// The rule of `effect` that catches everything that `subject` is about.
    pub(crate) fn caught_by(&self, subject: &Subject<'_>, effect: RuleEffect) -> Option<RuleText> {
        let engine = if effect == RuleEffect::Deny { &self.deny } else { &self.ask };
        let witnesses = self.witnesses(subject);
        let mut by = None;
        for witness in &witnesses {
            // Of a line that cannot be told every rule could be the one.
            if self.is_opaque(witness) {
                return None;
            }
            let decision = self.decide(engine, witness);
            by = Some(decision.matched.into_iter().find(|rule| rule.effect == effect)?);
        }
        by.map(|rule| RuleText::clone(&rule))
    }

    /// Whether the rule, alone, does anything for any call that it should match.
    pub(crate) fn never_matches(&self, subject: &Subject<'_>) -> Option<Draft> {
        let witnesses = self.witnesses(subject);
        // What begins with `!` takes back what other rules of its source mean; alone it does nothing.
        if witnesses.is_empty() || subject.rule.text.contains("(!") {
            return None;
        }
        let (engine, _) = engine(self.config, vec![subject.rule.clone()]);
        let decisions: Vec<Decision> =
            witnesses.iter().map(|witness| self.decide(&engine, witness)).collect();
        if !subject.is_allow() {
            let matches = decisions.iter().any(|decision| !decision.matched.is_empty());
            let reason = "no call was found that it matches";
            return (!matches).then(|| Draft::new(FindingKind::NeverMatches, reason));
        }
        if decisions.iter().any(|decision| decision.verdict == Verdict::Allow) {
            return None;
        }
        let first = decisions.first()?;
        let reason = if first.safety {
            format!("what it names is asked about in every mode, whatever rules say ({})", first.reason)
        } else {
            format!("what it names still asks: {}", first.reason)
        };
        Some(Draft::new(FindingKind::NeverMatches, reason))
    }

    fn decide(&self, engine: &Engine, witness: &Witness) -> Decision {
        let Witness { definition, input, effects, accesses } = witness;
        engine.decide_now(&GateCall::new(definition, input, *effects, accesses, &self.ctx).with_trail(true))
    }

    fn is_opaque(&self, witness: &Witness) -> bool {
        let Some(line) = witness.input.get("command").and_then(Value::as_str) else { return false };
        let start = ShellStart::bash(&self.config.cwd, self.config.home.clone());
        !self.config.analyzer.analyze(line, &start).opaque.is_empty()
    }

    /// Calls that the rule should match: with the star as nothing and as a word.
    fn witnesses(&self, subject: &Subject<'_>) -> Vec<Witness> {
        let tool = subject.parts.tool.as_str();
        let text = subject.parts.specifier.as_deref();
        let calls: Vec<(String, Value)> = match (tool, text) {
            (_, None) => {
                let name = match tool.strip_prefix("mcp__") {
                    Some(rest) if !rest.contains("__") => format!("{tool}__{WORD}"),
                    _ => tool.to_owned(),
                };
                vec![(name.replace('*', WORD), whole(tool))]
            }
            ("Bash" | "Monitor" | "PowerShell", Some(text)) if field(text).is_none() => {
                commands(text).into_iter().map(|line| (tool.to_owned(), json!({"command": line}))).collect()
            }
            ("Read" | "Edit", Some(text)) if field(text).is_none() => {
                let paths = self.paths(text, &subject.rule.anchor);
                paths.into_iter().map(|path| (tool.to_owned(), file_input(tool, &path))).collect()
            }
            ("WebFetch", Some(text)) => {
                let host = text.strip_prefix("domain:").map(|host| host.trim().replace('*', WORD));
                let call = host
                    .map(|host| (tool.to_owned(), json!({"url": format!("https://{host}/"), "prompt": "p"})));
                call.into_iter().collect()
            }
            ("Agent", Some(text)) if field(text).is_none() => {
                vec![(tool.to_owned(), json!({"subagent_type": text}))]
            }
            ("Skill", Some(text)) if field(text).is_none() => {
                vec![(tool.to_owned(), json!({"skill": text.trim_end_matches(" *")}))]
            }
            (_, Some(text)) => match field(text) {
                Some((name, value)) => {
                    let mut input = Map::new();
                    input.insert(name.to_owned(), Value::from(value.replace('*', WORD)));
                    vec![(tool.to_owned(), Value::Object(input))]
                }
                None => Vec::new(),
            },
        };
        calls.into_iter().filter_map(|(name, input)| self.witness(&name, input)).collect()
    }

    fn witness(&self, name: &str, input: Value) -> Option<Witness> {
        let mut definition = ToolDefinition::new(name, "", json!({"type": "object"})).ok()?;
        if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            definition.origin = ToolOrigin::Mcp { server: server.into(), tool: tool.into() };
        }
        let path = |field: &str| self.ctx.absolute(input.get(field).and_then(Value::as_str).unwrap_or("."));
        let (effects, accesses) = match name {
            "Read" => (Effects::ReadOnly, Accesses::read_file(path("file_path"))),
            "Edit" | "Write" => (Effects::Writes, Accesses::write_file(path("file_path"))),
            _ => (Effects::Destructive, Accesses::Everything),
        };
        Some(Witness { definition, input, effects, accesses })
    }

    /// Paths that a pattern names; none where its wildcards are too odd to fill in.
    fn paths(&self, text: &str, anchor: &Path) -> Vec<PathBuf> {
        if text.contains('[') {
            return Vec::new();
        }
        let (base, rest) = if let Some(rest) = text.strip_prefix("//") {
            (PathBuf::from("/"), rest)
        } else if let Some(rest) = text.strip_prefix("~/") {
            let Some(home) = &self.config.home else { return Vec::new() };
            (home.clone(), rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (anchor.to_path_buf(), rest)
        } else {
            (self.config.cwd.clone(), text)
        };
        let rest = rest
            .replace("**", &format!("{WORD}/{WORD}"))
            .replace('*', WORD)
            .replace('?', "q")
            .replace('\\', "");
        vec![base.join(rest.trim_start_matches("./").trim_end_matches('/'))]
    }
}

fn engine(config: &LintConfig, rules: Vec<RuleText>) -> (Engine, Vec<Problem>) {
    let mut engine = EngineConfig::new(Arc::clone(&config.analyzer));
    engine.home.clone_from(&config.home);
    engine.rules = rules;
    Engine::new(engine)
}

fn whole(tool: &str) -> Value {
    match tool {
        "Bash" | "Monitor" | "PowerShell" => json!({"command": WORD}),
        "Read" | "Edit" | "Write" | "MultiEdit" => file_input(tool, Path::new(&format!("/{WORD}/{WORD}"))),
        "WebFetch" => json!({"url": format!("https://{WORD}.example/"), "prompt": "p"}),
        "Agent" => json!({"subagent_type": WORD}),
        _ => json!({}),
    }
}

fn file_input(tool: &str, path: &Path) -> Value {
    let path = path.to_string_lossy();
    match tool {
        "Edit" => json!({"file_path": path, "old_string": "a", "new_string": "b"}),
        "Write" => json!({"file_path": path, "content": ""}),
        _ => json!({"file_path": path}),
    }
}

/// `field:value`, for what looks like a rule on a field.
pub(crate) fn field(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let is_field = matches!(
        name,
        "timeout"
            | "description"
            | "run_in_background"
            | "dangerouslyDisableSandbox"
            | "model"
            | "isolation"
            | "subagent_type"
            | "skill"
            | "args"
            | "offset"
            | "limit"
            | "replace_all"
            | "content"
            | "prompt"
            | "name"
    );
    is_field.then_some((name, value))
}

/// Command lines that a pattern names.
fn commands(text: &str) -> Vec<String> {
    let filled = |text: &str| text.replace('*', WORD);
    match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
        Some(head) => vec![filled(head.trim_end()), format!("{} {WORD}", filled(head.trim_end()))],
        None => vec![filled(text)],
    }
}
