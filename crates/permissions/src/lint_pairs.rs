//! Rules that are in each other's way: shadowed by a stricter one, written twice, or covered by a wider one.

use crate::lint::{Draft, FindingKind, Subject};
use crate::lint_probe::Prober;
use crate::text_glob::star_match;
use pegboard_tool_core::{RuleEffect, RuleText};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Stands for what a star stands for; only a star matches it.
const ANYTHING: &str = "\u{1}";

/// What is odd about `subjects` together: the place of the rule and what was found.
pub(crate) fn pairs(subjects: &[(usize, Subject<'_>)], prober: &Prober<'_>) -> Vec<(usize, Draft)> {
    let mut found = Vec::new();
    let mut seen: HashMap<Key, &RuleText> = HashMap::new();
    let mut lists: HashMap<(RuleEffect, &str, Option<&Path>), Vec<&Subject<'_>>> = HashMap::new();
    for (_, subject) in subjects {
        lists.entry(list_of(subject)).or_default().push(subject);
    }
    for (at, subject) in subjects {
        let draft = match seen.get(&Key::of(subject)) {
            Some(first) => Some(Draft {
                other: Some(RuleText::clone(first)),
                ..Draft::new(FindingKind::Duplicate, "it stands there already; remove one of the two")
            }),
            None => shadowed(subject, prober).or_else(|| {
                let list = lists.get(&list_of(subject)).map(Vec::as_slice).unwrap_or_default();
                redundant(subject, list)
            }),
        };
        seen.entry(Key::of(subject)).or_insert(subject.rule);
        found.extend(draft.map(|draft| (*at, draft)));
    }
    found
}

/// What makes two rules the same: what they do, where they stand, and what they say.
#[derive(Eq, Hash, PartialEq)]
struct Key {
    effect: RuleEffect,
    file: Option<Arc<Path>>,
    source: &'static str,
    tool: String,
    specifier: String,
}

impl Key {
    fn of(subject: &Subject<'_>) -> Self {
        let origin = &subject.rule.origin;
        Self {
            effect: subject.rule.effect,
            file: origin.file.clone(),
            source: origin.source.as_str(),
            tool: subject.parts.tool.clone(),
            specifier: normal(subject),
        }
    }
}

fn list_of<'s>(subject: &'s Subject<'_>) -> (RuleEffect, &'s str, Option<&'s Path>) {
    (subject.rule.effect, subject.parts.tool.as_str(), subject.rule.origin.file.as_deref())
}

fn is_shell(subject: &Subject<'_>) -> bool {
    matches!(subject.parts.tool.as_str(), "Bash" | "Monitor" | "PowerShell")
}

/// The specifier in the spelling that all of its spellings share.
fn normal(subject: &Subject<'_>) -> String {
    let text = subject.specifier();
    if !is_shell(subject) {
        return text.to_owned();
    }
    match text.strip_suffix(":*") {
        Some(head) => crate::command_pattern::collapse_blanks(&format!("{head} *")),
        None => crate::command_pattern::collapse_blanks(text),
    }
}

fn shadowed(subject: &Subject<'_>, prober: &Prober<'_>) -> Option<Draft> {
    let stricter: &[RuleEffect] = match subject.rule.effect {
        RuleEffect::Allow => &[RuleEffect::Deny, RuleEffect::Ask],
        RuleEffect::Ask => &[RuleEffect::Deny],
        RuleEffect::Deny => &[],
    };
    stricter.iter().find_map(|effect| {
        let other = prober.caught_by(subject, *effect)?;
        let does = match effect {
            RuleEffect::Deny => "refuses",
            RuleEffect::Ask | RuleEffect::Allow => "asks about",
        };
        let reason =
            format!("the {effect} rule `{}` {does} all that it names, so it has no effect", other.text);
        Some(Draft { other: Some(other), ..Draft::new(FindingKind::Shadowed, reason) })
    })
}

/// A wider rule of the same list.
fn redundant(subject: &Subject<'_>, list: &[&Subject<'_>]) -> Option<Draft> {
    let wider = list.iter().find(|other| {
        other.rule != subject.rule && covers(other, subject) && normal(other) != normal(subject)
    })?;
    let reason = format!("the rule `{}` of the same list covers it", wider.rule.text);
    Some(Draft { other: Some(wider.rule.clone()), ..Draft::new(FindingKind::Redundant, reason) })
}

/// Whether every call that `narrow` matches is matched by `wide`, both of one tool. Says no where it cannot tell.
fn covers(wide: &Subject<'_>, narrow: &Subject<'_>) -> bool {
    if narrow.parts.specifier.is_none() {
        return false;
    }
    if wide.parts.specifier.is_none() {
        return true;
    }
    is_shell(wide) && {
        let (wide, narrow) = (normal(wide), normal(narrow));
        texts(&narrow).iter().all(|text| matches(&wide, text))
    }
}

/// Texts that stand for all that a pattern matches.
fn texts(pattern: &str) -> Vec<String> {
    match pattern.strip_suffix(" *") {
        Some(head) => {
            let head = head.replace('*', ANYTHING);
            vec![head.clone(), format!("{head} {ANYTHING}")]
        }
        None => vec![pattern.replace('*', ANYTHING)],
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix(" *") {
        Some(head) if !head.contains('*') && text == head => true,
        _ => star_match(pattern, text),
    }
}
