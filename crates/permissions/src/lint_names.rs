//! Names of tools, hosts and servers in rules.

use crate::known_tools;
use crate::lint::{Draft, FindingKind, Subject};
use crate::rule::RuleParts;
use pegboard_tool_core::{RuleEffect, RuleText};

/// A text that is no rule.
pub(crate) fn unreadable(rule: &RuleText, reason: &str) -> Draft {
    let draft = Draft::new(FindingKind::Malformed, format!("it is no rule and not in force: {reason}"));
    let text = rule.text.trim();
    let name = text.split('(').next().unwrap_or_default();
    if name.starts_with("mcp__") && RuleParts::parse(name).is_ok() {
        return draft.fix(name);
    }
    let closed = format!("{text})");
    match RuleParts::parse(&closed) {
        Ok(_) if text.contains('(') && !text.ends_with(')') => draft.fix(closed),
        _ => draft,
    }
}

/// What is odd about the name of the tool or about a host.
pub(crate) fn check(subject: &Subject<'_>) -> Option<Draft> {
    let tool = subject.parts.tool.as_str();
    name(subject, tool).or_else(|| (tool == "WebFetch").then(|| host(subject)).flatten())
}

fn name(subject: &Subject<'_>, tool: &str) -> Option<Draft> {
    if tool.contains('*') {
        let is_below_server = tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .is_some_and(|(server, _)| !server.is_empty() && !server.contains('*'));
        return (subject.is_allow() && !is_below_server).then(|| {
            let reason = "a pattern of names allows nothing; under allow a star stands only behind a server, as in \
                          `mcp__server__get_*`";
            Draft::new(FindingKind::NeverMatches, reason)
        });
    }
    if tool.starts_with("mcp__") || is_known(subject, tool) {
        return None;
    }
    let near = nearest(subject, tool);
    let spelled = |name: &str| RuleParts { tool: name.to_owned(), ..subject.parts.clone() }.to_string();
    if let Some(server) = tool.strip_prefix("mcp_") {
        let reason = "no tool has this name; names of MCP tools begin with `mcp__`, two underscores";
        return Some(Draft::new(FindingKind::UnknownTool, reason).fix(format!("mcp__{server}")));
    }
    // Tools of other programs that use this form of names are told apart by the underscore.
    if near.is_none() && tool.contains('_') {
        return None;
    }
    let draft = Draft::new(FindingKind::UnknownTool, "no tool has this name; names are compared exactly");
    Some(match near {
        Some(name) => draft.fix(spelled(name)),
        None => draft,
    })
}

fn is_known(subject: &Subject<'_>, tool: &str) -> bool {
    known_tools::names().any(|known| known == tool) || subject.config.tools.iter().any(|known| known == tool)
}

fn nearest<'a>(subject: &'a Subject<'_>, tool: &str) -> Option<&'a str> {
    let known = known_tools::names().chain(subject.config.tools.iter().map(String::as_str));
    let distances = known.map(|name| (distance(&name.to_lowercase(), &tool.to_lowercase()), name));
    distances.filter(|(distance, name)| *distance <= 1 + name.len() / 6).min().map(|(_, name)| name)
}

/// How many letters differ between two short names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(64).enumerate() {
        let mut next = vec![i + 1];
        for (other, (above, two)) in b.iter().zip(row.iter().skip(1).zip(row.windows(2))) {
            let left = next.last().copied().unwrap_or_default();
            let diagonal = two.first().copied().unwrap_or_default() + usize::from(letter != *other);
            next.push(diagonal.min(left + 1).min(above + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

fn host(subject: &Subject<'_>) -> Option<Draft> {
    let text = subject.parts.specifier.as_deref()?;
    let Some(given) = text.strip_prefix("domain:") else {
        if !subject.is_allow() && text.split_once(':').is_some_and(|(field, _)| field == "prompt") {
            return None;
        }
        let reason = "WebFetch rules name hosts, written `domain:`; this is not in force";
        let draft = Draft::new(FindingKind::Malformed, reason);
        return Some(match bare_host(text) {
            Some(host) => draft.fix(format!("WebFetch(domain:{host})")),
            None => draft,
        });
    };
    let given = given.trim();
    if given.contains(['/', ':', '@', '?', '#']) && !given.starts_with('[') {
        let reason = "a host stands behind `domain:`, without scheme, port or path; this is not in force";
        let draft = Draft::new(FindingKind::Malformed, reason);
        return Some(match bare_host(given) {
            Some(host) => draft.fix(format!("WebFetch(domain:{host})")),
            None => draft,
        });
    }
    if !subject.is_allow() {
        return None;
    }
    let labels: Vec<&str> = given.split('.').collect();
    match labels.as_slice() {
        ["*"] | ["*", _] => {
            let what = if labels.len() == 1 { "every host" } else { "every host of a whole domain" };
            Some(Draft::new(FindingKind::TooBroad, format!("it allows {what}; name the hosts")))
        }
        [first, ..] if first.starts_with('*') && first.len() > 1 => {
            let rest = given.trim_start_matches('*');
            let reason = format!("it also allows `evil{rest}`, a host of somebody else");
            Some(Draft::new(FindingKind::Misleading, reason).fix(format!("WebFetch(domain:*.{rest})")))
        }
        _ => None,
    }
}

/// The host that an address in a rule is about.
fn bare_host(text: &str) -> Option<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let host = host.trim_end_matches('*').trim_end_matches('.');
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'*');
    (host.contains('.') && host.bytes().all(is_host)).then(|| host.to_ascii_lowercase())
}

/// Whether the effect only restricts.
pub(crate) fn forbids(effect: RuleEffect) -> bool {
    effect != RuleEffect::Allow
}
