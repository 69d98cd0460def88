//! Tables of lines with what is reported of them.

use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_tool_core::ports::{CommandAnalyzer, FileAccess, ShellStart};
use serde::Deserialize;

/// A line of `tests/data/*.jsonl`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    line: String,
    /// The commands, in order: words, `null` for one that is not known.
    #[serde(default)]
    commands: Vec<Vec<Option<String>>>,
    /// Whether the line is opaque.
    #[serde(default)]
    opaque: bool,
    #[serde(default)]
    reads: Option<Vec<Option<String>>>,
    #[serde(default)]
    writes: Option<Vec<Option<String>>>,
    #[serde(default)]
    removes: Option<Vec<Option<String>>>,
    #[serde(default)]
    network: Option<Vec<Option<String>>>,
    /// What through, for the last command.
    #[serde(default)]
    via: Option<Vec<String>>,
    /// Source of the last command.
    #[serde(default)]
    text: Option<String>,
    /// Offset of the last command.
    #[serde(default)]
    at: Option<usize>,
    #[serde(default)]
    exact: Option<bool>,
    /// What each command does.
    #[serde(default)]
    natures: Option<Vec<String>>,
    /// Commands may be missing from the list above, as the line is opaque anyway.
    #[serde(default)]
    why: String,
}

#[test]
fn lines_are_reported_as_the_tables_say() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut count = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for (number, text) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            if text.is_empty() {
                continue;
            }
            let case: Case = match serde_json::from_str(text) {
                Ok(case) => case,
                Err(error) => panic!("{}:{}: {error}", path.display(), number + 1),
            };
            count += 1;
            if let Some(problem) = problem(&case) {
                wrong.push(format!(
                    "{}:{}: {:?} ({})\n    {problem}",
                    path.display(),
                    number + 1,
                    case.line,
                    case.why
                ));
            }
        }
    }
    assert!(count > 100, "the tables are empty");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

fn problem(case: &Case) -> Option<String> {
    let start = ShellStart::bash("/w", Some("/home/u".into()));
    let report = ShellAnalyzer::new().analyze(&case.line, &start);
    if report.opaque.is_empty() == case.opaque {
        return Some(format!("opaque: {:?}", report.opaque));
    }
    let commands: Vec<_> = report.commands.iter().map(|command| command.argv.clone()).collect();
    if commands != case.commands {
        return Some(format!("commands: {}", serde_json::to_string(&commands).unwrap_or_default()));
    }
    let natures: Vec<String> =
        report.commands.iter().map(|command| format!("{:?}", command.nature)).collect();
    if case.natures.as_ref().is_some_and(|expected| *expected != natures) {
        return Some(format!("natures: {}", serde_json::to_string(&natures).unwrap_or_default()));
    }
    let paths = |access: FileAccess| -> Vec<Option<String>> {
        report
            .files
            .iter()
            .filter(|file| file.access == access && file.is_redirection)
            .map(|file| file.path.clone())
            .collect()
    };
    for (expected, access) in [
        (&case.reads, FileAccess::Read),
        (&case.writes, FileAccess::Write),
        (&case.removes, FileAccess::Remove),
    ] {
        if expected.as_ref().is_some_and(|expected| *expected != paths(access)) {
            return Some(format!("{access:?}: {:?}", paths(access)));
        }
    }
    if case.network.as_ref().is_some_and(|network| *network != report.network) {
        return Some(format!("network: {:?}", report.network));
    }
    let last = report.commands.last();
    let is_other = |wrong: Option<bool>| wrong == Some(true);
    if is_other(case.via.as_ref().map(|via| last.is_none_or(|last| last.via != *via)))
        || is_other(case.text.as_ref().map(|text| last.is_none_or(|last| last.text != *text)))
        || is_other(case.at.map(|at| last.is_none_or(|last| last.at != at)))
        || is_other(case.exact.map(|exact| last.is_none_or(|last| last.exact != exact)))
    {
        return Some(format!("last: {last:?}"));
    }
    None
}
