//! Whether a report foresaw what a line did.

use crate::environment::{CWD, HOME};
use crate::programs::{CHANGERS, START_A_SHELL};
use crate::ran::{Change, Exec, Ran};
use pegboard_tool_core::ports::{CommandNature, CommandReport, CommandUse, FileAccess};
use std::collections::BTreeMap;
use std::fmt;

/// Something that a line did and its report does not have.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there are no others")]
pub enum Missing {
    /// A program was started.
    Program(Exec),
    /// A file changed.
    File(Change),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(exec) => write!(f, "ran {} {:?}", exec.program, exec.argv),
            Self::File(change) => write!(f, "{change:?}"),
        }
    }
}

/// Whether a report says that it cannot tell: a part is opaque, or a program is unknown and so may be a shell. The
/// permission engine takes the two for the same.
#[must_use]
pub fn is_untold(report: &CommandReport) -> bool {
    let is_unknown = |command: &CommandUse| command.program.is_none() && !command.argv.is_empty();
    !report.opaque.is_empty() || report.commands.iter().any(is_unknown)
}

/// The first thing that `ran` has and `report` has not; `None` when the report holds.
#[must_use]
pub fn missing(report: &CommandReport, ran: &Ran) -> Option<Missing> {
    if is_untold(report) {
        return None;
    }
    let mut running: BTreeMap<u32, &str> = BTreeMap::new();
    let mut excused = false;
    for exec in &ran.execs {
        // A program that starts nothing else becomes the shell itself.
        let by = running.insert(exec.pid, &exec.program).or_else(|| running.get(&exec.parent).copied());
        if is_how_it_works(exec, by) {
            continue;
        }
        let mut natures =
            report.commands.iter().filter(|command| covers(command, exec)).map(|command| command.nature);
        let Some(first) = natures.next() else { return Some(Missing::Program(exec.clone())) };
        let may_change = CHANGERS.contains(&exec.program.as_str());
        excused |= may_change
            && (first == CommandNature::Other || natures.any(|other| other == CommandNature::Other));
    }
    if excused {
        return None;
    }
    let moved = report
        .commands
        .iter()
        .any(|command| matches!(command.program.as_deref(), None | Some("cd" | "pushd" | "popd" | "env")));
    let deep = ran.execs.iter().any(|exec| ["cp", "mkdir", "git"].contains(&exec.program.as_str()));
    let foreseen = |change: &&Change| !is_foreseen(report, change, moved, deep);
    ran.changes.iter().find(foreseen).map(|change| Missing::File(change.clone()))
}

/// Whether a program was started by one that is known to start it for its own work.
fn is_how_it_works(exec: &Exec, by: Option<&str>) -> bool {
    let Some(by) = by else { return false };
    let shell = matches!(exec.program.as_str(), "sh" | "dash" | "bash")
        && exec.argv.get(1).is_some_and(|word| word == "-c");
    (shell && START_A_SHELL.contains(&by)) || (by == "git" && exec.program == "git")
}

