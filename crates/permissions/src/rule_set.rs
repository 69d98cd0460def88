//! Rules compiled once and found by the name of the tool: a decision looks only at rules that could
//! match.

use crate::command_pattern::{CommandPattern, Lean};
use crate::command_text::{CommandText, Fit};
use crate::config::EngineConfig;
use crate::host_pattern::HostPattern;
use crate::known_tools;
use crate::path_index::PathIndex;
use crate::path_pattern::{PathPattern, Places};
use crate::problem::{Outcome, Problem};
use crate::rule::RuleParts;
use crate::specifier::{self, Specifier, field_matches, skill_matches};
use crate::text_glob::star_match;
use pegboard_tool_core::{RuleEffect, RuleText, ToolDefinition, ToolOrigin};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The tool that ends a conversation: neither denied nor asked about while there are others.
const END: &str = "EndConversation";

/// All rules in force.
#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    /// Highest source first; the index is the id.
    rules: Vec<Arc<RuleText>>,
    effects: [EffectRules; 3],
}

/// Rules of one effect.
#[derive(Debug, Default)]
pub(crate) struct EffectRules {
    tools: HashMap<String, ToolRules>,
    servers: HashMap<String, u32>,
    name_globs: Vec<(u32, String)>,
    /// `Read(...)`.
    pub(crate) read: PathIndex,
    /// `Edit(...)`.
    pub(crate) edit: PathIndex,
    /// `Cd(...)`.
    pub(crate) moves: Vec<(u32, PathPattern)>,
    hosts: HashMap<String, u32>,
    host_patterns: Vec<(u32, HostPattern)>,
}

/// Rules of one tool.
#[derive(Debug, Default)]
struct ToolRules {
    whole: Option<u32>,
    by_program: HashMap<String, Vec<(u32, CommandPattern)>>,
    any_program: Vec<(u32, CommandPattern)>,
    others: Vec<(u32, Specifier)>,
}

fn index(effect: RuleEffect) -> usize {
    match effect {
        RuleEffect::Allow => 0,
        RuleEffect::Ask => 1,
        RuleEffect::Deny => 2,
    }
}

impl RuleSet {
    /// Compiles `rules`. Their order within a source makes no difference to any verdict.
    pub(crate) fn new(mut rules: Vec<RuleText>, config: &EngineConfig) -> (Self, Vec<Problem>) {
        rules.sort_by_key(|rule| std::cmp::Reverse(config.order.rank(rule.origin.source)));
        let mut set = Self::default();
        let mut problems = Vec::new();
        for rule in rules {
            let places = Places { anchor: &rule.anchor, home: config.home.as_deref() };
            match set.add(&rule, places, &config.tool_names) {
                Ok(None) => {}
                Ok(Some(message)) => problems.push(Problem { rule, outcome: Outcome::Kept, message }),
                Err(message) => problems.push(Problem { rule, outcome: Outcome::Skipped, message }),
            }
        }
        (set, problems)
    }

    fn add(
        &mut self,
        rule: &RuleText,
        places: Places<'_>,
        more_tools: &BTreeSet<String>,
    ) -> Result<Option<String>, String> {
        let parts = RuleParts::parse(&rule.text)?;
        if rule.effect == RuleEffect::Allow && matches!(written_name(rule), "LS" | "LSTool") {
            return Err(
                "it only listed folders; `Read` would let every file be read, so write what is meant"
                    .to_owned(),
            );
        }
        let name_warning = name_warning(rule, &parts, more_tools);
        let compiled = specifier::compile(&parts, rule.effect, places)
            .map_err(|message| known_tools::doubt(&parts.tool, more_tools).unwrap_or(message))?;
        let id = u32::try_from(self.rules.len()).map_err(|_| "there are too many rules".to_owned())?;
        let Some(rules) = self.effects.get_mut(index(rule.effect)) else { return Ok(None) };
        match compiled.specifier {
            Specifier::Whole => rules.add_name(id, &parts.tool, rule.effect)?,
            Specifier::Read(pattern) => rules.read.add(id, rule.origin.source, pattern),
            Specifier::Edit(pattern) => rules.edit.add(id, rule.origin.source, pattern),
            Specifier::NotRead(pattern) => rules.read.add_exception(rule.origin.source, pattern),
            Specifier::NotEdit(pattern) => rules.edit.add_exception(rule.origin.source, pattern),
            Specifier::Move(pattern) => rules.moves.push((id, pattern)),
            Specifier::Host(pattern) => match pattern.exact() {
                Some(host) => {
                    rules.hosts.entry(host).or_insert(id);
                }
                None => rules.host_patterns.push((id, pattern)),
            },
            Specifier::Command(pattern) => {
                let name = specifier::shell_rules_of(&parts.tool).unwrap_or(&parts.tool);
                let tool = rules.tools.entry(name.to_owned()).or_default();
                match pattern.program() {
                    Some(program) => {
                        tool.by_program.entry(program.to_owned()).or_default().push((id, pattern))
                    }
                    None => tool.any_program.push((id, pattern)),
                }
            }
            other @ (Specifier::Field(..) | Specifier::Agent(_) | Specifier::Skill(..)) => {
                rules.tools.entry(parts.tool).or_default().others.push((id, other));
            }
        }
        self.rules.push(Arc::new(rule.clone()));
        Ok(name_warning.or(compiled.warning))
    }

