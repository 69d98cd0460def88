//! Deny and ask rules that cannot be read. Elsewhere they are skipped with a warning; here nobody would see one, and what
//! should have held a call back would be gone.

use crate::exit::Fault;
use crate::guard_judge::Rules;
use crate::stack;
use pegboard::RuleText;
use pegboard::permissions::{Engine, EngineConfig, Outcome, RuleParts};
use pegboard::ports::{Decision, DecisionStep, Verdict};
use pegboard::settings::{Layer, Settings};
use pegboard::tool_core::{Origin, RuleEffect};
use serde_json::Value;
use std::path::Path;

/// Most entries that are named.
const MOST_NAMED: usize = 3;

/// Checks the rules of the command line by their form. Their specifiers are checked when they are compiled.
pub(crate) fn check_arguments(rules: &Rules<'_>) -> Result<(), Fault> {
    let lists: [(&str, &[String]); 3] = [("deny", rules.deny), ("ask", &rules.ask), ("allow", rules.allow)];
    for (option, texts) in lists {
        for text in texts {
            if let Err(problem) = RuleParts::parse(text) {
                return Err(Fault::usage(format!(
                    "`--{option} '{text}'` is no rule: {problem}; mend the argument"
                )));
            }
        }
    }
    Ok(())
}

/// An ask when a deny or ask entry of the settings cannot be read; the reason names each with its file and line. `rules` are
/// those in force.
pub(crate) fn bad_rules(settings: &Settings, rules: &[RuleText], home: Option<&Path>) -> Option<Decision> {
    let mut found: Vec<String> = settings.layers.iter().flat_map(|layer| no_texts(layer, settings)).collect();
    let mut config = EngineConfig::new(stack::analyzer());
    config.rules = rules.iter().filter(|rule| rule.effect != RuleEffect::Allow).cloned().collect();
    config.home = home.map(Path::to_path_buf);
    let (_, problems) = Engine::new(config);
    let skipped = problems.into_iter().filter(|problem| problem.outcome == Outcome::Skipped);
    found.extend(skipped.map(|problem| {
        let RuleText { effect, text, origin, .. } = &problem.rule;
        format!("{}: the {effect} rule `{text}` cannot be read: {}", place(origin), problem.message)
    }));
    let more = found.len().saturating_sub(MOST_NAMED);
    found.truncate(MOST_NAMED);
    if more > 0 {
        found.push(format!("{more} more"));
    }
    let reason = || format!("{}; mend it, until then every call is put to a person", found.join("; "));
    (!found.is_empty()).then(|| Decision::new(Verdict::Ask, DecisionStep::Safety, reason()))
}

/// Entries of a layer's deny and ask lists that are no rule text, in words.
fn no_texts(layer: &Layer, settings: &Settings) -> Vec<String> {
    let mut found = Vec::new();
    for (list, effect) in [("deny", RuleEffect::Deny), ("ask", RuleEffect::Ask)] {
        let entries = layer.value().get("permissions").and_then(|permissions| permissions.get(list));
        for (index, entry) in entries.and_then(Value::as_array).into_iter().flatten().enumerate() {
            if entry.as_str().is_some_and(|text| !text.trim().is_empty() && !text.contains('\0')) {
                continue;
            }
            let origin = layer.origin(&["permissions", list, &index.to_string()]);
            let rule = RuleText::new(effect, "", origin.clone(), Path::new("/"));
            if settings.only_policy_rules.is_none() || rule.stays_under_policy_only() {
                let entry = index + 1;
                found.push(format!("{}: entry {entry} of `permissions.{list}` is no rule", place(&origin)));
            }
        }
    }
    found
}

/// File and line, as editors read them.
fn place(origin: &Origin) -> String {
    match (&origin.file, origin.line) {
        (Some(file), Some(line)) => format!("{}:{line}", file.display()),
        (Some(file), None) => file.display().to_string(),
        (None, _) => format!("{} settings", origin.source),
    }
}
