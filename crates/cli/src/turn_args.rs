//! Arguments of the commands that run the calls of a message.

use crate::args::{ApproveBy, CommonArgs, Format};
use clap::{Args, ValueEnum};
use pegboard::scheduler::{Schedule, Start};
use std::path::PathBuf;

/// What `run` and `stream` have in common.
#[derive(Args, Debug)]
pub(crate) struct TurnArgs {
    /// Form of the message; guessed when absent
    #[arg(long, value_name = "FORM")]
    pub(crate) wire: Option<String>,
    /// Which calls run beside each other: shared ones that follow each other, or all that do not conflict
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub(crate) schedule: ScheduleBy,
    /// Folder of the session; by default a new one in the state folder
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// Who answers questions: nobody, or a person at the terminal
    #[arg(long, value_name = "WHO")]
    pub(crate) approve: Option<ApproveBy>,
    /// Write a JSON line for every phase of every call; `-` is stderr
    #[arg(long, value_name = "FILE|-")]
    pub(crate) events: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// The assistant message: a file, or `-` for standard input (the default)
    pub(crate) turn: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: TurnArgs,
}

/// Arguments of `stream`.
#[derive(Args, Debug)]
pub(crate) struct StreamArgs {
    /// When a call may begin: when its block is complete, then only if it just reads, or when the message ended
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) start: StartAt,
    /// Also write the assembled assistant message to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) message: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: TurnArgs,
}

/// Arguments of `undo`.
#[derive(Args, Debug)]
pub(crate) struct UndoArgs {
    /// List the turns that changed files, and put nothing back
    #[arg(long, conflicts_with_all = ["turn", "force"])]
    pub(crate) list: bool,
    /// Which session: its id, or its folder; by default the last one of this folder that changed files
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<PathBuf>,
    /// Which turn of it; by default the last one that changed files and was not undone
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u64>,
    /// Put files back although somebody else changed them since
    #[arg(long)]
    pub(crate) force: bool,
    /// Working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ScheduleBy {
    #[default]
    Batches,
    Conflicts,
}

impl From<ScheduleBy> for Schedule {
    fn from(by: ScheduleBy) -> Self {
        match by {
            ScheduleBy::Batches => Self::Batches,
            ScheduleBy::Conflicts => Self::Conflicts,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum StartAt {
    #[default]
    Block,
    ReadOnly,
    End,
}

impl From<StartAt> for Start {
    fn from(at: StartAt) -> Self {
        match at {
            StartAt::Block => Self::Block,
            StartAt::ReadOnly => Self::ReadOnly,
            StartAt::End => Self::End,
        }
    }
}
