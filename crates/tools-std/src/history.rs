//! Keeps what files held before a tool changes them, where a history is kept at all.

use crate::services::Services;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::path::{Path, PathBuf};

/// Keeps what is at `path` before a call changes it.
///
/// # Errors
/// When it cannot be kept: the file must stay as it is then.
pub(crate) fn keep(services: &Services, ctx: &ToolContext, path: &Path) -> Result<(), ToolError> {
    let Some(history) = &services.history else { return Ok(()) };
    history.before_change(&ctx.call_id, path).map_err(|error| {
        let text = "nothing was changed, because what the file holds now could not be kept for an undo";
        let operator = format!("{text}: {error}: {}", error.source);
        ToolError::new(ErrorKind::Unavailable, text).with_operator_text(operator).with_source(error)
    })
}

/// Notes how `path` looks after the change. A failure is no failure of the call: the change is made, and an undo
/// will say that it cannot tell who made it.
pub(crate) fn changed(services: &Services, ctx: &ToolContext, path: &Path) {
    if let Some(history) = &services.history {
        let _ = history.after_change(&ctx.call_id, path);
    }
}

/// What a command line is known to change.
#[cfg(unix)]
pub(crate) mod command {
    use super::{PathBuf, ToolContext};
    use pegboard_tool_core::ports::{CommandReport, FileAccess, FileUse};
    use pegboard_tool_core::resolve_links;
    use std::path::Path;

    /// Most files of folders that are removed.
    const MOST_FILES: usize = 10_000;

    /// The paths that the line is known to write or remove, links resolved, outer folders last.
    pub(crate) fn paths(report: &CommandReport, ctx: &ToolContext) -> Vec<PathBuf> {
        let moves = report.commands.iter().any(|command| {
            command.program.as_deref().is_none_or(|program| matches!(program, "cd" | "pushd" | "popd"))
        });
        let mut found = Vec::new();
        for file in &report.files {
            if let Some(path) = known(file, ctx, moves) {
                add(&path, file, &mut found);
            }
        }
        found.dedup();
        found
    }

    fn known(file: &FileUse, ctx: &ToolContext, moves: bool) -> Option<PathBuf> {
        if file.access == FileAccess::Read || file.has_glob {
            return None;
        }
        let named = Path::new(file.path.as_deref()?);
        // Where a relative path leads is not known once the line changes its folder.
        if moves && !named.is_absolute() || named.starts_with("/dev") {
            return None;
        }
        let path = ctx.absolute(named);
        match file.access {
            // A link that is removed is itself what goes.
            FileAccess::Remove => Some(resolve_links(path.parent()?).ok()?.join(path.file_name()?)),
            FileAccess::Write | FileAccess::Read => resolve_links(&path).ok(),
        }
    }

    fn add(path: &Path, file: &FileUse, found: &mut Vec<PathBuf>) {
        let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        match file.access {
            FileAccess::Remove if is_folder => {
                if file.is_deep {
                    below(path, found);
                }
                found.push(path.to_path_buf());
            }
            _ if is_folder => {}
            _ => found.push(path.to_path_buf()),
        }
    }

    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            if found.len() >= MOST_FILES {
                return;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                below(&entry.path(), found);
            }
            found.push(entry.path());
        }
    }
}
