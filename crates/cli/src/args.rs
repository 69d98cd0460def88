//! Arguments of the command.

use crate::guard::GuardArgs;
use crate::hooks_args::HooksArgs;
use crate::permissions_args::{ExplainArgs, LintArgs, ReplayArgs, ShellArgs, TestArgs};
use crate::turn_args::{RunArgs, StreamArgs, UndoArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use pegboard::PermissionMode;
use std::ffi::OsString;
use std::path::PathBuf;

/// Turns the tool calls of a language model into actions, and answers each with one result.
#[derive(Debug, Parser)]
#[command(name = "pegboard", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the tool calls of an assistant message and print their results
    Run(Box<RunArgs>),
    /// Run the tool calls of a message that still arrives: server-sent events or JSON lines on stdin
    Stream(Box<StreamArgs>),
    /// Put back the files that a turn changed
    Undo(UndoArgs),
    /// Show the tools of this configuration
    Tools(Box<ToolsArgs>),
    /// Ask the permission rules
    Permissions(PermissionsArgs),
    /// Show what hooks would run, and run those of an event
    Hooks(HooksArgs),
    /// Answer the hook of another agent: one event on stdin, one answer
    Guard(Box<GuardArgs>),
    /// Look into shell command lines
    Shell(ShellArgs),
    /// Trust the settings of a folder
    Trust(TrustArgs),
    /// Check the installation and this configuration
    Doctor(Box<DoctorArgs>),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Args, Debug)]
pub(crate) struct CommonArgs {
    /// Working directory; project settings are looked for in it
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// One more working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// More settings, a file or JSON text
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) settings: Vec<OsString>,
    /// Which settings files are read: a list of user, project, local; empty for none
    #[arg(long, value_name = "LIST")]
    pub(crate) setting_sources: Option<String>,
    /// Permission mode: default, acceptEdits, plan, auto, dontAsk, bypassPermissions
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<PermissionMode>,
    /// Let calls run that match a rule, such as 'Bash(git *)'
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
    /// Put calls to a person that match a rule
    #[arg(long, value_name = "RULE")]
    pub(crate) ask: Vec<String>,
    /// Refuse calls that match a rule
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// Turn on a feature flag
    #[arg(long, value_name = "NAME")]
    pub(crate) flag: Vec<String>,
    /// Also read the `.claude` files
    #[arg(long, value_name = "AGENT")]
    pub(crate) compat: Option<CompatWith>,
    /// Skip settings files that cannot be read, with a warning, instead of stopping
    #[arg(long)]
    pub(crate) lenient_settings: bool,
    /// Say nothing on stderr but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum CompatWith {
    Claude,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ApproveBy {
    Never,
    Prompt,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    pub(crate) action: ToolsAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsAction {
    /// List the tools that the model is offered
    List {
        /// Also list the absent ones, with the reason
        #[arg(long)]
        all: bool,
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Show one tool
    Show {
        /// Name or alias
        name: String,
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Print the definitions as they are sent to the model
    Schema {
        /// Form of the definitions
        #[arg(long, value_name = "FORM", default_value = "anthropic")]
        wire: String,
        #[command(flatten)]
        common: CommonArgs,
    },
}

#[derive(Args, Debug)]
pub(crate) struct PermissionsArgs {
    #[command(subcommand)]
    pub(crate) action: PermissionsAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionsAction {
    /// Decide about calls and say why, as JSON; nothing runs and nobody is asked
    Check(Box<CheckArgs>),
    /// Explain a decision to people: every step, its rule, file and line
    Explain(Box<ExplainArgs>),
    /// Test the rules: each line is a call with the verdict that it must get
    Test(Box<TestArgs>),
    /// Find rules that never match, are shadowed, or mean something else than they look
    Lint(Box<LintArgs>),
    /// Show which recorded calls would be decided otherwise by these rules
    Replay(Box<ReplayArgs>),
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Name of the tool
    #[arg(long, requires = "input", conflicts_with = "calls", required_unless_present = "calls")]
    pub(crate) tool: Option<String>,
    /// Input of the call, JSON; `-` is stdin
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) input: Option<String>,
    /// One call a line: {"id","tool","input"} and optionally settings, mode, cwd; `-` is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) calls: Option<PathBuf>,
    /// How to print; JSON in any case
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    _idle: IdleArgs,
}

/// Options that every command takes and that mean nothing where nothing runs.
#[derive(Args, Debug)]
pub(crate) struct IdleArgs {
    /// Who answers questions
    #[arg(long, value_enum, hide = true)]
    pub(crate) approve: Option<ApproveBy>,
    /// Folder of the session
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) session_dir: Option<PathBuf>,
    /// Where events go
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) events: Option<PathBuf>,
    /// MCP servers
    #[arg(long, value_name = "FILE|JSON", hide = true)]
    pub(crate) mcp_config: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct TrustArgs {
    /// Which folder; by default this one
    pub(crate) dir: Option<PathBuf>,
    /// List what is trusted
    #[arg(long, conflicts_with_all = ["revoke", "dir"])]
    pub(crate) list: bool,
    /// Take the trust away
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Accept without a question
    #[arg(long, short, conflicts_with = "revoke")]
    pub(crate) yes: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