    /// The rule with this id.
    pub(crate) fn rule(&self, id: u32) -> Option<&Arc<RuleText>> {
        self.rules.get(usize::try_from(id).ok()?)
    }

    /// Texts of all rules, to compile them again with one more.
    pub(crate) fn texts(&self) -> impl Iterator<Item = RuleText> {
        self.rules.iter().map(|rule| RuleText::clone(rule))
    }

    /// The rules of one effect.
    pub(crate) fn of(&self, effect: RuleEffect) -> &EffectRules {
        let [allow, ask, deny] = &self.effects;
        match effect {
            RuleEffect::Allow => allow,
            RuleEffect::Ask => ask,
            RuleEffect::Deny => deny,
        }
    }
}

/// The name in front of the parentheses, as written.
fn written_name(rule: &RuleText) -> &str {
    rule.text.split('(').next().unwrap_or_default().trim()
}

/// What is odd about the name of the tool in a rule that is in force.
fn name_warning(rule: &RuleText, parts: &RuleParts, more_tools: &BTreeSet<String>) -> Option<String> {
    let written = written_name(rule);
    if known_tools::present_name(written).is_some() {
        return Some(format!("`{written}` is called `{}` now; write that", parts.tool));
    }
    match rule.effect {
        RuleEffect::Allow => None,
        RuleEffect::Ask | RuleEffect::Deny if parts.tool == "EndConversation" => {
            Some("a conversation can always be ended; this rule holds nothing back".to_owned())
        }
        RuleEffect::Ask | RuleEffect::Deny => known_tools::doubt(&parts.tool, more_tools),
    }
}

impl EffectRules {
    fn add_name(&mut self, id: u32, name: &str, effect: RuleEffect) -> Result<(), String> {
        let after_server = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        if name.contains('*') {
            let is_below_server =
                after_server.is_some_and(|(server, _)| !server.is_empty() && !server.contains('*'));
            if effect == RuleEffect::Allow && !is_below_server {
                return Err("a pattern of names is allowed only behind a server, as in `mcp__server__get_*`"
                    .to_owned());
            }
            if let Some((server, "*")) = after_server
                && is_below_server
            {
                self.servers.entry(format!("mcp__{server}")).or_insert(id);
            } else {
                self.name_globs.push((id, name.to_owned()));
            }
            return Ok(());
        }
        if name.starts_with("mcp__") && (after_server.is_none() || effect != RuleEffect::Allow) {
            self.servers.entry(name.to_owned()).or_insert(id);
        }
        self.tools.entry(name.to_owned()).or_default().whole.get_or_insert(id);
        Ok(())
    }

    /// The rule that names the whole tool.
    pub(crate) fn whole(&self, tool: &ToolDefinition) -> Option<u32> {
        if tool.name.as_str() == END && tool.origin == ToolOrigin::BuiltIn {
            return self.whole_name(END, &tool.origin);
        }
        let aliases = tool.aliases.iter().filter_map(|alias| self.whole_name(alias.as_str(), &tool.origin));
        let family = family_of(tool).and_then(|name| self.whole_name(name, &tool.origin));
        self.whole_name(tool.name.as_str(), &tool.origin).into_iter().chain(aliases).chain(family).min()
    }

    /// The rule that names the whole tool of this name.
    pub(crate) fn whole_name(&self, name: &str, origin: &ToolOrigin) -> Option<u32> {
        if name == END && *origin == ToolOrigin::BuiltIn {
            // Only a rule that leaves no other tool takes it away.
            return self.name_globs.iter().filter(|(_, glob)| glob == "*").map(|(id, _)| *id).min();
        }
        let exact = self.tools.get(name).and_then(|tool| tool.whole);
        let globs = self.name_globs.iter().filter(|(_, glob)| star_match(glob, name)).map(|(id, _)| *id);
        let server = if self.servers.is_empty() { None } else { self.server(name, origin) };
        exact.into_iter().chain(globs).chain(server).min()
    }

    fn server(&self, name: &str, origin: &ToolOrigin) -> Option<u32> {
        let rest = name.strip_prefix("mcp__")?;
        if let ToolOrigin::Mcp { server, .. } = origin {
            let normal: String = server
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' })
                .collect();
            if let Some(tool) = rest.strip_prefix(normal.as_str())
                && tool.starts_with("__")
            {
                return self.servers.get(&format!("mcp__{normal}")).copied();
            }
        }
        let ends = rest.match_indices("__").map(|(at, _)| at + "mcp__".len());
        ends.filter_map(|end| self.servers.get(name.get(..end)?).copied()).min()
    }

