//! What an exit status of bash means: code 1 of some programs is an answer.

use super::last_command;
use crate::shell::answers;
use crate::shell::foreground::Meaning;
use crate::shell::status::Status;

/// Reads the status that `line` ended with; `said` is the beginning of what it printed.
pub(super) fn meaning(status: Status, line: &str, said: &str) -> Meaning {
    match status.code {
        Some(0) => Meaning::Success,
        Some(1) => benign(line, said).map_or(Meaning::Failure, Meaning::Benign),
        _ => Meaning::Failure,
    }
}

/// What code 1 says when the command that decides the status is one that answers with it, and surely gave it.
fn benign(line: &str, said: &str) -> Option<&'static str> {
    let last = last_command::read(line)?;
    let may_end_the_line = |words: &Vec<String>| {
        let first = words.first().map(String::as_str);
        first.is_some_and(|first| ENDS_THE_LINE.contains(&first))
    };
    if last.before.iter().any(may_end_the_line) || !last.needed.iter().all(|words| has_succeeded(words, said))
    {
        return None;
    }
    // A file that cannot be opened for it is said.
    if last.words.iter().any(|word| opens_a_file(word)) && !said.is_empty() {
        return None;
    }
    let (first, rest) = program(&last.words).split_first()?;
    match first.rsplit('/').next()? {
        "find" if rest.iter().any(|word| RUNS_OTHERS.contains(&word.as_str())) => None,
        "find" => Some("some places could not be read"),
        "diff" => Some("the inputs differ"),
        "test" | "[" => Some("the condition is false"),
        program => answers::of_one(program, rest),
    }
}

/// Commands that may end the line, or change what ends it, so that its status is not that of its last command.
const ENDS_THE_LINE: [&str; 8] = [".", "eval", "exec", "exit", "return", "set", "source", "trap"];
/// Actions of `find` that give its status.
const RUNS_OTHERS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
/// Commands that do not fail, or not with code 1 on their own account.
const SUCCEED: [&str; 7] = [":", "echo", "export", "printf", "pwd", "sleep", "true"];
/// Commands that say why they fail.
const COMPLAIN: [&str; 17] = [
    "cat", "cd", "chmod", "cp", "head", "ln", "ls", "make", "mkdir", "mv", "popd", "pushd", "rm", "sort",
    "tail", "touch", "wc",
];

/// Whether a command that the last one needed did succeed.
fn has_succeeded(words: &[String], said: &str) -> bool {
    let Some(first) = words.first().map(String::as_str) else { return true };
    // What the last command itself printed hides nothing of a `cd`, which says its name.
    SUCCEED.contains(&first)
        || first == "cd" && !said.contains("cd: ")
        || COMPLAIN.contains(&first) && said.is_empty()
}

/// Whether a word of a command opens a file for it, other than `/dev/null` and its own streams.
fn opens_a_file(word: &str) -> bool {
    let is_redirection = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '&');
    is_redirection.starts_with(['>', '<'])
        && !is_redirection.contains(">&")
        && !is_redirection.ends_with("/dev/null")
}

/// The words of the program that is run, without what only starts it.
fn program(words: &[String]) -> &[String] {
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        let skipped = match first.as_str() {
            "time" | "command" | "nohup" | "nice" | "env" | "timeout" => {
                let is_option =
                    |word: &&String| word.starts_with('-') || (first == "env" && word.contains('='));
                rest.iter().take_while(is_option).count()
            }
            _ => return words,
        };
        let Some(rest) = rest.get(skipped + usize::from(first == "timeout")..) else { return words };
        words = rest;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    #[test]
    fn one_is_an_answer_of_some_programs_only() {
        let one = Status::of(ExitStatus::from_raw(1 << 8));
        for (line, expected) in [
            ("grep zzz file", true),
            ("/usr/bin/grep zzz file", true),
            ("LC_ALL=C grep zzz file", true),
            ("cat file | rg x", true),
            ("make; [ -f x ]", true),
            ("echo 'a; b' && diff a b", true),
            ("git diff --exit-code", true),
            ("git -C sub --no-pager grep x", true),
            ("grep \"$(cat pattern)\" file", true),
            ("grep a f # && false", true),
            ("time grep a f", true),
            ("timeout 5 grep a f", true),
            ("command grep a f", true),
            ("env A=b grep a f", true),
            ("cd sub && grep -r a .", true),
            ("cd sub && diff a b", true),
            ("mkdir -p d && grep a f", true),
            ("test -f a || grep a f", true),
            ("cat a | grep b && false", false),
            ("grep a f 2>/dev/null", true),
            ("grep a f > out", true),
            ("timeout", false),
            ("test -f a && grep a f", false),
            ("python3 -c 'raise SystemExit(1)' && rg foo .", false),
            ("cd nodir || exit 1; grep -r x .", false),
            ("set -e; false; grep root f", false),
            ("exit 1; grep root f", false),
            ("trap 'exit 1' EXIT; grep root f", false),
            ("set -o pipefail; false | grep root f", false),
            ("find . -name a -exec false {} +", false),
            ("false && echo a | grep b", false),
            ("grep zzz file && echo found", false),
            ("grep zzz file; false", false),
            ("grep zzz file | cat", false),
            ("! grep zzz file", false),
            ("pgrep zzz", false),
            ("git status", false),
            ("false", false),
            ("(grep x f)", false),
            ("if grep x f; then false; fi", false),
            ("grep 'unclosed", false),
            ("cat <<E | grep x\nE", false),
            ("", false),
        ] {
            assert_eq!(matches!(meaning(one, line, ""), Meaning::Benign(_)), expected, "{line}");
        }
        for (line, said, expected) in [
            ("cd nodir && grep a f", "/bin/bash: line 1: cd: nodir: No such file or directory\n", false),
            ("cd sub && diff a b", "1c1\n< a\n---\n> b\n", true),
            ("mkdir d && diff a b", "mkdir: cannot create directory", false),
            ("grep a f > /no/such", "/bin/bash: line 1: /no/such: No such file or directory\n", false),
            ("grep a f 2>&1", "x\n", true),
            ("ls; diff a b", "a\nb\n", true),
        ] {
            assert_eq!(matches!(meaning(one, line, said), Meaning::Benign(_)), expected, "{line}");
        }
        for (raw, heading) in [
            (2 << 8, "Exit code 2"),
            (143 << 8, "Exit code 143 (SIGTERM)"),
            (9, "Exit code 137 (SIGKILL)"),
            (200 << 8, "Exit code 200"),
        ] {
            let status = Status::of(ExitStatus::from_raw(raw));
            assert_eq!(meaning(status, "grep x", ""), Meaning::Failure);
            assert_eq!(status.heading(), heading);
        }
        assert_eq!(meaning(Status::of(ExitStatus::from_raw(0)), "x", ""), Meaning::Success);
    }
}
