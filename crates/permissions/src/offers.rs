//! What "always allow" could mean for a call. Every offer is tried on the engine first: it must let this
//! call run, and deny rules and safety hold over it as over every allow rule.

use crate::arity::telling_words;
use crate::engine::Engine;
use crate::host_pattern::host_of;
use crate::judge::Ground;
use crate::judge_shell::{Reading, Shell};
use crate::paths::JudgedPath;
use crate::shell_command::ShellCommand;
use crate::shell_cover::Covers;
use crate::shell_place::{CdTarget, cd_target};
use crate::specifier::shell_rules_of;
use pegboard_tool_core::ports::{CommandNature, Decision, GateCall, RuleOffer, Verdict};
use pegboard_tool_core::{AccessMode, ToolOrigin};
use serde_json::Value;
use std::path::Path;

/// More commands than these in one line are not offered.
const MOST_RULES: usize = 5;

/// Offers for a call that would ask.
pub(crate) fn suggest(engine: &Engine, call: &GateCall<'_>, decision: &Decision) -> Vec<RuleOffer> {
    if decision.verdict != Verdict::Ask || decision.safety || decision.by_rule {
        return Vec::new();
    }
    let name = call.tool.name.as_str();
    let drafts = match shell_rules_of(name) {
        Some(shell) if !matches!(call.tool.origin, ToolOrigin::Mcp { .. }) => for_shell(engine, call, shell),
        _ => match name {
            "WebFetch" => for_host(call),
            "Read" | "Grep" | "Glob" | "LSP" | "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => {
                for_paths(decision)
            }
            "Agent" => Vec::new(),
            _ => vec![RuleOffer::new(vec![name.to_owned()], format!("every call of {name}"), true)],
        },
    };
    drafts.into_iter().filter(|offer| works(engine, call, offer)).collect()
}

fn works(engine: &Engine, call: &GateCall<'_>, offer: &RuleOffer) -> bool {
    engine.decide_with(call, &offer.rules).is_some_and(|decision| decision.verdict == Verdict::Allow)
}

fn for_shell(engine: &Engine, call: &GateCall<'_>, name: &str) -> Vec<RuleOffer> {
    let Some(line) = call.input.get("command").and_then(Value::as_str) else { return Vec::new() };
    let rules = engine.rules();
    let config = engine.config();
    let shell = Shell { call, name, rules: &rules, config: &config, ground: Ground::new(call.ctx) };
    let report = shell.analyze(line);
    let reading = Reading::new(line, &report, &shell);
    if reading.is_opaque {
        return Vec::new();
    }
    let covers = Covers::new(&shell, &reading);
    let Some(moves) = moves(&reading, &covers, call) else { return Vec::new() };
    let open: Vec<&ShellCommand<'_>> = reading
        .commands
        .iter()
        .enumerate()
        .filter(|(at, command)| {
            let is_started = command.run.starter.is_some_and(|starter| is_offered(&reading, starter));
            !is_started && !is_move(command) && !covers.of(*at).holds() && is_offered(&reading, *at)
        })
        .map(|(_, command)| command)
        .collect();
    // Where the line may move to, commands that only look need no rule of their own.
    let only_looks = |command: &ShellCommand<'_>| {
        matches!(command.run.nature, CommandNature::ReadOnly | CommandNature::ReadOnlyInTrusted)
    };
    let doers: Vec<&ShellCommand<'_>> = open.iter().copied().filter(|command| !only_looks(command)).collect();
    let few = drafts(name, &moves, &doers);
    let works = |offer: &RuleOffer| works(engine, call, offer);
    if !moves.is_empty() && few.iter().any(works) {
        return few;
    }
    drafts(name, &moves, &open)
}