    /// A rule on fields, agents or skills that matches the call.
    pub(crate) fn other(&self, tool: &ToolDefinition, input: &Value, effect: RuleEffect) -> Option<u32> {
        let names = std::iter::once(&tool.name).chain(&tool.aliases);
        let rules = names.filter_map(|name| self.tools.get(name.as_str()));
        let found = rules
            .flat_map(|tool| &tool.others)
            .filter(|(_, specifier)| other_matches(specifier, input, effect));
        found.map(|(id, _)| *id).min()
    }

    /// Whether there are command patterns for the shell tool `name`; the first is named.
    pub(crate) fn any_command_rule(&self, name: &str) -> Option<u32> {
        let tool = self.tools.get(name)?;
        let all = tool.by_program.values().flatten().chain(&tool.any_program);
        all.map(|(id, _)| *id).min()
    }

    /// A command pattern for the shell tool `name` that lets `text` run, whose first word is `program`.
    pub(crate) fn permits(&self, name: &str, program: &str, text: &str, only: Only) -> Option<u32> {
        let rules = self.candidates(name, program);
        let fits = |pattern: &CommandPattern| match only {
            Only::All => true,
            Only::Exact => pattern.is_exact(),
            Only::NotBroad => !pattern.is_broad(),
        };
        rules
            .filter(|(_, pattern)| fits(pattern) && pattern.matches(text, Lean::Permit))
            .map(|(id, _)| *id)
            .min()
    }

    /// The command patterns for the shell tool `name` that hold back the command `text` of `program`: one that
    /// surely matches, and one of which it cannot be told.
    pub(crate) fn forbids(
        &self,
        name: &str,
        program: &str,
        text: &CommandText,
    ) -> (Option<u32>, Option<u32>) {
        let (mut sure, mut could) = (None, None);
        for (id, pattern) in self.candidates(name, program) {
            let slot = match text.fit(pattern) {
                Fit::No => continue,
                Fit::Could => &mut could,
                Fit::Sure => &mut sure,
            };
            *slot = Some(slot.map_or(*id, |best: u32| best.min(*id)));
        }
        (sure, could)
    }

    fn candidates(&self, name: &str, program: &str) -> impl Iterator<Item = &(u32, CommandPattern)> {
        let tool = self.tools.get(name);
        let named = tool.and_then(|tool| tool.by_program.get(program));
        named.into_iter().flatten().chain(tool.into_iter().flat_map(|tool| &tool.any_program))
    }

    /// Whether there are rules for paths that are read, or read and written.
    pub(crate) fn has_path_rules(&self, is_write: bool) -> bool {
        !self.read.is_empty() || is_write && !self.edit.is_empty()
    }

    /// The first rule for paths that are read, or read and written.
    pub(crate) fn first_path_rule(&self, is_write: bool) -> Option<u32> {
        let edit = if is_write { self.edit.first() } else { None };
        self.read.first().into_iter().chain(edit).min()
    }

    /// The first rule with a wildcard for paths that are read, or read and written.
    pub(crate) fn first_wild(&self, is_write: bool) -> Option<u32> {
        let edit = if is_write { self.edit.first_wild() } else { None };
        self.read.first_wild().into_iter().chain(edit).min()
    }

    /// The first rule for hosts.
    pub(crate) fn any_host_rule(&self) -> Option<u32> {
        let exact = self.hosts.values().copied();
        exact.chain(self.host_patterns.iter().map(|(id, _)| *id)).min()
    }

    /// A rule for the host.
    pub(crate) fn host(&self, host: &str) -> Option<u32> {
        let patterns =
            self.host_patterns.iter().filter(|(_, pattern)| pattern.matches(host)).map(|(id, _)| *id);
        self.hosts.get(host).copied().into_iter().chain(patterns).min()
    }
}

/// Which command patterns count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Only {
    /// All.
    All,
    /// Those without a star.
    Exact,
    /// Those that do not amount to "run anything".
    NotBroad,
}

fn other_matches(specifier: &Specifier, input: &Value, effect: RuleEffect) -> bool {
    match specifier {
        Specifier::Field(field, pattern) => field_matches(input, field, pattern),
        Specifier::Agent(agent) => input.get("subagent_type").and_then(Value::as_str) == Some(agent),
        Specifier::Skill(name, arguments) => skill_matches(input, name, *arguments, effect),
        Specifier::Whole
        | Specifier::Command(_)
        | Specifier::Read(_)
        | Specifier::Edit(_)
        | Specifier::Move(_)
        | Specifier::NotRead(_)
        | Specifier::NotEdit(_)
        | Specifier::Host(_) => false,
    }
}

/// The tool whose rules hold for this one too: `Edit` for all that change files, `Read` for all that look into them.
fn family_of(tool: &ToolDefinition) -> Option<&'static str> {
    if tool.origin != ToolOrigin::BuiltIn {
        return None;
    }
    match tool.name.as_str() {
        "Write" | "MultiEdit" | "NotebookEdit" => Some("Edit"),
        "Grep" | "Glob" | "LSP" => Some("Read"),
        _ => None,
    }
}
