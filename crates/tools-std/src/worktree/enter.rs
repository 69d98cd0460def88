//! EnterWorktree: makes a work tree, or enters one that exists, and moves the working directory there.

use super::git::{Git, words};
use super::place::{self, Target};
use super::repository::{self, Registered};
use super::state::Entered;
use super::{availability, mark, name, resume};
use crate::blocking::blocking;
use crate::file::judged::judged;
use crate::input::{check_text, make_absolute, with_alias};
use pegboard_tool_core::{
    Access, AccessMode, Accesses, Availability, Concurrency, Effects, ErrorKind, Grant, InvalidInput,
    Progress, Resource, ResultContent, Tool, ToolCheck, ToolContext, ToolDefinition, ToolEnv, ToolError,
    ToolOutput, Violation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Time for all of a call: several git commands, each with a limit of its own.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(900);

/// Makes and enters work trees.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct EnterWorktree {}

/// Input of [`EnterWorktree`].
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EnterWorktreeInput {
    /// Name of the work tree: letters, digits, dots, underscores, dashes; at most 64. One that exists is entered,
    /// else it is made from the present commit. Default: one of the session.
    #[serde(default)]
    pub name: Option<String>,
    /// An existing work tree of this repository to enter instead; not together with `name`.
    #[serde(default)]
    pub path: Option<String>,
}

/// Output of [`EnterWorktree`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EnterWorktreeOutput {
    /// The work tree.
    pub worktree_path: PathBuf,
    /// The branch in it; none when it is on no branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_branch: Option<String>,
    /// The working directory from now on.
    pub cwd: PathBuf,
    /// Whether it was made by this call.
    pub created: bool,
    /// What else the reader must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl EnterWorktree {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl EnterWorktreeInput {
    fn target(&self, ctx: &ToolContext) -> Option<Target> {
        place::target(self.name.as_deref(), self.path.as_deref(), ctx)
    }
}

