//! EnterWorktree and ExitWorktree on real repositories.

use crate::harness::{Answer, Session};
use pegboard_tool_core::{
    Access, Accesses, CancellationToken, Concurrency, ContextChange, Effects, ErrorKind, Grant, RawOutput,
    Resource, ResultContent, ToolCheck, ToolError,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// git as a person would run it.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "A")))
        .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "a@example.org")))
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A session in a folder that is no repository.
fn plain() -> Session {
    let mut session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
    session.snapshot.trusted = true;
    session
}

/// A session in a repository with one commit.
fn repository() -> Session {
    let session = plain();
    git(&session.root, &["init", "--quiet", "-b", "main"]);
    session.write("a.txt", "one\n");
    session.write("sub/b.txt", "two\n");
    session.write(".gitignore", "ignored\n");
    git(&session.root, &["add", "."]);
    git(&session.root, &["commit", "--quiet", "-m", "first"]);
    session
}

impl Session {
    /// A call whose change of the context is applied, as the layers above do.
    async fn go(&mut self, name: &str, input: Value) -> Result<Answer, ToolError> {
        let ctx = self.ctx();
        let output = raw(self, name, input).await?;
        if let Some(change) = &output.context_change {
            // What is applied is data: it survives being written down.
            let kept = serde_json::to_string(change).unwrap();
            let change: ContextChange = serde_json::from_str(&kept).unwrap();
            self.snapshot = ctx.snapshot().changed(&change);
        }
        let texts = output.content.iter().map(|content| match content {
            ResultContent::Text(text) => text.as_str(),
            other => panic!("{other:?}"),
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        Ok(Answer { text, data: output.data, is_error: false })
    }

    async fn goes(&mut self, name: &str, input: Value) -> String {
        let shown = input.to_string();
        self.go(name, input).await.unwrap_or_else(|error| panic!("{name} {shown}: {error}")).text
    }

    async fn refuses(&mut self, name: &str, input: Value) -> String {
        let before = self.snapshot.generation;
        let error = self.go(name, input).await.expect_err(name);
        assert_eq!(self.snapshot.generation, before);
        error.model_text.into_owned()
    }

    fn tree(&self, name: &str) -> PathBuf {
        self.root.join(".claude/worktrees").join(name)
    }
}

async fn raw(session: &Session, name: &str, input: Value) -> Result<RawOutput, ToolError> {
    let ctx = session.ctx();
    let wrong = |error: pegboard_tool_core::InvalidInput| ToolError::failed(error.text);
    let invocation = session.tool(name).prepare(Arc::new(input), &ctx).map_err(wrong)?;
    invocation.validate().await.map_err(wrong)?;
    let grant = Grant::of(invocation.accesses());
    invocation.call(grant, ctx, Arc::new(())).await
}

fn entering(session: &Session, input: Value) -> Box<dyn pegboard_tool_core::Invocation> {
    session.tool("EnterWorktree").prepare(Arc::new(input), &session.ctx()).unwrap()
}

#[tokio::test]
async fn a_work_tree_is_made_entered_left_and_entered_again() {
    let mut session = repository();
    session.write("a.txt", "dirty\n");
    session.write("new.txt", "untracked\n");
    let before = git(&session.root, &["status", "--porcelain"]);
    let text = session.goes("EnterWorktree", json!({"name": "fix"})).await;
    let tree = session.tree("fix");
    assert_eq!(
        text,
        format!(
            "Made and entered the work tree {0}, on branch worktree-fix. The working directory is now {0}.",
            tree.display()
        )
    );
    assert_eq!(session.snapshot.cwd, tree);
    // It begins at the commit; the checkout is as dirty as before and knows nothing of the work tree.
    assert_eq!(std::fs::read_to_string(tree.join("a.txt")).unwrap(), "one\n");
    assert!(!tree.join("new.txt").exists());
    assert_eq!(git(&session.root, &["status", "--porcelain"]), before);
    assert_eq!(git(&tree, &["status", "--porcelain", "--ignored"]), "");
    assert_eq!(session.bytes("a.txt"), b"dirty\n");
    // Searches in the work tree are not held back by the ignore file beside it.
    let found = session.call("Grep", json!({"pattern": "two"})).await;
    assert_eq!(found.text, "sub/b.txt");

    let text = session.goes("ExitWorktree", json!({"action": "keep"})).await;
    let expected = "Left the work tree {0}; it stays on disk. The working directory is now {1}.";
    let expected = expected
        .replace("{0}", &tree.display().to_string())
        .replace("{1}", &session.root.display().to_string());
    assert_eq!(text, expected);
    assert_eq!(session.snapshot.cwd, session.root);
    assert!(session.snapshot.extensions.is_empty());

    std::fs::write(tree.join("a.txt"), "changed\n").unwrap();
    let text = session.goes("EnterWorktree", json!({"name": "fix"})).await;
    assert!(text.starts_with("Entered the work tree"), "{text}");
    assert_eq!(std::fs::read_to_string(tree.join("a.txt")).unwrap(), "changed\n");
}

#[tokio::test]
async fn the_same_sub_folder_is_entered_where_the_work_tree_has_it() {
    let mut session = repository();
    let root = session.root.clone();
    session.snapshot.cwd = root.join("sub");
    session.goes("EnterWorktree", json!({"name": "one"})).await;
    assert_eq!(session.snapshot.cwd, session.tree("one").join("sub"));
    session.goes("ExitWorktree", json!({"action": "keep"})).await;
    assert_eq!(session.snapshot.cwd, root.join("sub"));
    std::fs::create_dir(root.join("fresh")).unwrap();
    session.snapshot.cwd = root.join("fresh");
    session.goes("EnterWorktree", json!({"name": "one"})).await;
    assert_eq!(session.snapshot.cwd, session.tree("one"));
    // The folder it came from goes away meanwhile.
    std::fs::remove_dir(root.join("fresh")).unwrap();
    let text = session.goes("ExitWorktree", json!({"action": "keep"})).await;
    assert!(text.ends_with("[the folder that the session came from is gone]"), "{text}");
    assert_eq!(session.snapshot.cwd, root);
}

#[tokio::test]
async fn a_shell_stays_in_the_work_tree() {
    let mut session = repository();
    session.goes("EnterWorktree", json!({"name": "one"})).await;
    let tree = session.tree("one");
    session.goes("Bash", json!({"command": "cd sub"})).await;
    assert_eq!(session.snapshot.cwd, tree.join("sub"));
    let text = session.goes("Bash", json!({"command": "cd /; pwd"})).await;
    assert!(text.contains(&format!("Shell cwd was reset to {}", tree.display())), "{text}");
    assert_eq!(session.snapshot.cwd, tree);
}

#[tokio::test]
async fn without_a_name_a_session_has_one_work_tree_and_so_has_each_of_its_subagents() {
    let mut session = repository();
    session.goes("EnterWorktree", json!({})).await;
    let own = session.snapshot.cwd.clone();
    assert!(own.file_name().unwrap().to_str().unwrap().starts_with("session-"), "{own:?}");
    session.goes("ExitWorktree", json!({"action": "keep"})).await;
    session.goes("EnterWorktree", json!({})).await;
    assert_eq!(session.snapshot.cwd, own);
    session.goes("ExitWorktree", json!({"action": "keep"})).await;
    session.snapshot.agent_id = Some("agent".into());
    session.goes("EnterWorktree", json!({})).await;
    assert_ne!(session.snapshot.cwd, own);
}

#[tokio::test]
async fn a_detached_head_is_a_commit_like_any_other() {
    let mut session = repository();
    git(&session.root, &["checkout", "--quiet", "--detach"]);
    session.goes("EnterWorktree", json!({"name": "d"})).await;
    assert_eq!(git(&session.tree("d"), &["rev-parse", "HEAD"]), git(&session.root, &["rev-parse", "HEAD"]));
    // Its commits are on no branch but this one and the main one.
    session.goes("ExitWorktree", json!({"action": "remove"})).await;
}

#[tokio::test]
async fn where_no_work_tree_can_be_the_reason_is_said() {
    for (make, reason) in [
        (&[][..], "the working directory is in no git repository"),
        (&["init", "--quiet"], "the repository has no commit yet"),
        (&["init", "--quiet", "--bare"], "in a git folder or a bare repository"),
    ] {
        let mut session = plain();
        if !make.is_empty() {
            git(&session.root, make);
        }
        let text = session.refuses("EnterWorktree", json!({"name": "x"})).await;
        assert!(text.contains(reason), "{make:?}: {text}");
        assert!(text.contains("othing was done"), "{make:?}: {text}");
        assert!(!session.root.join(".claude").exists(), "{make:?}");
    }
    let mut session = repository();
    session.snapshot.cwd = session.root.join(".git");
    let text = session.refuses("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("in a git folder"), "{text}");
    session.snapshot.cwd = session.root.join("gone");
    let text = session.refuses("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("the working directory is gone"), "{text}");
    session.snapshot.cwd = session.root.clone();
    Arc::make_mut(&mut session.snapshot.env).insert("PATH".to_owned(), ".:relative".to_owned());
    session.write("git", "#!/bin/sh\ntouch ran\n");
    let error = session.go("EnterWorktree", json!({"name": "x"})).await.unwrap_err();
    assert_eq!((error.kind, &*error.model_text), (ErrorKind::Unavailable, "git is not installed"));
}

#[tokio::test]
async fn a_submodule_is_refused() {
    let inner = repository();
    let mut session = repository();
    let from = inner.root.to_str().unwrap();
    git(&session.root, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "inner"]);
    git(&session.root, &["commit", "--quiet", "-m", "with a submodule"]);
    session.snapshot.cwd = session.root.join("inner");
    let text = session.refuses("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("is in a submodule: go to the repository around it first"), "{text}");
    session.snapshot.cwd = session.root.clone();
    let text = session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.ends_with("[submodules are not checked out in it]"), "{text}");
}

#[tokio::test]
async fn names_and_fields_that_do_not_fit_are_refused() {
    let mut session = repository();
    for (input, reason) in [
        (json!({"name": "../x"}), "may hold only letters"),
        (json!({"name": "-x"}), "must not begin"),
        (json!({"name": ""}), "is empty"),
        (json!({"name": "x.lock"}), "none that git takes"),
        (json!({"name": "x", "path": "y"}), "not both"),
        (json!({"path": ""}), "is empty"),
        (json!({"path": "a\u{0}b"}), "NUL"),
    ] {
        let text = session.refuses("EnterWorktree", input.clone()).await;
        assert!(text.contains(reason), "{input}: {text}");
    }
    let text = session.refuses("ExitWorktree", json!({"action": "keep", "discard_changes": true})).await;
    assert!(text.contains("goes with `remove` only"), "{text}");
}

#[tokio::test]
async fn one_is_left_before_another_is_entered_and_nothing_is_left_that_was_not_entered() {
    let mut session = repository();
    for action in ["keep", "remove"] {
        let text = session.refuses("ExitWorktree", json!({ "action": action })).await;
        assert!(text.contains("there is nothing to leave"), "{text}");
    }
    session.goes("EnterWorktree", json!({"name": "a"})).await;
    let text = session.refuses("EnterWorktree", json!({"name": "b"})).await;
    assert!(text.contains("already; leave it with ExitWorktree first"), "{text}");
    assert!(!session.tree("b").exists());
}

#[tokio::test]
async fn what_is_in_the_way_is_left_alone() {
    let mut session = repository();
    session.write(".claude/worktrees/x/file", "mine");
    let text = session.refuses("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("exists and is no work tree; choose another name"), "{text}");
    assert_eq!(session.bytes(".claude/worktrees/x/file"), b"mine");
    // An ignore file of somebody else is not overwritten.
    session.write(".claude/worktrees/.gitignore", "theirs\n");
    session.goes("EnterWorktree", json!({"name": "y"})).await;
    assert_eq!(session.bytes(".claude/worktrees/.gitignore"), b"theirs\n");
}

#[tokio::test]
async fn a_link_instead_of_the_folder_is_judged_where_it_leads_and_not_followed_later() {
    let mut session = repository();
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    std::fs::create_dir(session.root.join(".claude")).unwrap();
    let invocation = entering(&session, json!({"name": "x"}));
    let grant = Grant::of(invocation.accesses());
    std::os::unix::fs::symlink(&outside, session.root.join(".claude/worktrees")).unwrap();
    let error = invocation.call(grant, session.ctx(), Arc::new(())).await.unwrap_err();
    assert!(error.model_text.contains("changed since it was approved"), "{error}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    // Judged as it is now, it leads outside, which the gate sees.
    let invocation = entering(&session, json!({"name": "x"}));
    let grant = Grant::of(invocation.accesses());
    assert_eq!(grant.paths[0].canonical, outside.join("x"));
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert!(outside.join("x/a.txt").exists());
}

#[tokio::test]
async fn existing_work_trees_of_the_same_repository_are_entered_by_path() {
    let mut session = repository();
    let beside = tempfile::tempdir().unwrap();
    let beside = beside.path().canonicalize().unwrap().join("beside");
    let path = beside.to_str().unwrap().to_owned();
    git(&session.root, &["worktree", "add", "--quiet", "-b", "other", &path]);
    let ask = entering(&session, json!({ "path": path })).check_permissions().await;
    assert_eq!(ask, ToolCheck::Ask("the work tree is outside of the folder .claude/worktrees".to_owned()));
    let text = session.goes("EnterWorktree", json!({ "path": path })).await;
    assert!(text.contains("on branch other"), "{text}");
    assert_eq!(session.snapshot.cwd, beside);
    let text = session.refuses("ExitWorktree", json!({"action": "remove", "discard_changes": true})).await;
    assert!(text.contains("was not made by EnterWorktree and is not removed"), "{text}");
    assert!(beside.exists());
    session.goes("ExitWorktree", json!({"action": "keep"})).await;

    // Inside of our folder a path is as good as a name.
    session.goes("EnterWorktree", json!({"name": "own"})).await;
    session.goes("ExitWorktree", json!({"action": "keep"})).await;
    let own = ".claude/worktrees/own";
    assert_eq!(entering(&session, json!({ "path": own })).check_permissions().await, ToolCheck::PassThrough);
    session.goes("EnterWorktree", json!({ "path": own })).await;
    session.goes("ExitWorktree", json!({"action": "remove"})).await;
    assert!(!session.tree("own").exists());

    let stranger = repository();
    let stranger = stranger.root.to_str().unwrap();
    for (path, reason) in [
        (stranger, "is no work tree of this repository"),
        ("sub", "is no work tree of this repository"),
        ("nowhere", "is no work tree of this repository"),
        (".", "is the checkout that the session is in already"),
    ] {
        let text = session.refuses("EnterWorktree", json!({ "path": path })).await;
        assert!(text.contains(reason), "{path}: {text}");
    }
    std::fs::remove_dir_all(&beside).unwrap();
    let text = session.refuses("EnterWorktree", json!({ "path": path })).await;
    assert!(text.contains("its folder is gone"), "{text}");
}

#[tokio::test]
async fn a_link_to_a_folder_outside_is_outside() {
    let session = repository();
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(session.root.join(".claude/worktrees")).unwrap();
    std::os::unix::fs::symlink(outside.path(), session.tree("link")).unwrap();
    let check = entering(&session, json!({"path": ".claude/worktrees/link"})).check_permissions().await;
    assert!(matches!(check, ToolCheck::Ask(_)), "{check:?}");
}

#[tokio::test]
async fn a_clean_work_tree_is_removed_with_its_branch_and_its_ignored_files() {
    let mut session = repository();
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let tree = session.tree("x");
    std::fs::write(tree.join("ignored"), "build output").unwrap();
    let text = session.goes("ExitWorktree", json!({"action": "remove"})).await;
    assert!(text.contains("[its branch worktree-x was deleted, it was at "), "{text}");
    assert!(!tree.exists());
    assert_eq!(git(&session.root, &["branch", "--format=%(refname:short)"]), "main");
    assert_eq!(git(&session.root, &["worktree", "list"]).lines().count(), 1);
    assert_eq!(session.snapshot.cwd, session.root);
}

/// What is done in a work tree, and what the refusal says of it.
type Loss = (&'static str, fn(&Path), &'static [&'static str]);

const LOSSES: [Loss; 6] = [
    (
        "untracked",
        |tree| std::fs::write(tree.join("new file"), "x").unwrap(),
        &["- 1 untracked file(s): new file"],
    ),
    ("modified", |tree| std::fs::write(tree.join("a.txt"), "x").unwrap(), &["- 1 modified file(s): a.txt"]),
    ("deleted", |tree| std::fs::remove_file(tree.join("a.txt")).unwrap(), &["- 1 modified file(s): a.txt"]),
    (
        "staged and many",
        |tree| {
            for number in 10..22 {
                std::fs::write(tree.join(format!("f{number}")), "x").unwrap();
            }
            git(tree, &["add", "."]);
        },
        &["- 12 staged file(s): f10, f11,", "f19 and 2 more"],
    ),
    (
        "committed",
        |tree| {
            std::fs::write(tree.join("a.txt"), "x").unwrap();
            git(tree, &["commit", "--quiet", "-am", "the work"]);
        },
        &["- 1 commit(s) that no other branch, tag or remote has: ", " the work"],
    ),
    (
        "committed on no branch",
        |tree| {
            git(tree, &["checkout", "--quiet", "--detach"]);
            std::fs::write(tree.join("a.txt"), "x").unwrap();
            git(tree, &["commit", "--quiet", "-am", "loose"]);
        },
        &["- 1 commit(s) that no other branch, tag or remote has: ", " loose"],
    ),
];

#[tokio::test]
async fn nothing_that_is_nowhere_else_is_lost_unless_it_is_told_to_be() {
    for (name, work, says) in LOSSES {
        let mut session = repository();
        session.goes("EnterWorktree", json!({"name": "x"})).await;
        let tree = session.tree("x");
        work(&tree);
        let before = git(&tree, &["status", "--porcelain", "-b"]);
        let text = session.refuses("ExitWorktree", json!({"action": "remove"})).await;
        assert!(text.starts_with("the work tree was not removed, this would be lost:\n"), "{name}: {text}");
        for part in says {
            assert!(text.contains(part), "{name}: {text}");
        }
        assert_eq!(git(&tree, &["status", "--porcelain", "-b"]), before, "{name}");
        assert_eq!(session.snapshot.cwd, tree, "{name}");
        session.goes("ExitWorktree", json!({"action": "remove", "discard_changes": true})).await;
        assert!(!tree.exists(), "{name}");
        assert_eq!(git(&session.root, &["branch", "--format=%(refname:short)"]), "main", "{name}");
    }
}

#[tokio::test]
async fn work_that_is_elsewhere_too_is_no_loss() {
    for keep in [&["branch", "kept"][..], &["tag", "kept"], &["update-ref", "refs/remotes/o/kept", "HEAD"]] {
        let mut session = repository();
        session.goes("EnterWorktree", json!({"name": "x"})).await;
        let tree = session.tree("x");
        std::fs::write(tree.join("a.txt"), "x").unwrap();
        git(&tree, &["commit", "--quiet", "-am", "the work"]);
        git(&tree, keep);
        session.goes("ExitWorktree", json!({"action": "remove"})).await;
        assert!(!tree.exists(), "{keep:?}");
    }
    // A branch of the user's in the work tree stays, with its commits.
    let mut session = repository();
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let tree = session.tree("x");
    git(&tree, &["checkout", "--quiet", "-b", "mine"]);
    std::fs::write(tree.join("a.txt"), "x").unwrap();
    git(&tree, &["commit", "--quiet", "-am", "the work"]);
    session.goes("ExitWorktree", json!({"action": "remove"})).await;
    assert_eq!(git(&session.root, &["branch", "--format=%(refname:short)"]), "main\nmine");
    assert_eq!(git(&session.root, &["log", "-1", "--format=%s", "mine"]), "the work");
}

#[tokio::test]
async fn a_locked_work_tree_and_one_with_another_inside_are_not_removed() {
    let mut session = repository();
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let tree = session.tree("x");
    git(&session.root, &["worktree", "lock", "--reason", "on a stick", tree.to_str().unwrap()]);
    let force = json!({"action": "remove", "discard_changes": true});
    let text = session.refuses("ExitWorktree", force.clone()).await;
    assert!(text.contains("is locked (on a stick) and was not removed"), "{text}");
    session.goes("ExitWorktree", json!({"action": "keep"})).await;
    let text = session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("[the work tree is locked (on a stick)]"), "{text}");
    git(&session.root, &["worktree", "unlock", tree.to_str().unwrap()]);
    git(&tree, &["worktree", "add", "--quiet", "inner"]);
    let text = session.refuses("ExitWorktree", force.clone()).await;
    assert!(text.contains("another work tree is inside, "), "{text}");
    git(&tree, &["worktree", "remove", "inner"]);
    session.goes("ExitWorktree", force).await;
    assert!(!tree.exists());
}

#[tokio::test]
async fn a_folder_that_was_deleted_by_hand_is_no_trap() {
    let mut session = repository();
    for (action, says) in
        [("keep", "the folder of the work tree is gone"), ("remove", "its folder was gone already")]
    {
        session.goes("EnterWorktree", json!({"name": "x"})).await;
        std::fs::remove_dir_all(session.tree("x")).unwrap();
        let text = session.goes("ExitWorktree", json!({ "action": action })).await;
        assert!(text.contains(says), "{text}");
        assert_eq!(session.snapshot.cwd, session.root);
    }
    // Its branch was not looked at, so it is kept, and taken up again.
    let text = session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("[the branch worktree-x existed and was taken up again]"), "{text}");
    session.goes("ExitWorktree", json!({"action": "keep"})).await;
    std::fs::remove_dir_all(session.tree("x")).unwrap();
    let text = session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("whose folder was gone was forgotten first"), "{text}");
    // Somebody removes it altogether while the session is in it.
    let tree = session.tree("x");
    git(&session.root, &["worktree", "remove", tree.to_str().unwrap()]);
    let text = session.goes("ExitWorktree", json!({"action": "remove"})).await;
    assert!(text.contains("was removed by somebody else already"), "{text}");
    assert_eq!(session.snapshot.cwd, session.root);
}

#[tokio::test]
async fn one_that_was_left_half_made_is_not_entered() {
    let mut session = repository();
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    session.goes("ExitWorktree", json!({"action": "keep"})).await;
    let tree = session.tree("x");
    git(&session.root, &["worktree", "lock", "--reason", "initializing", tree.to_str().unwrap()]);
    let text = session.refuses("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("was left half made"), "{text}");
}

#[tokio::test]
async fn the_programs_of_a_hostile_repository_do_not_run() {
    let mut session = repository();
    session.snapshot.trusted = false;
    let root = session.root.clone();
    let mark = root.join("ran");
    let run = format!("sh -c 'touch {}; cat'", mark.display());
    for name in ["post-checkout", "reference-transaction", "post-index-change"] {
        let hook = root.join(".git/hooks").join(name);
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
        git(&root, &["update-index", "--refresh"]);
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    for (key, value) in [
        ("core.fsmonitor", run.as_str()),
        ("filter.evil.smudge", &run),
        ("filter.evil.clean", &run),
        ("filter.evil.required", "true"),
        ("core.pager", &run),
        ("core.hooksPath", ".git/hooks"),
    ] {
        let file = root.join(".git/config");
        git(&root, &["config", "--file", file.to_str().unwrap(), key, value]);
    }
    std::fs::write(root.join(".git/info/attributes"), "*.txt filter=evil\n").unwrap();
    let _ = std::fs::remove_file(&mark);
    let text = session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("without the filter(s) evil]"), "{text}");
    let tree = session.tree("x");
    assert_eq!(std::fs::read_to_string(tree.join("a.txt")).unwrap(), "one\n");
    // A file that git must read again to see that it is the same.
    std::fs::write(tree.join("a.txt"), "one\n").unwrap();
    session.goes("ExitWorktree", json!({"action": "remove"})).await;
    assert!(!tree.exists());
    assert!(!mark.exists());
    // In a trusted folder filters run, hooks do not.
    session.snapshot.trusted = true;
    git(
        &root,
        &["config", "--file", root.join(".git/config").to_str().unwrap(), "filter.evil.smudge", "tr o 0"],
    );
    session.goes("EnterWorktree", json!({"name": "y"})).await;
    assert_eq!(std::fs::read_to_string(session.tree("y").join("a.txt")).unwrap(), "0ne\n");
    assert!(!mark.exists());
}

#[tokio::test]
async fn variables_that_lead_git_elsewhere_are_not_passed_on() {
    let other = repository();
    let mut session = repository();
    let env = Arc::make_mut(&mut session.snapshot.env);
    for (name, value) in [("GIT_DIR", ".git"), ("GIT_WORK_TREE", "."), ("GIT_CONFIG_COUNT", "nonsense")] {
        let value = if name == "GIT_CONFIG_COUNT" {
            value.to_owned()
        } else {
            other.root.join(value).to_str().unwrap().to_owned()
        };
        env.insert(name.to_owned(), value);
    }
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert_eq!(git(&other.root, &["worktree", "list"]).lines().count(), 1);
    assert!(session.tree("x").join("a.txt").exists());
}

#[tokio::test]
async fn a_cancelled_call_leaves_nothing() {
    let session = repository();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ctx = session.ctx().with_cancel(cancel);
    let answer = session.call_in("EnterWorktree", json!({"name": "x"}), ctx, |grant| grant).await;
    assert!(answer.is_error && answer.text == "the call was interrupted", "{answer:?}");
    assert!(!session.tree("x").exists());
}

#[tokio::test]
async fn a_checkout_that_is_interrupted_is_taken_back() {
    let mut session = repository();
    // A filter that waits shows that the checkout has begun, and ends with it.
    let begun = session.root.join("begun");
    let wait = format!("sh -c 'touch {}; exec sleep 1000'", begun.display());
    git(&session.root, &["config", "filter.slow.smudge", &wait]);
    std::fs::write(session.root.join(".git/info/attributes"), "*.txt filter=slow\n").unwrap();
    let cancel = CancellationToken::new();
    let ctx = session.ctx().with_cancel(cancel.clone());
    let call = session.call_in("EnterWorktree", json!({"name": "x"}), ctx, |grant| grant);
    let both = async {
        tokio::join!(call, async {
            while !begun.exists() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
            cancel.cancel();
        })
    };
    let (answer, ()) = tokio::time::timeout(std::time::Duration::from_secs(30), both).await.unwrap();
    assert!(answer.is_error && answer.text == "the call was interrupted", "{answer:?}");
    assert!(!session.tree("x").exists());
    assert_eq!(git(&session.root, &["branch", "--format=%(refname:short)"]), "main");
    assert_eq!(git(&session.root, &["worktree", "list"]).lines().count(), 1);
    git(&session.root, &["config", "--unset", "filter.slow.smudge"]);
    session.goes("EnterWorktree", json!({"name": "x"})).await;
}

#[test]
fn what_gates_and_schedulers_are_told() {
    let session = repository();
    let invocation = entering(&session, json!({"name": "x"}));
    assert_eq!(invocation.concurrency(), Concurrency::Exclusive);
    assert_eq!(invocation.effects(), Effects::Writes);
    assert!(invocation.changes_context());
    let expected: Arc<[Access]> = Arc::from([Access::write(Resource::Tree(session.tree("x")))]);
    assert_eq!(*invocation.accesses(), Accesses::Only(expected));
    let invocation = entering(&session, json!({"path": "sub"}));
    assert_eq!(*invocation.accesses(), Accesses::read_tree(session.root.join("sub")));
    assert_eq!(invocation.view()["path"], json!(session.root.join("sub")));
    let exit = session.tool("ExitWorktree");
    for (input, effects) in [
        (json!({"action": "keep"}), Effects::Writes),
        (json!({"action": "remove"}), Effects::Writes),
        (json!({"action": "remove", "discard_changes": true}), Effects::Destructive),
    ] {
        let invocation = exit.prepare(Arc::new(input), &session.ctx()).unwrap();
        assert_eq!((invocation.concurrency(), invocation.effects()), (Concurrency::Exclusive, effects));
    }
}
