//! What an exit status means.

use super::last_command;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

/// What an exit status means.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Meaning {
    Success,
    /// Code 1 that is an answer and no failure.
    Benign(&'static str),
    /// The line that a failure starts with.
    Failure(String),
}

/// Reads the status that `line` ended with.
pub(super) fn meaning(status: ExitStatus, line: &str) -> Meaning {
    if let Some(signal) = status.signal() {
        return Meaning::Failure(with_signal(128 + signal, signal));
    }
    match status.code() {
        Some(0) => Meaning::Success,
        Some(1) => match benign(line) {
            Some(meaning) => Meaning::Benign(meaning),
            None => Meaning::Failure("Exit code 1".to_owned()),
        },
        Some(code @ 129..=192) => Meaning::Failure(with_signal(code, code - 128)),
        Some(code) => Meaning::Failure(format!("Exit code {code}")),
        None => Meaning::Failure("Exit code unknown".to_owned()),
    }
}

fn with_signal(code: i32, signal: i32) -> String {
    match signal_name(signal) {
        Some(name) => format!("Exit code {code} ({name})"),
        None => format!("Exit code {code}"),
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    names.iter().find(|(known, _)| known.as_raw() == signal).map(|(_, name)| *name)
}

/// What code 1 says when the command that decides the status is one that answers with it.
fn benign(line: &str) -> Option<&'static str> {
    let words = last_command::words(line)?;
    let (first, rest) = words.split_first()?;
    match first.rsplit('/').next()? {
        "grep" | "rg" | "egrep" | "fgrep" => Some("no matches"),
        "find" => Some("some places could not be read"),
        "diff" => Some("the inputs differ"),
        "test" | "[" => Some("the condition is false"),
        "git" => match subcommand(rest)? {
            "diff" => Some("there are differences"),
            "grep" => Some("no matches"),
            _ => None,
        },
        _ => None,
    }
}

/// The subcommand of git, after its own options.
fn subcommand(words: &[String]) -> Option<&str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            subcommand => return Some(subcommand),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_an_answer_of_some_programs_only() {
        let one = ExitStatus::from_raw(1 << 8);
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
        assert_eq!(meaning(ExitStatus::from_raw(2 << 8), "grep x"), Meaning::Failure("Exit code 2".into()));
        assert_eq!(
            meaning(ExitStatus::from_raw(143 << 8), "x"),
            Meaning::Failure("Exit code 143 (SIGTERM)".into())
        );
        assert_eq!(meaning(ExitStatus::from_raw(9), "x"), Meaning::Failure("Exit code 137 (SIGKILL)".into()));
        assert_eq!(meaning(ExitStatus::from_raw(0), "x"), Meaning::Success);
    }
}
