//! Where work trees are, by the file system alone: known before a call is judged.

use super::name;
use pegboard_tool_core::{ContextSnapshot, ErrorKind, ToolContext, ToolError, resolve_links};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Folder of the work trees, below the checkout.
const FOLDER: [&str; 2] = [".claude", "worktrees"];

/// The checkout around `folder`: the nearest one above with a `.git`.
pub(super) fn checkout(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())
}

/// The folder of the work trees of a checkout.
pub(super) fn folder(checkout: &Path) -> PathBuf {
    checkout.join(FOLDER[0]).join(FOLDER[1])
}

/// What a call is about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Target {
    /// The work tree of this name, at this path.
    Named { name: String, path: PathBuf },
    /// The existing work tree at this path.
    Existing(PathBuf),
}

/// What a call with this name or path is about; `None` outside of a checkout.
pub(super) fn target(given_name: Option<&str>, path: Option<&str>, ctx: &ToolContext) -> Option<Target> {
    if let Some(path) = path {
        return Some(Target::Existing(ctx.absolute(path)));
    }
    let name = given_name.map_or_else(|| name::of_session(ctx), str::to_owned);
    let path = folder(checkout(&ctx.cwd)?).join(&name);
    Some(Target::Named { name, path })
}

/// Whether `path`, links resolved, is directly in the folder of the checkout around the working directory.
pub(super) fn is_in_folder(path: &Path, ctx: &ContextSnapshot) -> bool {
    let Some(checkout) = checkout(&ctx.cwd) else { return false };
    match (resolve_links(path), resolve_links(&folder(checkout))) {
        (Ok(path), Ok(folder)) => path.parent() == Some(folder.as_path()),
        _ => false,
    }
}

/// Makes the folder for the work tree at `canonical`, with an ignore file that keeps all of it out of commits and
/// searches of the checkout.
///
/// # Errors
/// When it cannot be made, or leads elsewhere by now.
pub(super) fn make(canonical: &Path) -> Result<(), ToolError> {
    let Some(folder) = canonical.parent() else { return Err(moved()) };
    std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    if !std::fs::canonicalize(folder).is_ok_and(|real| real == folder) {
        return Err(moved());
    }
    match OpenOptions::new().write(true).create_new(true).open(folder.join(".gitignore")) {
        Ok(mut file) => file.write_all(b"*\n").map_err(|error| failed(&error)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

fn moved() -> ToolError {
    let text =
        "the folder for work trees changed since it was approved; nothing was done, make the call again";
    ToolError::new(ErrorKind::Conflict, text)
}

fn failed(error: &io::Error) -> ToolError {
    let text = format!("the folder .claude/worktrees cannot be made: {}", error.kind());
    ToolError::new(ErrorKind::Forbidden, text).with_operator_text(error.to_string())
}
