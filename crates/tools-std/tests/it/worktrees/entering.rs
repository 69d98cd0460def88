//! What is made and entered, and what is refused.

use super::{entering, git, plain, repository};
use pegboard_tool_core::{Access, Accesses, Concurrency, Effects, ErrorKind, Resource, ToolCheck};
use serde_json::json;
use std::sync::Arc;

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
