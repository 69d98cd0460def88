//! What a folder would contribute beyond deny and ask rules, as entries that a person can read and accept.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::layer::Layer;
use crate::parse::parse;

/// Longest text of an entry that is kept for showing, in bytes. The digest always covers the whole entry.
const MAX_SHOWN_BYTES: usize = 4 * 1024;

/// One entry that needs trust.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[non_exhaustive]
pub struct TrustItem {
    /// What it is, for a person; control characters are written out.
    pub text: String,
    /// SHA-256 of kind, name and value, in hexadecimal.
    pub digest: String,
}

impl TrustItem {
    fn new(kind: &str, name: &str, value: &Value) -> Self {
        let value = canonical(value);
        let mut hash = Sha256::new();
        for part in [kind, name, &value] {
            // Lengths keep two different splits of the same bytes apart.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let name = if name.is_empty() { String::new() } else { format!(" {name}") };
        Self { text: shown(&format!("{kind}{name}: {value}")), digest: hexadecimal(&hash.finalize()) }
    }

    /// The entry that an allow rule makes.
    pub(crate) fn allow_rule(rule: &str) -> Self {
        Self::new("allow rule", "", &Value::from(rule))
    }

    /// An entry of a server file that cannot be read.
    pub(crate) fn unreadable(why: &str) -> Self {
        Self::new("server file", "", &Value::from(why))
    }
}

/// Hash over entries; their order does not matter.
pub(crate) fn fingerprint(items: &[TrustItem]) -> String {
    let mut digests: Vec<_> = items.iter().map(|item| item.digest.as_str()).collect();
    digests.sort_unstable();
    digests.dedup();
    let mut hash = Sha256::new();
    for digest in digests {
        hash.update(digest);
        hash.update("\n");
    }
    hexadecimal(&hash.finalize())
}

/// Everything in `layer` but deny and ask rules.
pub(crate) fn items_of_layer(layer: &Layer) -> Vec<TrustItem> {
    let mut items = Vec::new();
    for (key, value) in layer.value().as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("$schema", Value::String(_)) => {}
            ("permissions", Value::Object(permissions)) => {
                for (key, value) in permissions {
                    match (key.as_str(), value) {
                        ("deny" | "ask", _) => {}
                        ("allow", Value::Array(rules)) => {
                            items.extend(rules.iter().map(|rule| TrustItem::new("allow rule", "", rule)));
                        }
                        ("additionalDirectories", Value::Array(directories)) => {
                            items.extend(directories.iter().map(|at| TrustItem::new("directory", "", at)));
                        }
                        _ => settings(&format!("permissions.{key}"), value, &mut items),
                    }
                }
            }
            ("hooks", Value::Object(events)) => hooks(events, &mut items),
            ("mcpServers", Value::Object(servers)) => {
                items.extend(servers.iter().map(|(name, server)| TrustItem::new("MCP server", name, server)));
            }
            _ => settings(key, value, &mut items),
        }
    }
    items
}

/// The servers of a `.mcp.json`; a file of another form is one entry as a whole.
pub(crate) fn items_of_server_file(text: &str) -> Vec<TrustItem> {
    let parsed = parse(text).ok().map(|document| document.value);
    match parsed.as_ref().and_then(|value| value.get("mcpServers")).and_then(Value::as_object) {
        Some(servers) => {
            servers.iter().map(|(name, server)| TrustItem::new("MCP server", name, server)).collect()
        }
        None => vec![TrustItem::new("server file", "", &Value::from(text))],
    }
}

/// Hooks run in order, so their place is part of them.
fn hooks(events: &serde_json::Map<String, Value>, items: &mut Vec<TrustItem>) {
    for (event, groups) in events {
        match groups {
            Value::Array(groups) => {
                for (index, group) in groups.iter().enumerate() {
                    items.push(TrustItem::new("hook", &format!("{event} {}", index + 1), group));
                }
            }
            _ => items.push(TrustItem::new("hook", event, groups)),
        }
    }
}

/// Every leaf below `name`, so that a change shows as small as it is.
fn settings(name: &str, value: &Value, items: &mut Vec<TrustItem>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                settings(&format!("{name}.{key}"), value, items);
            }
        }
        _ => items.push(TrustItem::new("setting", name, value)),
    }
}

