//! What "always allow" could mean for a call. Every offer is tried on the engine first: it must let this
//! call run, and deny rules and safety hold over it as over every allow rule.

use crate::command_pattern::collapse_blanks;
use crate::engine::Engine;
use crate::host_pattern::host_of;
use crate::judge::Ground;
use crate::judge_shell::Shell;
use crate::shell_command::ShellCommand;
use crate::shell_place::ShellPlace;
use crate::specifier::shell_rules_of;
use pegboard_tool_core::ports::{Decision, GateCall, RuleOffer, Verdict};
use pegboard_tool_core::{AccessMode, ToolOrigin};
use serde_json::Value;
use std::path::Path;

/// More commands than these in one line are not offered.
const MOST_RULES: usize = 5;

/// Programs whose second word says what they do, so that a rule may end there.
const WITH_SUBCOMMAND: &[&str] =
    &["npm", "cargo", "git", "go", "make", "yarn", "pnpm", "just", "dotnet", "mvn", "gradle", "gh"];

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
    let shell = Shell { call, name, rules: &rules, config: &engine.config, ground: Ground::new(call.ctx) };
    let report = shell.analyze(line);
    if !report.opaque.is_empty() {
        return Vec::new();
    }
    let commands: Vec<ShellCommand> = report.commands.iter().map(ShellCommand::new).collect();
    let place = ShellPlace::new(&commands, call.ctx);
    let open = commands.iter().filter(|command| {
        let cover = shell.cover(line, command, &place);
        !command.is_inner && !cover.read_only && cover.rule.is_none()
    });
    let open: Vec<&ShellCommand> = open.collect();
    if open.is_empty() || open.len() > MOST_RULES {
        return Vec::new();
    }
    let collect = |rule: &dyn Fn(&ShellCommand) -> Option<String>| {
        let rules: Option<Vec<String>> = open.iter().map(|command| rule(command)).collect();
        rules.map(|mut rules| {
            rules.dedup();
            RuleOffer::new(rules.clone(), format!("these commands: {}", rules.join(", ")), true)
        })
    };
    let exact = collect(&|command| exact_rule(name, command));
    let wide = collect(&|command| prefix_rule(name, command).or_else(|| exact_rule(name, command)));
    let mut offers: Vec<RuleOffer> = exact.into_iter().chain(wide).collect();
    offers.dedup_by(|a, b| a.rules == b.rules);
    offers
}

/// A rule for exactly this command, when its text has nothing that a pattern would read otherwise.
fn exact_rule(name: &str, command: &ShellCommand) -> Option<String> {
    let text = collapse_blanks(&command.source_from(0)?);
    let is_literal = !text.contains(['*', '\n']) && !text.ends_with('\\');
    is_literal.then(|| format!("{name}({text})"))
}

/// A rule for the subcommand with any arguments, for programs whose subcommand tells what happens.
fn prefix_rule(name: &str, command: &ShellCommand) -> Option<String> {
    let [program, subcommand, ..] = command.sources.as_slice() else { return None };
    let is_word = subcommand.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !subcommand.starts_with('-');
    let runs_anything = matches!(subcommand.as_str(), "run" | "exec" | "x" | "dlx" | "config" | "api");
    let fits = WITH_SUBCOMMAND.contains(&program.as_str()) && is_word && !runs_anything;
    fits.then(|| format!("{name}({program} {subcommand} *)"))
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
