//! The pegboard command: arguments, printing, asking the person. What happens is in the library.

mod args;
mod background;
mod call_line;
mod check;
mod doctor;
mod events;
mod exit;
mod explain;
mod guard;
mod guard_bad_rules;
mod guard_judge;
mod guard_own_names;
mod guard_signals;
mod hooks;
mod hooks_args;
mod host;
mod judge;
mod lines;
mod lint;
mod paint;
mod permissions_args;
mod policy_tests;
mod print;
mod progress;
mod prompt;
mod recorded;
mod replay;
mod run;
mod shell;
#[cfg(unix)]
mod shell_startup;
mod signals;
mod stack;
mod stream;
mod terminal;
mod tool_settings;
mod tools;
mod trust;
mod turn;
mod turn_args;
mod turn_input;
mod undo;
mod watch;

use args::{Cli, Command, PermissionsAction, ToolsAction};
use clap::{CommandFactory, Parser};
use exit::{Exit, Fault};
use permissions_args::ShellAction;
use print::Printer;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Started again by a run, to end the command of a call even when the run itself is killed.
    if let Some(code) = pegboard::process::supervisor::serve(std::env::args_os()) {
        return code.into();
    }
    if guard::is_meant(std::env::args_os()) {
        return guard::main();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            Printer { quiet: false }.error(&first_words(&error.to_string()));
            return Exit::Usage.into();
        }
        Err(error) => {
            // Help or the version. When the stream is gone there is nobody to tell.
            let _ = error.print();
            return Exit::Done.into();
        }
    };
    let printer = Printer { quiet: is_quiet(&cli.command) };
    match start(&cli.command, &printer) {
        Ok(exit) => exit.into(),
        Err(fault) => {
            printer.error(&fault.text);
            fault.exit.into()
        }
    }
}

/// What is wrong with the arguments, on one line: the parser's words up to the usage.
fn first_words(text: &str) -> String {
    let lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let words = lines.join("; ");
    format!("{}; see `pegboard help`", words.strip_prefix("error: ").unwrap_or(&words))
}

fn start(command: &Command, printer: &Printer) -> Result<Exit, Fault> {
    match command {
        Command::Run(args) => block_on(run::run(args, printer))?,
        Command::Stream(args) => block_on(stream::stream(args, printer))?,
        Command::Undo(args) => block_on(undo::undo(args, printer))?,
        Command::Tools(args) => tools::tools(&args.action, printer),
        Command::Permissions(args) => match &args.action {
            PermissionsAction::Check(args) => block_on(check::check(args, printer))?,
            PermissionsAction::Explain(args) => block_on(explain::explain(args, printer))?,
            PermissionsAction::Test(args) => block_on(policy_tests::test(args, printer))?,
            PermissionsAction::Lint(args) => lint::run(args, printer),
            PermissionsAction::Replay(args) => block_on(replay::replay(args, printer))?,
        },
        Command::Shell(args) => match &args.action {
            ShellAction::Analyze(args) => shell::analyze(args, printer),
        },
        Command::Hooks(args) => block_on(hooks::hooks(&args.action, printer))?,
        Command::Guard(_) => Err(Fault::usage("`guard` has to be the first argument")),
        Command::Trust(args) => trust::trust(args, printer),
        Command::Doctor(args) => doctor::doctor(args, printer),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "pegboard", &mut script);
            printer.out(&String::from_utf8_lossy(&script))?;
            Ok(Exit::Done)
        }
    }
}

/// Runs on one thread; blocking work of tools has threads of its own.
fn block_on<F: Future>(future: F) -> Result<F::Output, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::failed(format!("the runtime did not start: {error}")))?;
    let output = runtime.block_on(future);
    // A question that was withdrawn may still wait for a line; nobody waits for it.
    runtime.shutdown_background();
    Ok(output)
}

fn is_quiet(command: &Command) -> bool {
    match command {
        Command::Run(args) => args.how.common.quiet,
        Command::Stream(args) => args.how.common.quiet,
        Command::Tools(args) => match &args.action {
            ToolsAction::List { common, .. }
            | ToolsAction::Show { common, .. }
            | ToolsAction::Schema { common, .. } => common.quiet,
        },
        Command::Permissions(args) => match &args.action {
            PermissionsAction::Check(args) => args.common.quiet,
            PermissionsAction::Explain(args) => args.common.quiet,
            PermissionsAction::Test(args) => args.common.quiet,
            PermissionsAction::Lint(args) => args.common.quiet,
            PermissionsAction::Replay(args) => args.common.quiet,
        },
        Command::Hooks(args) => args.action.common().quiet,
        Command::Doctor(args) => args.common.quiet,
        Command::Guard(_)
        | Command::Shell(_)
        | Command::Trust(_)
        | Command::Undo(_)
        | Command::Completions { .. } => false,
    }
}