/// The rules for exactly these commands, and those for what they do with any arguments, each with `moves`.
fn drafts(name: &str, moves: &[String], open: &[&ShellCommand<'_>]) -> Vec<RuleOffer> {
    if open.len() + moves.len() > MOST_RULES {
        return Vec::new();
    }
    let collect = |rule: &dyn Fn(&ShellCommand<'_>) -> Option<String>| {
        let rules: Option<Vec<String>> = open.iter().map(|command| rule(command)).collect();
        rules.map(|rules| moves.iter().cloned().chain(rules).collect::<Vec<String>>()).and_then(offer)
    };
    let exact = collect(&|command| exact_rule(name, command));
    let wide = collect(&|command| prefix_rule(name, command).or_else(|| exact_rule(name, command)));
    let mut offers: Vec<RuleOffer> = exact.into_iter().chain(wide).collect();
    offers.dedup_by(|a, b| a.rules == b.rules);
    offers
}

fn offer(mut rules: Vec<String>) -> Option<RuleOffer> {
    let mut seen = std::collections::BTreeSet::new();
    rules.retain(|rule| seen.insert(rule.clone()));
    if rules.is_empty() {
        return None;
    }
    let summary = format!("what these rules name: {}", rules.join(", "));
    Some(RuleOffer::new(rules, summary, true))
}

/// Whether a rule would name the command itself, not what it starts.
fn is_offered(reading: &Reading<'_>, at: usize) -> bool {
    let command = reading.commands.get(at);
    command.is_some_and(|command| {
        command.run.nature != CommandNature::Transparent && !command.run.argv.is_empty()
    })
}

fn is_move(command: &ShellCommand<'_>) -> bool {
    !matches!(cd_target(command), CdTarget::None)
}

/// `Read` rules for the folders that the line moves to and may not look into; `None` when they cannot be told.
fn moves(reading: &Reading<'_>, covers: &Covers<'_>, call: &GateCall<'_>) -> Option<Vec<String>> {
    let mut open = reading.commands.iter().enumerate().filter(|(_, command)| is_move(command));
    if open.all(|(at, _)| covers.of(at).holds()) {
        return Some(Vec::new());
    }
    if !reading.place.is_certain {
        return None;
    }
    let mut rules = Vec::new();
    for folder in &reading.place.folders {
        let path = JudgedPath::of_shell(folder, AccessMode::Read, false, call.ctx);
        if path.is_inside {
            continue;
        }
        for place in [Some(&path.named), path.canonical.as_ref()] {
            let rule = format!("Read({}/**)", literal_pattern(place?)?);
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    Some(rules)
}

/// A rule for exactly this command, when its text has nothing that a pattern would read otherwise.
fn exact_rule(name: &str, command: &ShellCommand<'_>) -> Option<String> {
    let text = &command.source;
    let is_literal = !text.contains(['*', '\n']) && !text.ends_with(['\\', ':']) && !text.is_empty();
    is_literal.then(|| format!("{name}({text})"))
}

/// A rule for what the command does with any arguments, for programs of which it is known which words tell.
fn prefix_rule(name: &str, command: &ShellCommand<'_>) -> Option<String> {
    let words: Vec<&str> = command.source.split(' ').collect();
    let is_plain = |word: &str| !word.contains(['\'', '"', '\\', '$', '`', '*', '?', '[', '{', '(']);
    let count = telling_words(&words)?;
    let telling = words.get(..count).filter(|words| words.iter().all(|word| is_plain(word)))?;
    Some(format!("{name}({} *)", telling.join(" ")))
}

fn for_host(call: &GateCall<'_>) -> Vec<RuleOffer> {
    let host = call.input.get("url").and_then(Value::as_str).and_then(host_of);
    let offer = host.map(|host| {
        RuleOffer::new(vec![format!("WebFetch(domain:{host})")], format!("every page of {host}"), true)
    });
    offer.into_iter().collect()
}

/// Rules for the judged paths, for this session only.
fn for_paths(decision: &Decision) -> Vec<RuleOffer> {
    let mut rules = Vec::new();
    for path in decision.grant.paths.iter() {
        let tool = match path.mode {
            AccessMode::Read => "Read",
            AccessMode::Write => "Edit",
        };
        for place in [&path.named, &path.canonical] {
            let Some(pattern) = literal_pattern(place) else { return Vec::new() };
            let rule = format!("{tool}({pattern})");
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    if rules.is_empty() {
        return Vec::new();
    }
    vec![RuleOffer::new(rules, "this path, for the rest of the session", false)]
}

/// A pattern that means exactly this path.
fn literal_pattern(path: &Path) -> Option<String> {
    let mut pattern = String::from("/");
    for name in crate::path_pattern::names_of(path) {
        pattern.push('/');
        for c in name.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '\\' | '!') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
    }
    (path.to_str().is_some() && pattern.len() > 2).then_some(pattern)
}
