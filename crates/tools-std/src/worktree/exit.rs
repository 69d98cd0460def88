//! ExitWorktree: back to where the session came from. Removes the work tree when asked to, but nothing that is
//! nowhere else unless it is told to discard it.

use super::git::{Git, words};
use super::repository::{self, Losses, Registered};
use super::state::{Entered, leave};
use super::{availability, enter, mark, name, place, resume};
use crate::input::with_alias;
use pegboard_tool_core::{
    Access, Accesses, Availability, Concurrency, Effects, ErrorKind, InvalidInput, Progress, Resource,
    ResultContent, Tool, ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput, Violation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Leaves work trees.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ExitWorktree {}

/// What becomes of the work tree.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum ExitAction {
    /// It stays, with its branch.
    Keep,
    /// It is removed, with its branch.
    Remove,
}

/// Input of [`ExitWorktree`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ExitWorktreeInput {
    /// `keep` leaves the work tree and its branch on disk, `remove` deletes both.
    pub action: ExitAction,
    /// With `remove`: also delete changes and commits that are nowhere else. Only after the user agreed.
    #[serde(default)]
    pub discard_changes: bool,
}

/// Output of [`ExitWorktree`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExitWorktreeOutput {
    /// What was done with it.
    pub action: ExitAction,
    /// The work tree that was left.
    pub worktree_path: PathBuf,
    /// The working directory from now on.
    pub cwd: PathBuf,
    /// What else the reader must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl ExitWorktree {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ExitWorktreeInput {
    fn discards(&self) -> bool {
        self.action == ExitAction::Remove && self.discard_changes
    }
}

