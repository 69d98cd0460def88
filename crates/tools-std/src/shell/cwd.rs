//! Where later commands start: `cd` carries over inside the project and its added directories.

use pegboard_tool_core::ToolContext;
use std::fs::canonicalize;
use std::path::{Path, PathBuf};

/// What a `cd` comes to.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Moved {
    /// The new working directory.
    pub(crate) change: Option<PathBuf>,
    /// What the model is told when the `cd` does not carry over.
    pub(crate) reset: Option<String>,
}

pub(crate) fn reset_notice(to: &Path) -> String {
    format!("Shell cwd was reset to {}", to.display())
}

/// What comes of a line that may have moved the shell and did not tell where it ended.
pub(crate) fn unknown(ctx: &ToolContext) -> Moved {
    let why = "where the line ended is not known, as with an EXIT trap of its own, `exec`, or a folder that is gone";
    Moved { change: None, reset: Some(format!("{} ({why})", reset_notice(&ctx.cwd))) }
}

/// Decides about the directory in which the shell ended.
pub(crate) fn carry(ctx: &ToolContext, shell_cwd: Option<PathBuf>) -> Moved {
    let Some(shell_cwd) = shell_cwd.and_then(|cwd| canonicalize(cwd).ok()) else { return Moved::default() };
    if canonicalize(&ctx.cwd).is_ok_and(|cwd| cwd == shell_cwd) {
        return Moved::default();
    }
    if ctx.agent_id.is_some() {
        return Moved { change: None, reset: Some(reset_notice(&ctx.cwd)) };
    }
    let stays = ctx.env.get("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR").is_some_and(|value| value == "1");
    // In a work tree that was entered, that is where the session is at home.
    let home =
        crate::worktree::Entered::of(ctx).map_or_else(|| ctx.project_dir.clone(), |entered| entered.path);
    let roots = [&home, &ctx.project_dir].into_iter().chain(&ctx.directories);
    let inside = roots.filter(|_| !stays).find_map(|root| {
        // The name that people know of the root is kept, links in it included.
        let below = shell_cwd.strip_prefix(canonicalize(root).ok()?).ok()?;
        Some(if below.as_os_str().is_empty() { root.clone() } else { root.join(below) })
    });
    match inside {
        Some(path) => Moved { change: Some(path), reset: None },
        None => Moved { change: (ctx.cwd != home).then(|| home.clone()), reset: Some(reset_notice(&home)) },
    }
}
