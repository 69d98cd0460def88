//! What an access validator closes is closed to every tool of this crate: a wrapper around each of them asks before
//! the call is judged and again before it runs. [`line()`] does the same for lines of Bash, as far as their analysis
//! tells, and the wrapper has it look at what other tools give to a shell.

#[cfg(unix)]
mod folders;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod glob;
mod guard;
#[cfg(unix)]
mod line;
mod mention;
#[cfg(unix)]
mod shells;

pub(crate) use guard::guarded;
#[cfg(unix)]
pub(crate) use line::line;

use pegboard_tool_core::ports::ClosedPaths;
use pegboard_tool_core::{AccessMode, ToolContext};
use std::path::Path;

/// Why `path` is closed, as a sentence that names it.
fn why(closed: &dyn ClosedPaths, path: &Path, mode: AccessMode, ctx: &ToolContext) -> Option<String> {
    closed.path(path, mode).map(|reason| format!("{} {reason}", shown(path, ctx)))
}

/// `path` as the model knows it.
fn shown(path: &Path, ctx: &ToolContext) -> String {
    let below = path.strip_prefix(&ctx.cwd).ok().filter(|below| !below.as_os_str().is_empty());
    below.unwrap_or(path).to_string_lossy().into_owned()
}