impl Tool for EnterWorktree {
    type Input = EnterWorktreeInput;
    type Output = EnterWorktreeOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "EnterWorktree"
    }

    fn description(&self) -> String {
        "Makes a git work tree (a second checkout of the repository on a branch of its own) and moves the working \
         directory there, so that changes do not touch the present checkout. It begins at the present commit; \
         uncommitted changes stay where they are. Use it when the user asks for a work tree; leave it with \
         ExitWorktree."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.effects = Effects::Writes;
        definition.examples = vec![serde_json::json!({"name": "fix-login"})];
        with_alias(definition, "enter_worktree")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        availability(env)
    }

    fn concurrency(&self, _input: &EnterWorktreeInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    fn effects(&self, _input: &EnterWorktreeInput, _ctx: &ToolContext) -> Effects {
        Effects::Writes
    }

    /// The work tree. What git notes in its own folder about it is not named: a rule on that would ask each time.
    fn accesses(&self, input: &EnterWorktreeInput, ctx: &ToolContext) -> Accesses {
        match input.target(ctx) {
            Some(Target::Named { path, .. }) => {
                Accesses::Only(Arc::from([Access::write(Resource::Tree(path))]))
            }
            Some(Target::Existing(path)) => Accesses::read_tree(path),
            None => Accesses::nothing(),
        }
    }

    fn time_limit(&self, _input: &EnterWorktreeInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(TIME_LIMIT)
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("path", input, ctx);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &EnterWorktreeInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        let wrong = |field: &str, text: String| {
            Err(InvalidInput::with_violations(text.clone(), vec![Violation::new(format!("/{field}"), text)]))
        };
        match (&input.name, &input.path) {
            (Some(_), Some(_)) => wrong("path", "give `name` or `path`, not both".to_owned()),
            (Some(given), None) => match name::problem(given) {
                Some(problem) => wrong("name", format!("the name of a work tree {problem}")),
                None => Ok(()),
            },
            (None, Some(path)) => check_text("path", path),
            (None, None) => Ok(()),
        }
    }

    async fn check_permissions(&self, input: &EnterWorktreeInput, ctx: &ToolContext) -> ToolCheck {
        match input.target(ctx) {
            Some(Target::Existing(path)) if !place::is_in_folder(&path, ctx) => {
                ToolCheck::Ask("the work tree is outside of the folder .claude/worktrees".to_owned())
            }
            _ => ToolCheck::PassThrough,
        }
    }

    fn describe(&self, input: &EnterWorktreeInput) -> String {
        match (&input.name, &input.path) {
            (_, Some(path)) => format!("EnterWorktree {path}"),
            (Some(name), None) => format!("EnterWorktree {name}"),
            (None, None) => "EnterWorktree".to_owned(),
        }
    }

    async fn call(
        &self,
        input: EnterWorktreeInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<EnterWorktreeOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: EnterWorktreeInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<EnterWorktreeOutput>, ToolError> {
        if let Some(entered) = Entered::of(&ctx) {
            let text = format!(
                "the session is in the work tree {} already; leave it with ExitWorktree first",
                entered.path.display()
            );
            return Err(ToolError::new(ErrorKind::Conflict, text));
        }
        let mut git = Git::new(&ctx)?;
        if !ctx.cwd.is_dir() {
            return Err(ToolError::new(
                ErrorKind::NotFound,
                "the working directory is gone; nothing was done",
            ));
        }
        let repository = repository::find(&git, &ctx.cwd).await?;
        let no_checkout =
            || ToolError::failed("the working directory is in no git repository; nothing was done");
        let checkout = place::checkout(&ctx.cwd).ok_or_else(no_checkout)?.to_path_buf();
        repository::same(&repository, &checkout)?;
        let mut notices = Vec::new();
        if !ctx.trusted {
            let filters = git.without_filters(&checkout).await?;
            if !filters.is_empty() {
                notices.push(format!(
                    "the folder is not trusted: files are as they are stored, without the filter(s) {}",
                    filters.join(", ")
                ));
            }
        }
        let all = repository::registered(&git, &checkout).await?;
        let target = input.target(&ctx).ok_or_else(no_checkout)?;
        let (path, name, found, created) = match target {
            Target::Existing(path) => {
                let canonical = judged(&path, AccessMode::Read, &grant, &path.to_string_lossy())?;
                let found = existing(&all, &canonical, &repository.checkout, &path)?.clone();
                let name = place::is_in_folder(&path, &ctx).then(|| name_of(&path)).flatten();
                (path, name, found, false)
            }
            Target::Named { name, path } => {
                let canonical = judged(&path, AccessMode::Write, &grant, &path.to_string_lossy())?;
                let (found, created) = match repository::at(&all, &canonical) {
                    Some(found) if canonical.is_dir() => (usable(found, &path)?.clone(), false),
                    other => {
                        let head = repository.head.as_deref().ok_or_else(|| {
                            let text =
                                "the repository has no commit yet; a work tree needs one. Nothing was done";
                            ToolError::failed(text)
                        })?;
                        let start = Start { name: &name, head, gone: other };
                        (make(&git, &checkout, &canonical, &start, &mut notices).await?, true)
                    }
                };
                (path, Some(name), found, created)
            }
        };
        if let Some(reason) = &found.locked {
            let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
            notices.push(format!("the work tree is locked{reason}"));
        }
        if path.join(".gitmodules").is_file() {
            notices.push("submodules are not checked out in it".to_owned());
        }
        // The same folder of the repository, where the work tree has it.
        let below = ctx.cwd.strip_prefix(&checkout).ok().filter(|below| *below != Path::new(""));
        let same_folder = below.map(|below| path.join(below)).filter(|folder| folder.is_dir());
        let cwd = same_folder.unwrap_or_else(|| path.clone());
        let branch = found.branch.clone();
        let entered =
            Entered { path: path.clone(), checkout, from: ctx.cwd.clone(), branch: branch.clone(), name };
        notices.extend(resume::keep(&entered, &cwd, &ctx).await);
        let change = entered.enter(cwd.clone());
        let output =
            EnterWorktreeOutput { worktree_path: path, worktree_branch: branch, cwd, created, notices };
        Ok(ToolOutput::new(output).with_change(change))
    }

    fn to_result(&self, output: &EnterWorktreeOutput) -> Vec<ResultContent> {
        let what = if output.created { "Made and entered" } else { "Entered" };
        let branch = match &output.worktree_branch {
            Some(branch) => format!("on branch {branch}"),
            None => "on no branch".to_owned(),
        };
        let mut text = format!(
            "{what} the work tree {}, {branch}. The working directory is now {}.",
            output.worktree_path.display(),
            output.cwd.display()
        );
        for notice in &output.notices {
            text.push_str(&format!("\n[{notice}]"));
        }
        vec![ResultContent::Text(text)]
    }
}

/// The registered work tree at `canonical`, when it can be entered by its path.
fn existing<'a>(
    all: &'a [Registered],
    canonical: &Path,
    checkout: &Path,
    shown: &Path,
) -> Result<&'a Registered, ToolError> {
    let shown_text = shown.display();
    if canonical == checkout {
        let text = format!("{shown_text} is the checkout that the session is in already");
        return Err(ToolError::new(ErrorKind::Conflict, text));
    }
    match repository::at(all, canonical) {
        Some(found) if canonical.is_dir() => usable(found, shown),
        Some(_) => {
            let text = format!("{shown_text} was a work tree of this repository, but its folder is gone");
            Err(ToolError::new(ErrorKind::NotFound, text))
        }
        None => {
            let known: Vec<String> = all.iter().skip(1).map(|one| one.path.display().to_string()).collect();
            let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
            let text = format!("{shown_text} is no work tree of this repository; its work trees: {known}");
            Err(ToolError::new(ErrorKind::NotFound, text))
        }
    }
}

