//! Which names a group of handlers is for: everything, a list of exact names, or an expression.

use crate::event::EventKind;
use fancy_regex::Regex;

/// A compiled `matcher`.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    /// Absent, empty or `*`.
    Any,
    /// Exact names.
    Names(Vec<String>),
    /// A JavaScript regular expression, not anchored.
    Expression(Box<Regex>),
    /// Not an expression; why.
    Broken(String),
}

/// Whether a matcher fits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fit {
    Yes,
    No,
    /// It cannot be told.
    Unknown,
}

/// Steps that one match may take before it counts as not to be told.
const STEP_LIMIT: usize = 100_000;

impl Matcher {
    pub(crate) fn new(text: Option<&str>, event: EventKind) -> Self {
        let Some(text) = text.filter(|text| !text.is_empty() && *text != "*") else { return Self::Any };
        if event.matched.is_none() {
            return Self::Any;
        }
        let narrow = event.has_narrow_names();
        let is_name = |letter: char| {
            letter.is_ascii_alphanumeric()
                || letter == '_'
                || letter == '|'
                || (!narrow && "-, ".contains(letter))
        };
        if text.chars().all(is_name) {
            let names = text.split(|letter| letter == '|' || (!narrow && letter == ','));
            return Self::Names(names.map(|name| name.trim().to_owned()).collect());
        }
        match fancy_regex::RegexBuilder::new(text).backtrack_limit(STEP_LIMIT).build() {
            Ok(expression) => Self::Expression(Box::new(expression)),
            Err(error) => Self::Broken(error.to_string()),
        }
    }

    pub(crate) fn fits(&self, name: &str) -> Fit {
        match self {
            Self::Any => Fit::Yes,
            Self::Names(names) if names.iter().any(|own| own == name) => Fit::Yes,
            Self::Names(_) => Fit::No,
            Self::Expression(expression) => match expression.is_match(name) {
                Ok(true) => Fit::Yes,
                Ok(false) => Fit::No,
                Err(_) => Fit::Unknown,
            },
            Self::Broken(_) => Fit::Unknown,
        }
    }

    /// Whether it fits any of the names: one `Yes` is enough, then one `Unknown`.
    pub(crate) fn fits_any<'a>(&self, names: impl Iterator<Item = &'a str>) -> Fit {
        let mut found = Fit::No;
        for name in names {
            match self.fits(name) {
                Fit::Yes => return Fit::Yes,
                Fit::Unknown => found = Fit::Unknown,
                Fit::No => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(event: &str, matcher: &str, name: &str) -> Fit {
        Matcher::new(Some(matcher), EventKind::of(event).unwrap()).fits(name)
    }

    #[test]
    fn lists_are_exact_and_everything_else_is_an_expression() {
        for (matcher, name, expected) in [
            ("Edit", "Edit", Fit::Yes),
            ("Edit", "NotebookEdit", Fit::No),
            ("Edit.*", "Edit", Fit::Yes),
            ("Edit.*", "NotebookEdit", Fit::Yes),
            ("^Edit$", "NotebookEdit", Fit::No),
            ("Edit|Write", "Write", Fit::Yes),
            ("Edit, Write", "Write", Fit::Yes),
            ("Edit|Write", "MultiWrite", Fit::No),
            ("edit", "Edit", Fit::No),
            ("", "Anything", Fit::Yes),
            ("*", "Anything", Fit::Yes),
            ("mcp__memory", "mcp__memory__create", Fit::No),
            ("mcp__memory__.*", "mcp__memory__create", Fit::Yes),
            ("mcp__.*__write.*", "mcp__fs__write_file", Fit::Yes),
            ("mcp__linear__create_issue", "mcp__plugin_linear_linear__create_issue", Fit::No),
            ("^(?!Read$).*", "Read", Fit::No),
            ("^(?!Read$).*", "Bash", Fit::Yes),
            (r"^(a)\1$", "aa", Fit::Yes),
            ("Bash(", "Read", Fit::Unknown),
            ("(a+)+$(?=b)", &"a".repeat(80), Fit::No),
        ] {
            assert_eq!(fits("PreToolUse", matcher, name), expected, "{matcher} on {name}");
        }
        assert_eq!(fits("SubagentStart", "code-reviewer", "senior-code-reviewer"), Fit::No);
        assert_eq!(fits("FileChanged", "a.txt|b", "xa.txt"), Fit::Yes);
        assert_eq!(fits("Stop", "(", "whatever"), Fit::Yes);
    }

    #[test]
    fn an_expression_that_runs_away_is_unknown() {
        assert_eq!(fits("PreToolUse", r"(?:(a|a|a)+)+\1c$", &format!("{}b", "a".repeat(60))), Fit::Unknown);
    }
}
