//! Arguments of `pegboard hooks`.

use crate::args::{CommonArgs, Format};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    pub(crate) action: HooksAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksAction {
    /// List the configured hooks, and say which would run and why the others would not
    List(Box<ListArgs>),
    /// Fire an event: run its hooks and show what they say together
    Fire(Box<FireArgs>),
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Only this event
    pub(crate) event: Option<String>,
    /// As it would be for a call of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Input of that call, JSON; `-` is standard input
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) input: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Args, Debug)]
pub(crate) struct FireArgs {
    /// Name of the event, such as PreToolUse
    pub(crate) event: String,
    /// Its input, JSON; common fields that are missing are filled in; `-` is standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) input: String,
    /// Folder of the session; by default a new one in the state folder
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl HooksAction {
    /// The options that all commands have.
    pub(crate) fn common(&self) -> &CommonArgs {
        match self {
            Self::List(args) => &args.common,
            Self::Fire(args) => &args.common,
        }
    }
}
