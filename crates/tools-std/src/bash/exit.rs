//! What an exit status of bash means: code 1 of some programs is an answer.

use super::last_command;
use crate::shell::answers;
use crate::shell::foreground::Meaning;
use crate::shell::status::Status;

/// Reads the status that `line` ended with.
pub(super) fn meaning(status: Status, line: &str) -> Meaning {
    match status.code {
        Some(0) => Meaning::Success,
        Some(1) => benign(line).map_or(Meaning::Failure, Meaning::Benign),
        _ => Meaning::Failure,
    }
}

/// What code 1 says when the command that decides the status is one that answers with it.
fn benign(line: &str) -> Option<&'static str> {
    let words = last_command::words(line)?;
    let (first, rest) = words.split_first()?;
    match first.rsplit('/').next()? {
        "find" => Some("some places could not be read"),
        "diff" => Some("the inputs differ"),
        "test" | "[" => Some("the condition is false"),
        program => answers::of_one(program, rest),
    }
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
            assert_eq!(matches!(meaning(one, line), Meaning::Benign(_)), expected, "{line}");
        }
        for (raw, heading) in [
            (2 << 8, "Exit code 2"),
            (143 << 8, "Exit code 143 (SIGTERM)"),
            (9, "Exit code 137 (SIGKILL)"),
            (200 << 8, "Exit code 200"),
        ] {
            let status = Status::of(ExitStatus::from_raw(raw));
            assert_eq!(meaning(status, "grep x"), Meaning::Failure);
            assert_eq!(status.heading(), heading);
        }
        assert_eq!(meaning(Status::of(ExitStatus::from_raw(0)), "x"), Meaning::Success);
    }
}
