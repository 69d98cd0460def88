//! Which work trees EnterWorktree made. A mark in git's own folder of the work tree says so: it is no part of the work
//! tree, and goes when git forgets that.

use super::git::Git;
use super::repository::path_of;
use crate::blocking::blocking;
use crate::session_file;
use pegboard_tool_core::{ToolError, resolve_links};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Name of the mark.
const FILE: &str = "pegboard-made";
/// What it holds.
const TEXT: &[u8] = b"made by EnterWorktree\n";
/// Most bytes of a path that git notes.
const MOST_PATH: usize = 64 * 1024;

/// Notes that the work tree at `path` was made here.
///
/// # Errors
/// When that cannot be written.
pub(super) async fn put(git: &Git, checkout: &Path, path: &Path) -> Result<(), ToolError> {
    let failed =
        |why: &str| ToolError::failed(format!("the work tree could not be marked as made here: {why}"));
    let Some(folder) = own_folder(git, checkout, path).await? else {
        return Err(failed("git does not know it"));
    };
    blocking(move || {
        let made = OpenOptions::new().write(true).create_new(true).open(folder.join(FILE));
        made.and_then(|mut file| file.write_all(TEXT)).map_err(|error| failed(&error.kind().to_string()))
    })
    .await
}

/// Whether the work tree at `path`, which may be gone, was made here.
///
/// # Errors
/// When git does not say where its own folders are.
pub(super) async fn is_on(git: &Git, checkout: &Path, path: &Path) -> Result<bool, ToolError> {
    let Some(folder) = own_folder(git, checkout, path).await? else { return Ok(false) };
    let text = blocking(move || Ok(session_file::read(&folder, FILE, TEXT.len()))).await?;
    Ok(matches!(text, Ok(Some(text)) if text == TEXT))
}

/// Git's own folder of the work tree at `path`.
async fn own_folder(git: &Git, checkout: &Path, path: &Path) -> Result<Option<PathBuf>, ToolError> {
    let what = "what git knows of the work tree cannot be found";
    let ran = git.must(checkout, ["rev-parse", "--git-common-dir"], what).await?;
    let common = checkout.join(path_of(ran.output.strip_suffix(b"\n").unwrap_or(&ran.output)));
    let path = path.to_path_buf();
    blocking(move || Ok(among(&common.join("worktrees"), &path))).await
}

/// The one among git's `folders` that is about the work tree at `path`.
fn among(folders: &Path, path: &Path) -> Option<PathBuf> {
    let wanted = resolve_links(path).ok()?;
    let entries = fs::read_dir(folders).ok()?.flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).find(
        |folder| {
            let Ok(Some(noted)) = session_file::read(folder, "gitdir", MOST_PATH) else { return false };
            // The `.git` of the work tree; from git 2.48 on it may be relative to this folder.
            let pointer = folder.join(path_of(noted.trim_ascii_end()));
            pointer.parent().is_some_and(|tree| resolve_links(tree).is_ok_and(|tree| tree == wanted))
        },
    )
}
