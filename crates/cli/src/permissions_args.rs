//! Arguments of `permissions explain|test|lint|replay` and of `shell analyze`.

use crate::args::{CommonArgs, Format};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The call as it would stand in a rule, such as 'Bash(git push)' or 'Read(./.env)'
    #[arg(conflicts_with_all = ["tool", "command"], required_unless_present_any = ["tool", "command"])]
    pub(crate) call: Option<String>,
    /// Name of the tool
    #[arg(long, requires = "input")]
    pub(crate) tool: Option<String>,
    /// Input of the call, JSON; `-` is stdin
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) input: Option<String>,
    /// A command line for Bash
    #[arg(long, value_name = "LINE", conflicts_with = "tool")]
    pub(crate) command: Option<String>,
    /// Also say the narrowest rule that would let the call run
    #[arg(long)]
    pub(crate) suggest: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Args, Debug)]
pub(crate) struct TestArgs {
    /// One test a line: a call of `permissions check --calls` with "expect" and optionally "also"; `-` is stdin
    pub(crate) file: PathBuf,
    /// Do not run the `setup` lines of tests
    #[arg(long)]
    pub(crate) no_setup: bool,
    /// Debatable tests count like all others
    #[arg(long)]
    pub(crate) strict: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Args, Debug)]
pub(crate) struct LintArgs {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// Folder or journal of a session, or a file of `--events`; `-` is stdin
    pub(crate) session: PathBuf,
    /// Also list the calls that would be decided as they were
    #[arg(long)]
    pub(crate) all: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ShellArgs {
    #[command(subcommand)]
    pub(crate) action: ShellAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShellAction {
    /// Say what a command line would run, read, write, remove and reach, as JSON; nothing runs
    Analyze(AnalyzeArgs),
}

#[derive(Args, Debug)]
pub(crate) struct AnalyzeArgs {
    /// The command line; stdin when absent or `-`. With `--jsonl` a file of lines
    #[arg(allow_hyphen_values = true)]
    pub(crate) command: Option<String>,
    /// Read {"id","command"} lines and answer each on a line of its own
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Working directory of the shell
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// How to print; JSON in any case
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,
}
