//! Links, hostile repositories, interruptions.

use super::{entering, git, repository};
use pegboard_tool_core::{CancellationToken, Grant, ToolCheck};
use serde_json::json;
use std::sync::Arc;

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
async fn a_link_to_a_folder_outside_is_outside() {
    let session = repository();
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(session.root.join(".claude/worktrees")).unwrap();
    std::os::unix::fs::symlink(outside.path(), session.tree("link")).unwrap();
    let check = entering(&session, json!({"path": ".claude/worktrees/link"})).check_permissions().await;
    assert!(matches!(check, ToolCheck::Ask(_)), "{check:?}");
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
