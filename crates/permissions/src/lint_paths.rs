//! Path patterns that mean something else than they look.

use crate::lint::{Draft, FindingKind, Subject};
use pegboard_tool_core::SettingSource;
use std::path::Path;

/// Folders at the root of file systems: a pattern that begins with one of them was meant from there.
const AT_ROOT: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib64",
    "media",
    "mnt",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
];

/// What is odd about a rule of a file tool.
pub(crate) fn check(subject: &Subject<'_>) -> Option<Draft> {
    let tool = subject.parts.tool.as_str();
    let text = subject.parts.specifier.as_deref()?;
    if text.split_once(':').is_some_and(|(field, _)| field.trim() == "file_path" || field.trim() == "path") {
        return None;
    }
    let asked = match tool {
        "Write" | "NotebookEdit" | "MultiEdit" => Some("Edit"),
        "Glob" | "Grep" => Some("Read"),
        _ => None,
    };
    if let Some(asked) = asked {
        let reason = format!("paths of {tool} are judged by `{asked}(...)` rules");
        return Some(Draft::new(FindingKind::WrongTool, reason).fix(format!("{asked}({text})")));
    }
    let rule = |text: &str| format!("{tool}({text})");
    syntax(text, &rule).or_else(|| single_slash(subject, text, &rule)).or_else(|| breadth(subject, text))
}

/// Forms of other languages.
fn syntax(text: &str, rule: &dyn Fn(&str) -> String) -> Option<Draft> {
    let misleading = |reason: String| Draft::new(FindingKind::Misleading, reason);
    let quotes = ['"', '\''];
    if text.len() > 1 && text.starts_with(quotes) && text.ends_with(quotes) {
        let reason = "the quotes belong to the path; a pattern is written without them".to_owned();
        return Some(misleading(reason).fix(rule(text.trim_matches(quotes))));
    }
    let bytes = text.as_bytes();
    if let [drive, b':', slash, ..] = bytes
        && drive.is_ascii_alphabetic()
        && matches!(slash, b'\\' | b'/')
    {
        let rest = text.get(3..).unwrap_or_default().replace('\\', "/");
        let drive = char::from(*drive).to_ascii_lowercase();
        let reason = "a drive is written as the first folder".to_owned();
        return Some(misleading(reason).fix(rule(&format!("//{drive}/{rest}"))));
    }
    if let Some(after) = text.strip_prefix('~')
        && !after.is_empty()
        && !after.starts_with('/')
    {
        let reason = "`~name` is a file called so; only `~/` is the home directory".to_owned();
        return Some(misleading(reason));
    }
    if text.starts_with('$')
        || text.contains("${")
        || text.contains("/$")
        || text.contains('%') && text.matches('%').count() > 1
    {
        let draft = misleading("variables are not replaced in patterns".to_owned());
        let home = ["$HOME/", "${HOME}/"].iter().find_map(|name| text.strip_prefix(name));
        return Some(match home {
            Some(rest) => draft.fix(rule(&format!("~/{rest}"))),
            None => draft,
        });
    }
    if let (Some(open), Some(close)) = (text.find('{'), text.rfind('}'))
        && open < close
        && text.get(open..close).is_some_and(|inner| inner.contains(','))
    {
        let reason = "braces are not alternatives in patterns; write a rule for each".to_owned();
        return Some(misleading(reason).fix(alternatives(text, open, close, rule)));
    }
    None
}

fn alternatives(text: &str, open: usize, close: usize, rule: &dyn Fn(&str) -> String) -> String {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let rules: Vec<String> = part(open + 1, close)
        .split(',')
        .map(|word| rule(&format!("{}{word}{}", part(0, open), part(close + 1, text.len()))))
        .collect();
    rules.join(" and ")
}

/// `Read(/etc/passwd)`.
fn single_slash(subject: &Subject<'_>, text: &str, rule: &dyn Fn(&str) -> String) -> Option<Draft> {
    if !text.starts_with('/') || text.starts_with("//") {
        return None;
    }
    let first = text.trim_start_matches('/').split('/').next().unwrap_or_default();
    let is_below_home = subject.config.home.as_deref().is_some_and(|home| Path::new(text).starts_with(home));
    let is_below_cwd =
        Path::new(text).starts_with(&subject.config.cwd) && subject.config.cwd != Path::new("/");
    let is_from_root = AT_ROOT.contains(&first) || is_below_home || is_below_cwd;
    let is_kept_elsewhere = matches!(subject.rule.origin.source, SettingSource::User | SettingSource::Policy);
    if !is_from_root && !is_kept_elsewhere {
        return None;
    }
    let meant = subject.rule.anchor.join(text.trim_start_matches('/'));
    let reason = format!(
        "one slash starts at the folder of the settings, so this means `{}`; two slashes are the root of the file system",
        meant.display()
    );
    Some(Draft::new(FindingKind::Misleading, reason).fix(rule(&format!("/{text}"))))
}

fn breadth(subject: &Subject<'_>, text: &str) -> Option<Draft> {
    let is_everything = matches!(text, "//**" | "//" | "//*" | "//**/*");
    (subject.is_allow() && is_everything).then(|| {
        let what = if subject.parts.tool == "Edit" { "changed" } else { "read" };
        Draft::new(
            FindingKind::TooBroad,
            format!("it lets every file of this machine be {what}; name the folders"),
        )
    })
}