/// Whether `command` stands for `exec`.
fn covers(command: &CommandUse, exec: &Exec) -> bool {
    let rest = exec.argv.get(1..).unwrap_or_default();
    match &command.program {
        Some(program) => {
            *program == exec.program && fits(command.argv.get(1..).unwrap_or_default(), rest, command.exact)
        }
        None => {
            let words: Vec<String> = [exec.program.clone()].into_iter().chain(rest.iter().cloned()).collect();
            let mut pattern = command.argv.clone();
            if let Some(Some(first)) = pattern.first_mut() {
                *first = base(first).to_owned();
            }
            fits(&pattern, &words, command.exact)
        }
    }
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

/// Whether `words` are such as `pattern` says: an unknown word is one word, or any number when not `exact`.
fn fits(pattern: &[Option<String>], words: &[String], exact: bool) -> bool {
    if exact {
        return pattern.len() == words.len()
            && pattern.iter().zip(words).all(|(p, w)| p.as_ref().is_none_or(|p| p == w));
    }
    // The greedy walk with one place to go back to, as for `*` in a pattern.
    let (mut p, mut w, mut back) = (0, 0, None);
    while let Some(word) = words.get(w) {
        match pattern.get(p) {
            Some(None) => {
                back = Some((p, w));
                p += 1;
            }
            Some(Some(known)) if known == word => {
                p += 1;
                w += 1;
            }
            _ => match back {
                Some((star, taken)) => {
                    back = Some((star, taken + 1));
                    p = star + 1;
                    w = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(Option::is_none)
}

fn is_foreseen(report: &CommandReport, change: &Change, moved: bool, deep: bool) -> bool {
    let (path, listed) = match change {
        Change::Written(path) => (path, &report.writes),
        Change::Removed(path) => (path, &report.removes),
    };
    let plain = listed.iter().any(|named| is_named(named.as_deref(), path, false, false, moved, deep));
    plain
        || report
            .files
            .iter()
            .filter(|file| file.access != FileAccess::Read)
            .any(|file| is_named(file.path.as_deref(), path, file.has_glob, file.is_deep, moved, deep))
}

/// Whether `named`, as it stands in a report, may be `path`. After a change of the folder the end of it must fit.
fn is_named(named: Option<&str>, path: &str, has_glob: bool, is_deep: bool, moved: bool, deep: bool) -> bool {
    let Some(named) = named else { return true };
    let known = if has_glob { named.split(['*', '?', '[']).next().unwrap_or_default() } else { named };
    let full = match known.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => normal(&format!("{HOME}{rest}")),
        _ if known.starts_with('/') => normal(known),
        _ => normal(&format!("{CWD}/{known}")),
    };
    if has_glob {
        return moved || path.starts_with(&full);
    }
    let below =
        |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if full == path || ((deep || is_deep) && (below(path, &full) || below(&full, path))) {
        return true;
    }
    let tail = known.trim_start_matches("../").trim_start_matches("./").trim_end_matches('/');
    let ends = |tail: &str| below(path, path.strip_suffix(tail).unwrap_or(path).trim_end_matches('/'));
    let is_end = ends(tail);
    let is_within = is_deep && !tail.is_empty() && path.contains(&format!("/{tail}/"));
    // The folders that are made on the way to it.
    let is_on_way = (deep || is_deep)
        && tail.match_indices('/').any(|(end, _)| ends(tail.get(..end).unwrap_or_default()));
    moved && !known.starts_with('/') && (is_end || is_within || is_on_way)
}

/// A path without `.`, `..` and doubled slashes.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ran::Ending;
    use pegboard_tool_core::ports::FileUse;

    fn command(words: &[&str], exact: bool) -> CommandUse {
        let argv = words.iter().map(|word| (*word != "?").then(|| (*word).to_owned())).collect();
        let mut command = CommandUse::new(argv, 0, "");
        command.exact = exact;
        command
    }

    fn exec(words: &[&str]) -> Exec {
        Exec::new(base(words[0]), words.iter().map(|word| (*word).to_owned()).collect(), 2, 1)
    }

    #[test]
    fn an_unknown_word_is_one_or_any_number() {
        let cases: [(&[&str], bool, &[&str], bool); 12] = [
            (&["rm", "a"], true, &["rm", "a"], true),
            (&["rm", "a"], true, &["/bin/rm", "a"], true),
            (&["rm", "a"], true, &["rm", "b"], false),
            (&["rm", "a"], true, &["rm"], false),
            (&["rm", "?"], true, &["rm", "x y"], true),
            (&["rm", "?"], true, &["rm", "x", "y"], false),
            (&["rm", "?"], false, &["rm", "x", "y"], true),
            (&["rm", "?"], false, &["rm"], true),
            (&["rm", "?", "z"], false, &["rm", "z", "y", "z"], true),
            (&["rm", "?", "z"], false, &["rm", "z", "y"], false),
            (&["?", "f"], true, &["ls", "f"], true),
            (&["?"], false, &["ls", "f"], true),
        ];
        for (pattern, exact, words, expected) in cases {
            assert_eq!(covers(&command(pattern, exact), &exec(words)), expected, "{pattern:?} {words:?}");
        }
    }

    #[test]
    fn what_was_not_foreseen_is_told() {
        let mut report = CommandReport::default();
        report.commands.push(command(&["ls"], true));
        let ran = |execs, changes| Ran::new(Ending::Over, execs, changes);
        assert_eq!(missing(&report, &ran(vec![exec(&["ls"])], vec![])), None);
        let rm = exec(&["rm", "a"]);
        assert_eq!(missing(&report, &ran(vec![rm.clone()], vec![])), Some(Missing::Program(rm.clone())));
        let change = Change::Written("/work/p/out".into());
        let wrote = ran(vec![exec(&["ls"])], vec![change.clone()]);
        assert_eq!(missing(&report, &wrote), Some(Missing::File(change)));
        report.files.push(FileUse::new(Some("./out".into()), FileAccess::Read, None, 0));
        assert!(missing(&report, &wrote).is_some());
        report.files.push(FileUse::new(Some("./out".into()), FileAccess::Write, None, 0));
        assert_eq!(missing(&report, &wrote), None);
        report.opaque.push(pegboard_tool_core::ports::OpaquePart::new("x", 0));
        assert_eq!(missing(&report, &ran(vec![rm], vec![])), None);
    }

    #[test]
    fn what_is_below_a_deep_path_is_named_also_after_a_change_of_the_folder() {
        let named = |path, is_deep, moved| is_named(Some("b"), path, false, is_deep, moved, false);
        assert!(named("/work/p/b/x", true, false));
        assert!(!named("/work/p/sub/b/x", true, false));
        assert!(named("/work/p/sub/b/x", true, true));
        assert!(!named("/work/p/sub/b/x", false, true));
        assert!(!named("/work/p/sub/bb/x", true, true));
        assert!(is_named(Some("d/"), "/work/home/d", false, false, true, false));
        assert!(is_named(Some("d/e"), "/work/home/d", false, true, true, false));
        assert!(!is_named(Some("d/e"), "/work/home/d", false, false, true, false));
    }

    #[test]
    fn a_shell_that_a_program_needs_for_its_work_is_no_news() {
        let mut report = CommandReport::default();
        report.commands.push(command(&["awk", "p"], true));
        let mut shell = exec(&["sh", "-c", "rm a"]);
        let awk = exec(&["awk", "p"]);
        (shell.pid, shell.parent) = (3, awk.pid);
        let ran = Ran::new(Ending::Over, vec![awk, shell.clone()], vec![]);
        assert_eq!(missing(&report, &ran), None);
        let alone = Ran::new(Ending::Over, vec![shell.clone()], vec![]);
        assert_eq!(missing(&report, &alone), Some(Missing::Program(shell)));
    }
}
