//! Numbers that hosts and users set: what counts when one is none, zero or too large, and what is said then.

use std::fmt::Display;

/// A number by the name under which it is set. Nothing and zero mean the usual one, more than the most means the most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    name: &'static str,
    usual: u64,
    most: u64,
}

/// `tools.shell.maxOutputBytes`.
pub(crate) const MAX_OUTPUT_BYTES: Number =
    Number::new("tools.shell.maxOutputBytes", 5 * 1024 * 1024 * 1024, u64::MAX);
/// `tools.web.maxBytes`.
#[cfg(feature = "web")]
pub(crate) const MAX_PAGE_BYTES: Number = Number::new("tools.web.maxBytes", 10_000_000, 100_000_000);
/// `tools.web.timeoutSeconds`.
#[cfg(feature = "web")]
pub(crate) const FETCH_SECONDS: Number = Number::new("tools.web.timeoutSeconds", 60, 600);
/// `tools.web.search.timeoutSeconds`.
#[cfg(feature = "web")]
pub(crate) const SEARCH_SECONDS: Number = Number::new("tools.web.search.timeoutSeconds", 20, 300);
/// `tools.lsp.startTimeoutSeconds`.
pub(crate) const LSP_START_SECONDS: Number = Number::new("tools.lsp.startTimeoutSeconds", 60, 600);
/// `tools.lsp.requestTimeoutSeconds`.
pub(crate) const LSP_REQUEST_SECONDS: Number = Number::new("tools.lsp.requestTimeoutSeconds", 30, 600);
/// `tools.lsp.indexingTimeoutSeconds`.
pub(crate) const LSP_INDEXING_SECONDS: Number = Number::new("tools.lsp.indexingTimeoutSeconds", 60, 600);

/// `BASH_DEFAULT_TIMEOUT_MS`.
pub(crate) const BASH_DEFAULT_MS: Number = Number::new("BASH_DEFAULT_TIMEOUT_MS", 120_000, u64::MAX);
/// `BASH_MAX_TIMEOUT_MS`.
pub(crate) const BASH_MOST_MS: Number = Number::new("BASH_MAX_TIMEOUT_MS", 600_000, u64::MAX);
/// `BASH_MAX_OUTPUT_LENGTH`.
pub(crate) const OUTPUT_CHARS: Number = Number::new("BASH_MAX_OUTPUT_LENGTH", 30_000, 150_000);
/// `CLAUDE_SUBAGENT_BG_SHELL_MAX_MS`.
pub(crate) const AGENT_LIFE_MS: Number = Number::new("CLAUDE_SUBAGENT_BG_SHELL_MAX_MS", 3_600_000, u64::MAX);
/// `CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS`.
pub(crate) const READ_TOKENS: Number =
    Number::new("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", 25_000, u64::MAX);
/// `CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION`.
pub(crate) const SEARCHES: Number = Number::new("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", 200, u64::MAX);
/// `PEGBOARD_GREP_TIMEOUT_SECONDS`.
const GREP_SECONDS: Number = Number::new("PEGBOARD_GREP_TIMEOUT_SECONDS", 60, u64::MAX);
/// `CLAUDE_CODE_GLOB_TIMEOUT_SECONDS`, whose usual value depends on the system.
const GLOB_SECONDS: &str = "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS";
/// `CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS`, for which zero counts.
const KEPT_MS: &str = "CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS";

impl Number {
    const fn new(name: &'static str, usual: u64, most: u64) -> Self {
        Self { name, usual, most }
    }

    /// What counts.
    pub(crate) fn of(self, given: Option<u64>) -> u64 {
        given.filter(|given| *given > 0).unwrap_or(self.usual).min(self.most)
    }

    /// What is said of a setting.
    pub(crate) fn problem(self, given: Option<u64>) -> Option<String> {
        let Self { name, usual, most } = self;
        match given? {
            0 => Some(format!("the setting `{name}` is 0, which does not count; {usual} is used")),
            given if given > most => {
                Some(format!("the setting `{name}` is {given}, which is too large; {most} is used"))
            }
            _ => None,
        }
    }

    /// What counts of a variable among `vars`.
    pub(crate) fn read(self, vars: &std::collections::BTreeMap<String, String>) -> u64 {
        self.of(vars.get(self.name).and_then(|text| text.trim().parse().ok()))
    }

    /// What is said of a variable that holds `text`.
    fn problem_of(self, text: &str) -> Option<String> {
        let Self { name, usual, most } = self;
        match text.trim().parse::<u64>() {
            Ok(given) if given > most => Some(format!("{name}=`{given}` is too large; {most} is used")),
            Ok(1..) => None,
            Ok(0) | Err(_) => Some(ignored(name, text, "positive number", usual)),
        }
    }
}

fn ignored(name: &str, text: &str, what: &str, instead: impl Display) -> String {
    let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    format!("{name}=`{shown}` is no {what} and is ignored; {instead} is used")
}

