//! What git knows: the repository around a folder, its work trees, and what would be lost with one.

use super::git::{Git, words};
use pegboard_tool_core::{ErrorKind, ToolError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One registered work tree.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Registered {
    pub(super) path: PathBuf,
    pub(super) branch: Option<String>,
    /// Why it is locked, maybe without a reason.
    pub(super) locked: Option<String>,
    /// Why git takes it for gone.
    pub(super) prunable: Option<String>,
}

/// The repository around a folder, ready for a work tree.
#[derive(Debug)]
pub(super) struct Repository {
    /// The checkout, links resolved.
    pub(super) checkout: PathBuf,
    /// The commit that is checked out; `None` before the first.
    pub(super) head: Option<String>,
}

/// Finds the repository around `folder`.
///
/// # Errors
/// When there is none, it is bare, `folder` is in its git folder, or it is a submodule.
pub(super) async fn find(git: &Git, folder: &Path) -> Result<Repository, ToolError> {
    let no = |text: &str| Err(ToolError::failed(format!("{text}; nothing was done")));
    let ran = git.run(folder, ["rev-parse", "--is-inside-git-dir", "--is-inside-work-tree"]).await?;
    if !ran.succeeded {
        return match ran.why() {
            why if why.contains("not a git repository") => {
                no("the working directory is in no git repository")
            }
            why if why.contains("dubious ownership") => {
                no("git does not work in this repository because it belongs to somebody else")
            }
            why => no(&format!("git cannot work here: {why}")),
        };
    }
    match ran.lines().iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["true", ..] => {
            return no("the working directory is in a git folder or a bare repository, not in a checkout");
        }
        [_, "true"] => {}
        _ => return no("the working directory is in no checkout of its repository"),
    }
    let ran = git
        .must(folder, ["rev-parse", "--show-superproject-working-tree"], "the repository is not usable")
        .await?;
    if !ran.output.trim_ascii().is_empty() {
        return no("the working directory is in a submodule: go to the repository around it first");
    }
    let ran = git.must(folder, ["rev-parse", "--show-toplevel"], "the repository is not usable").await?;
    let checkout = path_of(ran.output.strip_suffix(b"\n").unwrap_or(&ran.output));
    let checkout = std::fs::canonicalize(&checkout).unwrap_or(checkout);
    let head = commit(git, folder, "HEAD").await?;
    Ok(Repository { checkout, head })
}

/// The commit that `name` stands for.
///
/// # Errors
/// When git cannot be run.
pub(super) async fn commit(git: &Git, folder: &Path, name: &str) -> Result<Option<String>, ToolError> {
    let name = format!("{name}^{{commit}}");
    let ran = git.run(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).await?;
    Ok(ran.lines().pop().filter(|_| ran.succeeded))
}

/// All work trees of the repository, the main one first.
///
/// # Errors
/// When git does not list them.
pub(super) async fn registered(git: &Git, folder: &Path) -> Result<Vec<Registered>, ToolError> {
    let ran = git
        .must(folder, ["worktree", "list", "--porcelain", "-z"], "the work trees cannot be listed")
        .await?;
    Ok(parse(&ran.output))
}

/// The one at `path`, links resolved on both sides.
pub(super) fn at<'a>(all: &'a [Registered], path: &Path) -> Option<&'a Registered> {
    let real = |path: &Path| pegboard_tool_core::resolve_links(path).unwrap_or_else(|_| path.to_path_buf());
    let wanted = real(path);
    all.iter().find(|one| real(&one.path) == wanted)
}

fn parse(output: &[u8]) -> Vec<Registered> {
    let mut all = Vec::new();
    let mut one: Option<Registered> = None;
    for line in output.split(|byte| *byte == 0) {
        let at = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        let (key, value) = line.split_at(at);
        let value = value.get(1..).unwrap_or_default();
        let text = || String::from_utf8_lossy(value).into_owned();
        match (key, &mut one) {
            (b"", _) => all.extend(one.take()),
            (b"worktree", _) => one = Some(Registered { path: path_of(value), ..Registered::default() }),
            (b"branch", Some(one)) => {
                let branch = text();
                one.branch = Some(branch.strip_prefix("refs/heads/").unwrap_or(&branch).to_owned());
            }
            (b"locked", Some(one)) => one.locked = Some(text()),
            (b"prunable", Some(one)) => one.prunable = Some(text()),
            _ => {}
        }
    }
    all.extend(one);
    all
}

