//! Tasks of the workspace: `cargo xtask test` is the one test command. `args.rs` lists the tasks, `suite.rs`
//! the steps of the test command, `layers.rs` the rule about who may depend on whom.
#![expect(clippy::print_stdout, reason = "a task runner talks to the person at the terminal")]

mod args;
mod cmd;
mod codegen;
mod crates_doc;
#[cfg(test)]
mod invariants;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod looking;
mod oracle;
mod report;
mod suite;
mod tools_doc;
mod workspace;

use std::process::ExitCode;

use args::Task;
use workspace::Workspace;

fn main() -> ExitCode {
    let task = match args::parse(std::env::args().skip(1)) {
        Ok(task) => task,
        Err(wrong) => {
            println!("xtask: {wrong:#}\n\n{}", args::HELP);
            return ExitCode::from(2);
        }
    };
    match run(task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs a task and says whether everything in it passed.
fn run(task: Task) -> anyhow::Result<bool> {
    match task {
        Task::Help => {
            println!("{}", args::HELP);
            Ok(true)
        }
        Task::Test { packages, only } => suite::test(&Workspace::load()?, &packages, only.as_deref()),
        Task::Lint => suite::lint(&Workspace::load()?),
        Task::Docs => suite::docs(&Workspace::load()?),
        Task::FuzzShell { rest } => oracle::fuzz(&rest),
        Task::Bench { rest } => suite::bench(&Workspace::load()?, &rest),
        Task::Codegen { mode, only } => codegen::run(&Workspace::load()?, mode, only.as_deref()),
    }
}
