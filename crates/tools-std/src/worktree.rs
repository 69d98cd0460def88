//! Work trees of git: EnterWorktree makes or enters one and moves the session there, ExitWorktree goes back.
//!
//! Work trees are in `.claude/worktrees/<name>` of the checkout, on a branch `worktree-<name>`. Where the session
//! came from is kept in the context ([`EXTENSION`]), so that it is replayed with it, and in the folder of the session, so
//! that its next process begins there ([`resume`]).

mod enter;
mod exit;
mod git;
mod mark;
mod name;
mod place;
mod repository;
mod resume;
mod state;

pub use enter::{EnterWorktree, EnterWorktreeInput, EnterWorktreeOutput};
pub use exit::{ExitAction, ExitWorktree, ExitWorktreeInput, ExitWorktreeOutput};
pub use resume::{Resumed, resume};
pub use state::{EXTENSION, Entered};

use crate::Services;
use crate::families::Made;
use crate::program;
use pegboard_tool_core::{Availability, ToolEnv, dyn_tool};

/// The tools of this family.
pub(crate) fn tools(_services: &Services) -> Made {
    Ok(vec![dyn_tool(EnterWorktree::new())?, dyn_tool(ExitWorktree::new())?])
}

/// There with its flag, where git is.
fn availability(env: &ToolEnv) -> Availability {
    match crate::simple::by_flag(env, &["worktree"]) {
        Availability::Here if program::find_in("git", env.path.iter().cloned()).is_none() => {
            Availability::Absent("git is not on PATH".to_owned())
        }
        other => other,
    }
}