impl Tool for ExitWorktree {
    type Input = ExitWorktreeInput;
    type Output = ExitWorktreeOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "ExitWorktree"
    }

    fn description(&self) -> String {
        "Leaves the work tree that EnterWorktree entered and goes back to the former working directory. `keep` leaves \
         it on disk; `remove` deletes it with its branch, and is refused when changes or commits would be lost, \
         unless discard_changes says so. Ignored files go with it."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.effects = Effects::Destructive;
        definition.examples = vec![serde_json::json!({"action": "keep"})];
        with_alias(definition, "exit_worktree")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        availability(env)
    }

    fn concurrency(&self, _input: &ExitWorktreeInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    /// Without `discard_changes` nothing is lost that is not elsewhere too.
    fn effects(&self, input: &ExitWorktreeInput, _ctx: &ToolContext) -> Effects {
        if input.discards() { Effects::Destructive } else { Effects::Writes }
    }

    /// The state of the session, and the work tree when what is in it may be lost.
    fn accesses(&self, input: &ExitWorktreeInput, ctx: &ToolContext) -> Accesses {
        let state = Access::write(Resource::State("worktree".into()));
        match Entered::of(ctx).filter(|_| input.discards()) {
            Some(entered) => Accesses::Only(Arc::from([state, Access::write(Resource::Tree(entered.path))])),
            None => Accesses::Only(Arc::from([state])),
        }
    }

    fn time_limit(&self, _input: &ExitWorktreeInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(enter::TIME_LIMIT)
    }

    async fn validate(&self, input: &ExitWorktreeInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        if input.action == ExitAction::Keep && input.discard_changes {
            let text = "`discard_changes` goes with `remove` only; `keep` discards nothing";
            return Err(InvalidInput::with_violations(text, vec![Violation::new("/discard_changes", text)]));
        }
        Ok(())
    }

    fn describe(&self, input: &ExitWorktreeInput) -> String {
        match (input.action, input.discard_changes) {
            (ExitAction::Keep, _) => "ExitWorktree, which stays".to_owned(),
            (ExitAction::Remove, false) => "ExitWorktree and remove it".to_owned(),
            (ExitAction::Remove, true) => "ExitWorktree and remove it with all changes in it".to_owned(),
        }
    }

    async fn call(
        &self,
        input: ExitWorktreeInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<ExitWorktreeOutput>, ToolError> {
        let entered = Entered::of(&ctx).ok_or_else(|| {
            let text = "the session is in no work tree that EnterWorktree entered; there is nothing to leave";
            ToolError::new(ErrorKind::Conflict, text)
        })?;
        let mut notices = Vec::new();
        let cwd = back(&entered, &ctx, &mut notices)?;
        match input.action {
            ExitAction::Keep if !entered.path.is_dir() => {
                notices.push("the folder of the work tree is gone".to_owned());
            }
            ExitAction::Keep => {}
            ExitAction::Remove => remove(&entered, input.discard_changes, &ctx, &mut notices).await?,
        }
        notices.extend(resume::forget(&ctx).await);
        #[cfg(feature = "lsp")]
        if input.action == ExitAction::Remove {
            crate::lsp::stop_below(&ctx.session, &entered.path);
        }
        let output = ExitWorktreeOutput {
            action: input.action,
            worktree_path: entered.path,
            cwd: cwd.clone(),
            notices,
        };
        Ok(ToolOutput::new(output).with_change(leave(cwd)))
    }

    fn to_result(&self, output: &ExitWorktreeOutput) -> Vec<ResultContent> {
        let path = output.worktree_path.display();
        let what = match output.action {
            ExitAction::Keep => format!("Left the work tree {path}; it stays on disk."),
            ExitAction::Remove => format!("Removed the work tree {path}."),
        };
        let mut text = format!("{what} The working directory is now {}.", output.cwd.display());
        for notice in &output.notices {
            text.push_str(&format!("\n[{notice}]"));
        }
        vec![ResultContent::Text(text)]
    }
}

/// Where the session goes: where it came from, or as near as that still exists.
fn back(entered: &Entered, ctx: &ToolContext, notices: &mut Vec<String>) -> Result<PathBuf, ToolError> {
    if entered.from.is_dir() {
        return Ok(entered.from.clone());
    }
    let mut others = [&entered.checkout, &ctx.project_dir].into_iter();
    let Some(other) = others.find(|other| other.is_dir()) else {
        let text =
            "the folder that the session came from is gone, and so is its project; it stays where it is";
        return Err(ToolError::new(ErrorKind::NotFound, text));
    };
    notices.push("the folder that the session came from is gone".to_owned());
    Ok(other.clone())
}

async fn remove(
    entered: &Entered,
    discards: bool,
    ctx: &ToolContext,
    notices: &mut Vec<String>,
) -> Result<(), ToolError> {
    let path = &entered.path;
    let in_folder = path.parent() == Some(place::folder(&entered.checkout).as_path());
    let Some(own) = entered.name.as_deref().filter(|own| in_folder && name::problem(own).is_none()) else {
        return Err(not_ours(path));
    };
    let branch = name::branch(own);
    let mut git = Git::new(ctx)?;
    if !ctx.trusted {
        git.without_filters(&entered.checkout).await?;
    }
    let all = repository::registered(&git, &entered.checkout).await?;
    let Some(found) = repository::at(&all, path) else {
        let what = if path.symlink_metadata().is_ok() {
            "is no work tree of the repository any more; its folder was left alone"
        } else {
            "was removed by somebody else already"
        };
        notices.push(format!("{} {what}", path.display()));
        return Ok(());
    };
    if !mark::is_on(&git, &entered.checkout, path).await? {
        return Err(not_ours(path));
    }
    removable(&all, found)?;
    let with_branch = (repository::commit(&git, &entered.checkout, &format!("refs/heads/{branch}")).await?)
        .map(|commit| (branch, commit));
    let is_there = path.is_dir();
    if is_there && !discards {
        let losses = Losses::of(&git, path, with_branch.as_ref().map(|(branch, _)| branch.as_str())).await?;
        if !losses.is_empty() {
            let text = format!(
                "the work tree was not removed, this would be lost:\n{}\nCommit and merge or push it, leave with \
                 action keep, or set discard_changes after the user agreed",
                losses.words()
            );
            return Err(ToolError::new(ErrorKind::Conflict, text));
        }
    }
    // Without force git looks again itself, so that a file written at this very moment is not lost.
    let mut arguments = words([&"worktree", &"remove"]);
    if discards {
        arguments.push("--force".into());
    }
    arguments.push(found.path.clone().into());
    git.must(&entered.checkout, arguments, "the work tree was not removed").await?;
    if !is_there {
        notices.push("its folder was gone already".to_owned());
    }
    if let Some((branch, commit)) = with_branch {
        forget_branch(&git, entered, &branch, &commit, is_there || discards, notices).await?;
    }
    Ok(())
}

fn not_ours(path: &Path) -> ToolError {
    let text = format!(
        "{} was not made by EnterWorktree and is not removed; leave it with action keep",
        path.display()
    );
    ToolError::new(ErrorKind::Forbidden, text)
}

/// Refuses a work tree that is locked or has another one inside.
fn removable(all: &[Registered], found: &Registered) -> Result<(), ToolError> {
    let refused = |text: String| Err(ToolError::new(ErrorKind::Conflict, text));
    if let Some(reason) = &found.locked {
        let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        return refused(format!(
            "the work tree is locked{reason} and was not removed; unlock it with `git worktree unlock`, or leave with \
             action keep"
        ));
    }
    let inside = all.iter().find(|one| one.path != found.path && one.path.starts_with(&found.path));
    match inside {
        Some(one) => refused(format!(
            "another work tree is inside, {}; remove that first, or leave with action keep",
            one.path.display()
        )),
        None => Ok(()),
    }
}

/// Deletes the branch of a removed work tree, if it is still at the commit that was looked at.
async fn forget_branch(
    git: &Git,
    entered: &Entered,
    branch: &str,
    commit: &str,
    was_checked: bool,
    notices: &mut Vec<String>,
) -> Result<(), ToolError> {
    if !was_checked {
        notices.push(format!("its branch {branch} was kept"));
        return Ok(());
    }
    let checkout: &Path = &entered.checkout;
    let all = repository::registered(git, checkout).await?;
    let is_used = all.iter().any(|one| one.branch.as_deref() == Some(branch));
    let name = format!("refs/heads/{branch}");
    if !is_used && git.run(checkout, ["update-ref", "-d", &name, commit]).await?.succeeded {
        notices.push(format!(
            "its branch {branch} was deleted, it was at {}",
            commit.get(..12).unwrap_or(commit)
        ));
    } else {
        notices.push(format!("its branch {branch} is used elsewhere and was kept"));
    }
    Ok(())
}
