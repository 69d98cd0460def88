//! The work tree of a session that goes on in another process: kept in the folder of the session, and believed only as
//! far as git knows it.

use super::git::Git;
use super::place;
use super::repository::{self, Registered};
use super::state::Entered;
use crate::blocking::blocking;
use crate::session_file;
use pegboard_tool_core::{ContextChange, ToolContext, ToolError, resolve_links};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Component, Path, PathBuf};

/// The file, in the folder of the session.
const FILE: &str = "worktree.json";
/// Most bytes of it.
const MOST_BYTES: usize = 64 * 1024;

/// What a session that goes on finds of the work tree that it was in.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resumed {
    /// Moves the session there; nothing when it cannot be there any more.
    pub change: Option<ContextChange>,
    /// What became of it, in words for the operator.
    pub notice: String,
}

#[derive(Deserialize, Serialize)]
struct Record {
    entered: Entered,
    /// Working directory after it was entered.
    cwd: PathBuf,
}

/// The work tree that an earlier process of the session in `ctx` entered and did not leave; `None` when there is none.
/// To be asked before the first call.
pub async fn resume(ctx: &ToolContext) -> Option<Resumed> {
    let folder = folder_of(ctx)?;
    let here = ctx.cwd.display();
    let stays =
        |why: String| Some(Resumed { change: None, notice: format!("{why}; this run starts in {here}") });
    let record = match load(&folder).await {
        Ok(record) => record?,
        Err(error) => return stays(format!("which work tree the session is in cannot be read ({error})")),
    };
    let tree = record.entered.path.display().to_string();
    match find(&record, ctx).await {
        Ok(Found::There(cwd)) => Some(Resumed {
            notice: format!("the session is in the work tree {tree}: this run starts in {}", cwd.display()),
            change: Some(record.entered.enter(cwd)),
        }),
        Ok(Found::Elsewhere) => {
            stays(format!("the session is in the work tree {tree}, which is of another checkout"))
        }
        Ok(Found::Gone) => {
            // Said once.
            drop(forget(ctx).await);
            stays(format!("the work tree {tree} that the session was in is gone"))
        }
        Err(error) => stays(format!(
            "the session is in the work tree {tree}, and git does not say whether that is still there ({})",
            error.model_text
        )),
    }
}

/// Keeps for the next process of the session that it entered a work tree. Says so when it cannot.
pub(super) async fn keep(entered: &Entered, cwd: &Path, ctx: &ToolContext) -> Option<String> {
    let folder = folder_of(ctx)?;
    let record = Record { entered: entered.clone(), cwd: cwd.to_path_buf() };
    let kept = blocking(move || {
        let text = serde_json::to_vec(&record).map_err(io::Error::other);
        Ok(text.and_then(|text| session_file::put(&folder, FILE, &text)))
    });
    problem(kept.await)
}

/// Keeps that the session is in no work tree. Says so when it cannot.
pub(super) async fn forget(ctx: &ToolContext) -> Option<String> {
    let folder = folder_of(ctx)?;
    let removed = blocking(move || {
        Ok(match std::fs::remove_file(folder.join(FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        })
    });
    problem(removed.await)
}

fn problem(done: Result<io::Result<()>, ToolError>) -> Option<String> {
    let why = match done {
        Ok(Ok(())) => return None,
        Ok(Err(error)) => error.kind().to_string(),
        Err(error) => error.model_text.into_owned(),
    };
    Some(format!("this cannot be kept for the next run of the session: {why}"))
}

/// The folder that is the session's own. Subagents come and go within a process.
fn folder_of(ctx: &ToolContext) -> Option<PathBuf> {
    ctx.session_dir.clone().filter(|_| ctx.agent_id.is_none())
}

async fn load(folder: &Path) -> io::Result<Option<Record>> {
    let folder = folder.to_path_buf();
    let bytes = blocking(move || Ok(session_file::read(&folder, FILE, MOST_BYTES))).await;
    let Some(bytes) = bytes.map_err(io::Error::other)?? else { return Ok(None) };
    let record: Record = serde_json::from_slice(&bytes)?;
    if is_sound(&record) { Ok(Some(record)) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Whether its paths are such as EnterWorktree gives.
fn is_sound(record: &Record) -> bool {
    let Record { entered: Entered { path, checkout, from, .. }, cwd } = record;
    let is_plain = |path: &Path| {
        path.is_absolute() && !path.components().any(|part| matches!(part, Component::ParentDir))
    };
    [path, checkout, from, cwd].into_iter().all(|path| is_plain(path))
        && from.starts_with(checkout)
        && cwd.starts_with(path)
}

/// What is left of it.
enum Found {
    /// It is there; the working directory in it.
    There(PathBuf),
    /// It is none of the checkout that the process works in.
    Elsewhere,
    Gone,
}

async fn find(record: &Record, ctx: &ToolContext) -> Result<Found, ToolError> {
    let Record { entered, cwd } = record;
    let (tree, checkout) = (real(&entered.path), real(&entered.checkout));
    let is_inside = real(&ctx.cwd).starts_with(&tree);
    if !is_inside && place::checkout(&ctx.cwd).is_none_or(|around| real(around) != checkout) {
        return Ok(Found::Elsewhere);
    }
    if !tree.is_dir() {
        return Ok(Found::Gone);
    }
    let git = Git::new(ctx)?;
    repository::find(&git, &ctx.cwd).await?;
    let all = repository::registered(&git, &ctx.cwd).await?;
    let is_known =
        |path: &Path| repository::at(&all, path).is_some_and(|one: &Registered| one.prunable.is_none());
    if !is_known(&checkout) || !is_known(&tree) {
        return Ok(Found::Gone);
    }
    if is_inside {
        return Ok(Found::There(ctx.cwd.clone()));
    }
    // A link may have come meanwhile.
    let is_there = cwd.is_dir() && real(cwd).starts_with(&tree);
    Ok(Found::There(if is_there { cwd.clone() } else { entered.path.clone() }))
}

fn real(path: &Path) -> PathBuf {
    resolve_links(path).unwrap_or_else(|_| path.to_path_buf())
}