/// JSON with sorted keys.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let members: Vec<_> = members
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// The text without anything that could move a terminal's cursor or turn the writing direction.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(MAX_SHOWN_BYTES));
    for (at, letter) in text.char_indices() {
        if at >= MAX_SHOWN_BYTES {
            shown.push_str(&format!(" … and {} more bytes", text.len() - at));
            break;
        }
        let hidden = matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if letter.is_control() || hidden {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::sync::Arc;

    use pegboard_tool_core::SettingSource;

    fn items(text: &str) -> Vec<TrustItem> {
        let document = parse(text).unwrap();
        items_of_layer(
            &Layer::new(SettingSource::Project, None, Arc::from(Path::new("/w")), document).unwrap(),
        )
    }

    fn print(text: &str) -> String {
        fingerprint(&items(text))
    }

    #[test]
    fn deny_and_ask_rules_need_no_trust() {
        assert_eq!(items(r#"{"$schema":"x","permissions":{"deny":["A"],"ask":["B"]}}"#), []);
    }

    #[test]
    fn everything_else_is_an_entry_that_a_person_can_read() {
        let text = r#"{"permissions":{"allow":["A","B"],"additionalDirectories":["../d"],"defaultMode":"plan","deny":["x"]},
            "hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[]}]},"mcpServers":{"git":{"command":"g"}},
            "env":{"PATH":"\u001b[2J/evil","EMPTY":{}},"model":"m","future":[1,{"b":1,"a":2}]}"#;
        let texts: Vec<_> = items(text).into_iter().map(|item| item.text).collect();
        insta::assert_snapshot!(texts.join("\n"), @r#"
        allow rule: "A"
        allow rule: "B"
        directory: "../d"
        setting permissions.defaultMode: "plan"
        hook PreToolUse 1: {"hooks":[],"matcher":"Bash"}
        MCP server git: {"command":"g"}
        setting env.PATH: "\u001b[2J/evil"
        setting env.EMPTY: {}
        setting model: "m"
        setting future: [1,{"a":2,"b":1}]
        "#);
    }

    #[test]
    fn the_fingerprint_follows_meaning_not_layout() {
        let same = [
            r#"{"permissions":{"allow":["A","B"]},"env":{"X":"1","Y":"2"}}"#,
            r#"{"env":{"Y":"2","X":"1"},"permissions":{"deny":["more"],"allow":["B","A","A"]}}"#,
        ];
        assert_eq!(print(same[0]), print(same[1]));
        let different = [
            r#"{"permissions":{"allow":["A"]},"env":{"X":"1","Y":"2"}}"#,
            r#"{"permissions":{"allow":["A","B"]},"env":{"X":"1","Y":"3"}}"#,
            r#"{"permissions":{"allow":["A"],"additionalDirectories":["B"]},"env":{"X":"1","Y":"2"}}"#,
            r#"{"permissions":{"allow":["A","B"]},"env":{"X":"1"},"env.Y":"2","x":{}}"#,
        ];
        for other in different {
            assert_ne!(print(same[0]), print(other));
        }
        let hooks = |first: &str, second: &str| {
            print(&format!(r#"{{"hooks":{{"Stop":[{{"x":"{first}"}},{{"x":"{second}"}}]}}}}"#))
        };
        assert_ne!(hooks("a", "b"), hooks("b", "a"));
    }

    #[test]
    fn a_long_entry_is_not_cut_silently_and_counts_whole() {
        let rule = |end: &str| format!(r#"{{"permissions":{{"allow":["{}{end}"]}}}}"#, "é".repeat(5_000));
        assert!(items(&rule("a"))[0].text.ends_with("more bytes"));
        assert_ne!(print(&rule("a")), print(&rule("b")));
        assert!(shown("a\u{202e}b\u{9b}").eq("a\\u{202e}b\\u{9b}"));
    }

    #[test]
    fn server_files_of_any_form_are_entries() {
        assert_eq!(items_of_server_file(r#"{"mcpServers":{"a":{},"b":{}}}"#).len(), 2);
        assert_eq!(items_of_server_file(r#"{"mcpServers":{}}"#).len(), 0);
        assert_eq!(items_of_server_file("garbage").len(), 1);
        assert_ne!(items_of_server_file("garbage"), items_of_server_file("garbage "));
    }
}
