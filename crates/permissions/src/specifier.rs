//! What the text between the parentheses of a rule means for its tool.

use crate::command_pattern::CommandPattern;
use crate::host_pattern::HostPattern;
use crate::path_pattern::{Case, PathPattern, Places};
use crate::rule::RuleParts;
use crate::text_glob::star_match;
use pegboard_tool_core::RuleEffect;
use serde_json::Value;

/// A compiled specifier.
#[derive(Clone, Debug)]
pub(crate) enum Specifier {
    /// The whole tool.
    Whole,
    /// Commands of a shell tool.
    Command(CommandPattern),
    /// Paths that are read.
    Read(PathPattern),
    /// Paths that are written.
    Edit(PathPattern),
    /// Paths that other `Read` rules of the source do not mean.
    NotRead(PathPattern),
    /// Paths that other `Edit` rules of the source do not mean.
    NotEdit(PathPattern),
    /// Folders that a person may move the session to.
    Move(PathPattern),
    /// Hosts.
    Host(HostPattern),
    /// A field of the input and a pattern of its value.
    Field(String, String),
    /// One type of agent.
    Agent(String),
    /// A skill, and whether arguments may follow.
    Skill(String, Arguments),
}

/// Whether a skill may be given arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Arguments {
    /// None.
    None,
    /// Any.
    Any,
}

/// A specifier with what is odd about it.
pub(crate) struct Compiled {
    /// What it means.
    pub(crate) specifier: Specifier,
    /// A warning for the operator; the rule is in force all the same.
    pub(crate) warning: Option<String>,
}

/// Tools whose command is judged by `Bash(...)` or `PowerShell(...)` rules.
pub(crate) fn shell_rules_of(tool: &str) -> Option<&'static str> {
    match tool {
        "Bash" | "Monitor" => Some("Bash"),
        "PowerShell" => Some("PowerShell"),
        _ => None,
    }
}

/// Compiles the specifier of `parts`.
pub(crate) fn compile(parts: &RuleParts, effect: RuleEffect, places: Places<'_>) -> Result<Compiled, String> {
    let plain = |specifier| Ok(Compiled { specifier, warning: None });
    let Some(text) = parts.specifier.as_deref() else { return plain(Specifier::Whole) };
    let tool = parts.tool.as_str();
    if let Some((field, value)) = field_rule(tool, text) {
        if primary_field(tool) == Some(field) {
            return Err(format!("`{field}` cannot be named in a rule; write a pattern of the tool instead"));
        }
        return match effect {
            RuleEffect::Allow => Err("a rule on a field is understood under ask and deny only".to_owned()),
            RuleEffect::Ask | RuleEffect::Deny => plain(Specifier::Field(field.to_owned(), value.to_owned())),
        };
    }
    let read = |text| path(text, effect, places, Specifier::Read, Specifier::NotRead);
    let edit = |text| path(text, effect, places, Specifier::Edit, Specifier::NotEdit);
    match tool {
        "Bash" | "Monitor" | "PowerShell" => {
            let pattern = CommandPattern::new(text)?;
            plain(if pattern.is_everything() { Specifier::Whole } else { Specifier::Command(pattern) })
        }
        "Read" => plain(read(text)?),
        "Edit" => plain(edit(text)?),
        "Write" | "NotebookEdit" | "MultiEdit" | "Glob" | "Grep" => {
            let rules = if matches!(tool, "Glob" | "Grep") { "Read" } else { "Edit" };
            if effect == RuleEffect::Allow {
                return Err(format!(
                    "paths of {tool} are allowed by `{rules}(...)`; this rule allows nothing"
                ));
            }
            let specifier = if rules == "Read" { read(text)? } else { edit(text)? };
            Ok(Compiled { specifier, warning: Some(format!("is read as `{rules}({text})`; write that")) })
        }
        "WebFetch" => {
            let host = text.strip_prefix("domain:").ok_or("write `WebFetch(domain:example.com)`")?;
            let pattern = HostPattern::new(host)?;
            plain(if pattern.is_everything() { Specifier::Whole } else { Specifier::Host(pattern) })
        }
        "WebSearch" => Err("searches cannot be told apart; write `WebSearch`".to_owned()),
        "Agent" => plain(Specifier::Agent(text.to_owned())),
        "Skill" => plain(match text.strip_suffix(" *") {
            Some(name) => Specifier::Skill(name.to_owned(), Arguments::Any),
            None => Specifier::Skill(text.to_owned(), Arguments::None),
        }),
        "Cd" => {
            let case = if effect == RuleEffect::Allow { Case::Exact } else { Case::Folded };
            plain(Specifier::Move(PathPattern::new(text, effect, case, places)?))
        }
        _ => Err(format!(
            "`{tool}` has no patterns; write the bare name, or `{tool}(field:value)` under ask and deny"
        )),
    }
}