/// Refuses a work tree that somebody is just making, or that was left half made.
fn usable<'a>(found: &'a Registered, shown: &Path) -> Result<&'a Registered, ToolError> {
    if found.locked.as_deref() == Some("initializing") {
        let text = format!(
            "{} is being made by somebody else at this moment, or was left half made; if nobody makes it, remove it \
             with `git worktree remove --force --force`",
            shown.display()
        );
        return Err(ToolError::new(ErrorKind::Conflict, text));
    }
    Ok(found)
}

fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    name::problem(name).is_none().then(|| name.to_owned())
}

/// How a new work tree begins.
struct Start<'a> {
    name: &'a str,
    head: &'a str,
    /// Registered at its place, but its folder is gone.
    gone: Option<&'a Registered>,
}

/// Makes the work tree at `canonical`. What was begun is taken back when it fails.
async fn make(
    git: &Git,
    checkout: &Path,
    canonical: &Path,
    start: &Start<'_>,
    notices: &mut Vec<String>,
) -> Result<Registered, ToolError> {
    if canonical.symlink_metadata().is_ok() {
        let text = format!("{} exists and is no work tree; choose another name", canonical.display());
        return Err(ToolError::new(ErrorKind::Conflict, text));
    }
    if let Some(gone) = start.gone {
        if gone.locked.is_some() {
            let text = format!(
                "the work tree {} is locked and its folder is gone; unlock it with git, or choose another name",
                start.name
            );
            return Err(ToolError::new(ErrorKind::Conflict, text));
        }
        let what = "the old entry of the work tree cannot be removed";
        git.must(checkout, words([&"worktree", &"remove", &canonical]), what).await?;
        notices.push("a work tree of this name whose folder was gone was forgotten first".to_owned());
    }
    let place = canonical.to_path_buf();
    blocking(move || place::make(&place)).await?;
    let branch = name::branch(start.name);
    let has_branch = repository::commit(git, checkout, &format!("refs/heads/{branch}")).await?.is_some();
    let mut arguments = words([&"worktree", &"add", &"--quiet", &"--no-guess-remote"]);
    if has_branch {
        arguments.extend(words([&canonical, &branch]));
        notices.push(format!("the branch {branch} existed and was taken up again"));
    } else {
        arguments.extend(words([&"--no-track", &"-b", &branch, &canonical, &start.head]));
    }
    let made = match git.must(checkout, arguments, "the work tree could not be made").await {
        Ok(_) => mark::put(git, checkout, canonical).await,
        Err(error) => Err(error),
    };
    if let Err(error) = made {
        take_back(&git.to_the_end(), checkout, canonical, (!has_branch).then_some(&branch), start.head).await;
        return Err(error);
    }
    Ok(Registered { path: canonical.to_path_buf(), branch: Some(branch), ..Registered::default() })
}

/// Removes what a failed `git worktree add` left. Best effort: the failure itself is what is told.
async fn take_back(git: &Git, checkout: &Path, canonical: &Path, branch: Option<&String>, head: &str) {
    let arguments = words([&"worktree", &"remove", &"--force", &"--force", &canonical]);
    let removed = git.run(checkout, arguments).await;
    if let Some(branch) = branch.filter(|_| removed.is_ok()) {
        let name = format!("refs/heads/{branch}");
        let _nobody_to_tell = git.run(checkout, ["update-ref", "-d", &name, head]).await;
    }
}