/// Which of the tools' variables hold numbers that do not count as they stand, in words for the operator.
/// `value_of` gives the value of a variable; one that is empty is not set.
#[must_use]
pub fn variable_problems(value_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let numbers =
        [BASH_DEFAULT_MS, BASH_MOST_MS, OUTPUT_CHARS, AGENT_LIFE_MS, READ_TOKENS, SEARCHES, GREP_SECONDS];
    let value_of = |name: &str| value_of(name).filter(|text| !text.trim().is_empty());
    let mut problems: Vec<String> =
        numbers.iter().filter_map(|number| number.problem_of(&value_of(number.name)?)).collect();
    if let Some(text) = value_of(GLOB_SECONDS)
        && text.trim().parse::<u64>().map_or(true, |seconds| seconds == 0)
    {
        problems.push(ignored(GLOB_SECONDS, &text, "positive number", "the usual limit"));
    }
    if let Some(text) = value_of(KEPT_MS)
        && (!text.bytes().all(|byte| byte.is_ascii_digit()) || text.parse::<u64>().is_err())
    {
        problems.push(ignored(KEPT_MS, &text, "number in digits", 900_000));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ToolSettings;

    #[test]
    fn variables_that_do_not_count_are_told() {
        for (name, text, counts, said) in [
            ("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", "5", 5, ""),
            ("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", " 5 ", 5, ""),
            ("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", "", 200, ""),
            (
                "CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION",
                "0",
                200,
                "`0` is no positive number and is ignored; 200 is used",
            ),
            (
                "CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION",
                "00",
                200,
                "`00` is no positive number and is ignored; 200 is used",
            ),
            ("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", "abc", 200, "`abc` is no positive number"),
            ("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", "-1", 200, "`-1` is no positive number"),
            (
                "CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION",
                "99999999999999999999",
                200,
                "is no positive number",
            ),
            (
                "CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION",
                "\u{1b}[2J\n",
                200,
                "`\\u{1b}[2J\\n` is no positive",
            ),
            ("BASH_DEFAULT_TIMEOUT_MS", "0", 120_000, "120000 is used"),
            ("BASH_MAX_TIMEOUT_MS", "1.5", 600_000, "600000 is used"),
            ("BASH_MAX_OUTPUT_LENGTH", "0", 30_000, "30000 is used"),
            ("BASH_MAX_OUTPUT_LENGTH", "150001", 150_000, "=`150001` is too large; 150000 is used"),
            ("CLAUDE_SUBAGENT_BG_SHELL_MAX_MS", "soon", 3_600_000, "3600000 is used"),
            ("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "0", 25_000, "25000 is used"),
        ] {
            let vars = std::collections::BTreeMap::from([(name.to_owned(), text.to_owned())]);
            let numbers = [BASH_DEFAULT_MS, BASH_MOST_MS, OUTPUT_CHARS, AGENT_LIFE_MS, READ_TOKENS, SEARCHES];
            let number = numbers.into_iter().find(|number| number.name == name).unwrap();
            assert_eq!(number.read(&vars), counts, "{name}={text}");
            let problems = variable_problems(|name| vars.get(name).cloned());
            assert_eq!(problems.len(), usize::from(!said.is_empty()), "{problems:?}");
            assert!(problems.iter().all(|problem| problem.contains(said)), "{name}={text}: {problems:?}");
        }
        for (name, text, is_told) in [
            (GLOB_SECONDS, "0", true),
            (GLOB_SECONDS, "7", false),
            ("PEGBOARD_GREP_TIMEOUT_SECONDS", "0", true),
            (KEPT_MS, "0", false),
            (KEPT_MS, "+5", true),
            (KEPT_MS, " 5", true),
            (KEPT_MS, "x", true),
        ] {
            let problems = variable_problems(|asked| (asked == name).then(|| text.to_owned()));
            assert_eq!(problems.len(), usize::from(is_told), "{name}={text}: {problems:?}");
        }
    }

    #[test]
    fn settings_that_do_not_count_are_told() {
        let read = |text: &str| serde_json::from_str::<ToolSettings>(text).unwrap().problems();
        assert!(read("{}").is_empty());
        let sound = r#"{"shell": {"maxOutputBytes": 1}, "web": {"maxBytes": 1, "timeoutSeconds": 600},
            "lsp": {"startTimeoutSeconds": 1}}"#;
        assert!(read(sound).is_empty(), "{:?}", read(sound));
        let zero = r#"{"shell": {"maxOutputBytes": 0}, "web": {"maxBytes": 0, "timeoutSeconds": 0},
            "lsp": {"startTimeoutSeconds": 0, "requestTimeoutSeconds": 0, "indexingTimeoutSeconds": 0}}"#;
        let large = r#"{"web": {"maxBytes": 100000001, "timeoutSeconds": 100000},
            "lsp": {"startTimeoutSeconds": 601, "requestTimeoutSeconds": 601, "indexingTimeoutSeconds": 601}}"#;
        let web = if cfg!(feature = "web") { 2 } else { 0 };
        assert_eq!((read(zero).len(), read(large).len()), (4 + web, 3 + web), "{:?}", read(zero));
        let problems = [read(zero), read(large)].concat();
        for said in [
            "the setting `tools.shell.maxOutputBytes` is 0, which does not count; 5368709120 is used",
            "the setting `tools.lsp.requestTimeoutSeconds` is 0, which does not count; 30 is used",
            "the setting `tools.lsp.requestTimeoutSeconds` is 601, which is too large; 600 is used",
        ] {
            assert!(problems.iter().any(|problem| problem == said), "{said}: {problems:?}");
        }
        for (given, counts) in
            [(None, 30), (Some(0), 30), (Some(1), 1), (Some(600), 600), (Some(u64::MAX), 600)]
        {
            assert_eq!(LSP_REQUEST_SECONDS.of(given), counts, "{given:?}");
        }
    }
}
