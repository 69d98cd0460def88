//! What an event does not tell, and when that matters.

use crate::overlap::{could_name, parts_of};
use pegboard_tool_core::{RuleEffect, RuleText};
use std::path::{Path, PathBuf};

/// Something about a call that cannot be told from the event. Where it matters a person must look.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Doubt {
    /// What cannot be told, in words that the model may see.
    pub reason: String,
    /// When it matters.
    pub when: When,
}

/// When a doubt matters.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum When {
    /// Always.
    Always,
    /// When a deny or ask rule may name a tool of an MCP server.
    McpRule,
    /// When the file is not there and a deny or ask rule names files that may not be changed.
    MissingAndEditRule(PathBuf),
    /// When a deny or ask rule may name a file that this pattern, or folder, reaches.
    ReadRuleWithin(PathBuf),
}

/// What a doubt is weighed against.
#[derive(Debug)]
#[non_exhaustive]
pub struct Look<'a> {
    /// The rules in force.
    pub rules: &'a [RuleText],
    /// Folders at which relative patterns of rules start.
    pub folders: &'a [&'a Path],
    /// What `~` means in rules.
    pub home: Option<&'a Path>,
    /// Whether nothing is at a path.
    pub is_missing: fn(&Path) -> bool,
}

impl<'a> Look<'a> {
    /// Rules whose relative patterns start at `folders`.
    pub fn new(
        rules: &'a [RuleText],
        folders: &'a [&'a Path],
        home: Option<&'a Path>,
        is_missing: fn(&Path) -> bool,
    ) -> Self {
        Self { rules, folders, home, is_missing }
    }
}

impl Doubt {
    pub(crate) fn new(when: When, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), when }
    }

    /// Whether it matters under these rules.
    #[must_use]
    pub fn holds(&self, look: &Look<'_>) -> bool {
        let holding = look.rules.iter().filter(|rule| match rule.effect {
            RuleEffect::Ask | RuleEffect::Deny => true,
            RuleEffect::Allow => false,
        });
        let mut parts = holding.map(|rule| (rule, parts_of(&rule.text)));
        match &self.when {
            When::Always => true,
            When::McpRule => parts.any(|(_, (tool, _))| tool.starts_with("mcp__") || tool.contains('*')),
            When::MissingAndEditRule(path) => {
                (look.is_missing)(path)
                    && parts.any(|(rule, (tool, pattern))| {
                        let changes = matches!(tool, "Edit" | "Write" | "MultiEdit" | "NotebookEdit");
                        pattern.is_some() && (changes || rule.effect == RuleEffect::Deny && reads(tool))
                    })
            }
            When::ReadRuleWithin(path) => parts.any(|(rule, (tool, pattern))| {
                pattern.is_some_and(|pattern| reads(tool) && could_name(pattern, path, &rule.anchor, look))
            }),
        }
    }
}

/// Whether rules of `tool` name files that are read.
fn reads(tool: &str) -> bool {
    matches!(tool, "Read" | "Grep" | "Glob" | "LSP" | "NotebookRead" | "LS")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard_tool_core::{Origin, SettingSource};

    fn holds(when: When, effect: RuleEffect, rule: &str) -> bool {
        let rules =
            [RuleText::new(effect, rule, Origin::of(SettingSource::User), Path::new("/home/u/.config"))];
        let folders = [Path::new("/w")];
        let look = Look::new(&rules, &folders, Some(Path::new("/home/u")), |path| path.ends_with("gone"));
        Doubt::new(when, "").holds(&look)
    }

    #[test]
    fn a_doubt_matters_when_a_rule_may_be_meant() {
        use RuleEffect::{Allow, Ask, Deny};
        assert!(holds(When::Always, Allow, "Bash"));
        assert!(holds(When::McpRule, Deny, "mcp__fs__delete") && holds(When::McpRule, Ask, "mcp__fs"));
        assert!(holds(When::McpRule, Deny, "*"));
        assert!(!holds(When::McpRule, Allow, "mcp__fs") && !holds(When::McpRule, Deny, "Bash(rm *)"));
        let gone = || When::MissingAndEditRule("/w/gone".into());
        assert!(holds(gone(), Deny, "Edit(./secret/**)") && holds(gone(), Deny, "Read(./secret/**)"));
        assert!(!holds(gone(), Ask, "Read(./secret/**)") && !holds(gone(), Deny, "Bash(rm *)"));
        assert!(!holds(When::MissingAndEditRule("/w/here".into()), Deny, "Edit(./secret/**)"));
    }

    #[test]
    fn a_pattern_matters_when_it_may_reach_a_file_of_a_rule() {
        let within =
            |path: &str, rule: &str| holds(When::ReadRuleWithin(path.into()), RuleEffect::Deny, rule);
        for (path, rule) in [
            ("/w/**/*", "Read(./secret/**)"),
            ("/w", "Read(./secret/**)"),
            ("/w/secret/*", "Read(./secret/**)"),
            ("/w/SECRET/*", "Read(secret/**)"),
            ("/w/*/k", "Read(./secret/**)"),
            ("/w/**/*.pem", "Read(*.pem)"),
            ("/w/src/*", "Read(.env)"),
            // A rule may name a folder.
            ("/w/**/*.rs", "Read(private)"),
            ("/w/*.json", "Read(**/package.*)"),
            ("/home/u/**", "Read(~/.ssh/**)"),
            ("/etc/*", "Read(//etc/passwd)"),
            ("/home/u/.config/*", "Read(/x)"),
            ("/w/{src,secret}/*", "Read(./secret/**)"),
        ] {
            assert!(within(path, rule), "{path} {rule}");
        }
        for (path, rule) in [
            ("/w/src/*.rs", "Read(./secret/**)"),
            ("/w/*.rs", "Read(./secret/**)"),
            ("/w/*.rs", "Read(*.pem)"),
            ("/w/*.rs", "Read(.env)"),
            ("/w/*", "Read(~/.ssh/**)"),
            ("/w/a", "Read(./secret/**)"),
            ("/w/*", "Edit(./secret/**)"),
            ("/w/*", "Read"),
        ] {
            assert!(!within(path, rule), "{path} {rule}");
        }
    }
}
