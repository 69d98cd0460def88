//! The tasks and their options. By hand: a parser crate would take longer to build than the rest of xtask.

use anyhow::{Context as _, bail};

use crate::codegen::Mode;

/// What `cargo xtask` prints when it does not understand.
pub(crate) const HELP: &str = "\
cargo xtask test [-p CRATE]... [--only STEP]   everything a commit has to pass
                                               steps: fmt layers clippy test oracle doctest docs alone generated
                                                      examples deny typos
cargo xtask lint                               the quick part: fmt, clippy, docs, layers
cargo xtask docs                               the API documentation, warnings as errors
cargo xtask fuzz-shell [ARGS]                  compare the shell analysis with real bash on generated lines:
                                               --count N --seed S [--profile ordinary|hostile] [--jobs N]
cargo xtask bench [ARGS]                       all benches; ARGS go to the bench programs
cargo xtask codegen [--check] [NAME]           write (or compare) the generated references: crates, tools

CRATE is a folder of crates/ (`hooks`) or a package (`pegboard-hooks`).";

/// One task with its options.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Prints [`HELP`].
    Help,
    /// Everything, or one step, for all packages or some.
    Test { packages: Vec<String>, only: Option<String> },
    /// The steps that need no test run.
    Lint,
    /// API documentation.
    Docs,
    /// The shell analysis against real bash, with arguments for the oracle.
    FuzzShell { rest: Vec<String> },
    /// Benches, with arguments for them.
    Bench { rest: Vec<String> },
    /// Generated references, all or one.
    Codegen { mode: Mode, only: Option<String> },
}

/// Reads the command line, without the name of the program.
pub(crate) fn parse(args: impl IntoIterator<Item = String>) -> anyhow::Result<Task> {
    let mut args = args.into_iter();
    let task = args.next().unwrap_or_else(|| "help".to_owned());
    match task.as_str() {
        "help" | "--help" | "-h" => Ok(Task::Help),
        "test" => parse_test(args),
        "lint" => nothing_more(args, Task::Lint),
        "docs" => nothing_more(args, Task::Docs),
        "fuzz-shell" => Ok(Task::FuzzShell { rest: args.collect() }),
        "bench" => Ok(Task::Bench { rest: args.collect() }),
        "codegen" => parse_codegen(args),
        other => bail!("there is no task `{other}`"),
    }
}

fn parse_test(mut args: impl Iterator<Item = String>) -> anyhow::Result<Task> {
    let (mut packages, mut only) = (Vec::new(), None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-p" | "--package" => packages.push(args.next().context("`-p` needs a crate after it")?),
            "--only" => only = Some(args.next().context("`--only` needs a step after it")?),
            other => bail!("`test` does not know `{other}`"),
        }
    }
    Ok(Task::Test { packages, only })
}

fn parse_codegen(args: impl Iterator<Item = String>) -> anyhow::Result<Task> {
    let (mut mode, mut only) = (Mode::Write, None);
    for arg in args {
        match arg.as_str() {
            "--check" => mode = Mode::Check,
            option if option.starts_with('-') => bail!("`codegen` does not know `{option}`"),
            name => only = Some(name.to_owned()),
        }
    }
    Ok(Task::Codegen { mode, only })
}

fn nothing_more(mut args: impl Iterator<Item = String>, task: Task) -> anyhow::Result<Task> {
    match args.next() {
        None => Ok(task),
        Some(arg) => bail!("this task takes no `{arg}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> anyhow::Result<Task> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read_and_unknown_ones_refused() -> anyhow::Result<()> {
        assert_eq!(
            of("test -p hooks --only clippy -p wire")?,
            Task::Test { packages: vec!["hooks".into(), "wire".into()], only: Some("clippy".into()) }
        );
        assert_eq!(of("codegen --check")?, Task::Codegen { mode: Mode::Check, only: None });
        assert_eq!(of("bench -- dispatch")?, Task::Bench { rest: vec!["--".into(), "dispatch".into()] });
        assert_eq!(of("fuzz-shell --count 5")?, Task::FuzzShell { rest: vec!["--count".into(), "5".into()] });
        assert_eq!(of("")?, Task::Help);
        for wrong in ["tset", "test -p", "test --fast", "lint now", "codegen --force"] {
            assert!(of(wrong).is_err(), "`{wrong}` was accepted");
        }
        Ok(())
    }
}