/// Compiles a path. Behind a `!` it takes back what other rules of the source mean: what is taken back from a rule
/// that forbids must be meant exactly, what is taken back from one that permits in any spelling.
fn path(
    text: &str,
    effect: RuleEffect,
    places: Places<'_>,
    plain: fn(PathPattern) -> Specifier,
    negated: fn(PathPattern) -> Specifier,
) -> Result<Specifier, String> {
    let (text, is_negated) = text.strip_prefix('!').map_or((text, false), |text| (text, true));
    if text.is_empty() {
        return Err("nothing stands behind the `!`; write a path".to_owned());
    }
    let case = if (effect == RuleEffect::Allow) == is_negated { Case::Folded } else { Case::Exact };
    let pattern = PathPattern::new(text, effect, case, places)?;
    Ok(if is_negated { negated(pattern) } else { plain(pattern) })
}

/// Splits `field:value` where it is one and not a pattern of the tool.
fn field_rule<'t>(tool: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    let (field, value) = text.split_once(':')?;
    let (field, value) = (field.trim(), value.trim());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if field.is_empty() || !field.bytes().all(is_word) {
        return None;
    }
    let known: &[&str] = match tool {
        "Bash" | "Monitor" | "PowerShell" => {
            &["command", "timeout", "description", "run_in_background", "dangerouslyDisableSandbox"]
        }
        "Read" => &["file_path", "offset", "limit", "pages"],
        "Edit" | "MultiEdit" => &["file_path", "replace_all", "old_string", "new_string"],
        "Write" => &["file_path", "content"],
        "NotebookEdit" => &["notebook_path", "cell_id", "cell_type", "edit_mode"],
        "Grep" => &["path", "pattern", "glob", "type", "output_mode", "multiline", "head_limit"],
        "Glob" => &["path", "pattern"],
        "WebFetch" => &["url", "prompt"],
        "Agent" => {
            &["model", "isolation", "run_in_background", "subagent_type", "description", "prompt", "name"]
        }
        "Skill" => &["skill", "args"],
        "WebSearch" | "Cd" => return None,
        _ => return Some((field, value)),
    };
    known.contains(&field).then_some((field, value))
}

fn primary_field(tool: &str) -> Option<&'static str> {
    match tool {
        "Bash" | "Monitor" | "PowerShell" => Some("command"),
        "Read" | "Edit" | "Write" | "MultiEdit" => Some("file_path"),
        "Grep" | "Glob" => Some("path"),
        "NotebookEdit" => Some("notebook_path"),
        "WebFetch" => Some("url"),
        _ => None,
    }
}

/// Whether `input` has `field` with a value that fits. Numbers and booleans compare by their JSON text.
pub(crate) fn field_matches(input: &Value, field: &str, pattern: &str) -> bool {
    match input.get(field) {
        Some(Value::String(text)) => star_match(pattern, text),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => star_match(pattern, &value.to_string()),
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => false,
    }
}

/// Whether a call of `Skill` is one that the rule names.
pub(crate) fn skill_matches(input: &Value, name: &str, arguments: Arguments, effect: RuleEffect) -> bool {
    let given = input.get("skill").or_else(|| input.get("command")).and_then(Value::as_str);
    let Some(given) = given else { return false };
    let (skill, inline) = given.split_once(' ').unwrap_or((given, ""));
    let has_arguments =
        !inline.is_empty() || input.get("args").and_then(Value::as_str).is_some_and(|args| !args.is_empty());
    skill == name && (arguments == Arguments::Any || !has_arguments || effect == RuleEffect::Deny)
}