/// What would be lost with a work tree.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Losses {
    /// Kinds of changes of files, and files.
    files: BTreeMap<&'static str, Vec<String>>,
    /// Commits that are nowhere else, newest first, each with its first line.
    commits: Vec<String>,
}

/// Names of a kind that are shown.
const SHOWN: usize = 10;

impl Losses {
    /// Looks at the work tree at `path`. `branch` is the one that goes with it.
    ///
    /// # Errors
    /// When git cannot look.
    pub(super) async fn of(git: &Git, path: &Path, branch: Option<&str>) -> Result<Self, ToolError> {
        let what = "what would be lost cannot be told, so nothing was removed";
        let arguments = [
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=none",
            "--no-renames",
        ];
        let status = git.must(path, arguments, what).await?;
        let mut losses = Self::default();
        for entry in status.output.split(|byte| *byte == 0).filter(|entry| entry.len() > 3) {
            let (kind, name) = entry.split_at(3);
            let kind = match kind {
                b"?? " => "untracked",
                [b' ', ..] => "modified",
                [b'U', ..] | [_, b'U', ..] | b"AA " | b"DD " => "in conflict",
                _ => "staged",
            };
            losses.files.entry(kind).or_default().push(String::from_utf8_lossy(name).into_owned());
        }
        // Commits of the work tree and of its branch that no other branch, tag or remote has.
        let mut arguments = words([&"log", &"--format=%h %s", &"--max-count=1000", &"HEAD"]);
        let mut others = words([&"--not"]);
        if let Some(branch) = branch {
            arguments.push(format!("refs/heads/{branch}").into());
            others.push(format!("--exclude={branch}").into());
        }
        others.extend(words([&"--branches", &"--tags", &"--remotes"]));
        arguments.extend(others);
        arguments.push("--".into());
        losses.commits = git.must(path, arguments, what).await?.lines();
        Ok(losses)
    }

    /// Whether there is nothing to lose.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commits.is_empty()
    }

    /// In words, a line a kind.
    pub(super) fn words(&self) -> String {
        let mut lines = Vec::new();
        let mut add = |count: usize, what: &str, names: &[String]| {
            let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
            let more = if count > SHOWN { format!(" and {} more", count - SHOWN) } else { String::new() };
            lines.push(format!("- {count} {what}: {}{more}", shown.join(", ")));
        };
        for (kind, names) in &self.files {
            add(names.len(), &format!("{kind} file(s)"), names);
        }
        if !self.commits.is_empty() {
            add(self.commits.len(), "commit(s) that no other branch, tag or remote has", &self.commits);
        }
        lines.join("\n")
    }
}

/// A path as git writes it.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).into()
}

/// A path as git writes it.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Refuses what is not the checkout that the call was judged by.
///
/// # Errors
/// When git means another one.
pub(super) fn same(repository: &Repository, judged: &Path) -> Result<(), ToolError> {
    if std::fs::canonicalize(judged).is_ok_and(|real| real == repository.checkout) {
        return Ok(());
    }
    let text =
        "git takes another folder for the checkout than the nearest one with a `.git`; nothing was done";
    Err(ToolError::new(ErrorKind::Conflict, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_git_is_understood() {
        let text = "worktree /r\0HEAD 1\0branch refs/heads/main\0\0worktree /r/a b\0HEAD 2\0detached\0\
                    locked not now\0\0worktree /x\0HEAD 3\0branch refs/heads/f/g\0locked\0prunable gone\0\0";
        let one =
            |path: &str, branch: Option<&str>, locked: Option<&str>, prunable: Option<&str>| Registered {
                path: path.into(),
                branch: branch.map(str::to_owned),
                locked: locked.map(str::to_owned),
                prunable: prunable.map(str::to_owned),
            };
        let expected = [
            one("/r", Some("main"), None, None),
            one("/r/a b", None, Some("not now"), None),
            one("/x", Some("f/g"), Some(""), Some("gone")),
        ];
        assert_eq!(parse(text.as_bytes()), expected);
        assert_eq!(parse(b"\0\0 \0garbage\0\xff\0"), []);
    }
}
