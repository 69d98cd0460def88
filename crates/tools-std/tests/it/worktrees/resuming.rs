//! The next process of a session that is in a work tree.

use super::{git, repository};
use crate::harness::Session;
use pegboard_tool_core::ToolContext;
use pegboard_tools_std::worktree::{Entered, Resumed, resume};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A repository, and a folder beside it for what the session keeps.
fn kept() -> (Session, tempfile::TempDir) {
    let mut session = repository();
    let state = tempfile::tempdir().unwrap();
    session.snapshot.session_dir = Some(state.path().to_path_buf());
    (session, state)
}

/// Ends the process of the session and begins another one in `cwd`.
async fn next(session: &mut Session, cwd: &Path) -> Option<Resumed> {
    let old = session.snapshot.clone();
    session.snapshot = pegboard_tool_core::ContextSnapshot::new(cwd, "session");
    session.snapshot.session_dir = old.session_dir;
    session.snapshot.env = old.env;
    session.snapshot.trusted = true;
    let resumed = resume(&session.ctx()).await;
    if let Some(change) = resumed.as_ref().and_then(|resumed| resumed.change.as_ref()) {
        session.snapshot = session.snapshot.changed(change);
    }
    resumed
}

#[tokio::test]
async fn the_next_process_is_in_the_work_tree_and_can_leave_it() {
    let (mut session, state) = kept();
    let root = session.root.clone();
    let at = state.path().join("worktree.json");
    assert_eq!(next(&mut session, &root).await, None);
    session.snapshot.cwd = root.join("sub");
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let sub = session.tree("x").join("sub");
    let notice = next(&mut session, &root).await.unwrap().notice;
    assert!(notice.ends_with(&format!("this run starts in {}", sub.display())), "{notice}");
    assert_eq!((&session.snapshot.cwd, &session.snapshot.project_dir), (&sub, &root));
    session.call("Write", json!({"file_path": "new", "content": "x"})).await;
    assert!(sub.join("new").exists() && !root.join("new").exists());
    // Once more, from within.
    let tree = session.tree("x");
    assert!(next(&mut session, &tree).await.unwrap().change.is_some());
    assert_eq!(session.snapshot.cwd, tree);
    let text = session.refuses("EnterWorktree", json!({"name": "y"})).await;
    assert!(text.contains("is in the work tree"), "{text}");
    session.goes("ExitWorktree", json!({"action": "remove", "discard_changes": true})).await;
    assert_eq!(session.snapshot.cwd, root.join("sub"));
    assert!(!tree.exists());
    // It has left for good.
    assert_eq!(next(&mut session, &root).await, None);
    assert!(!at.exists());
}

#[tokio::test]
async fn a_work_tree_that_git_does_not_know_any_more_is_told_once() {
    type Lost = fn(&Session);
    let removed: Lost = |session| {
        let tree = session.tree("x");
        git(&session.root, &["worktree", "remove", tree.to_str().unwrap()]);
    };
    let deleted: Lost = |session| fs::remove_dir_all(session.tree("x")).unwrap();
    // A folder is there, and it is no work tree.
    let plain: Lost = |session| {
        let tree = session.tree("x");
        git(&session.root, &["worktree", "remove", tree.to_str().unwrap()]);
        fs::create_dir_all(session.tree("x")).unwrap();
    };
    for lose in [removed, deleted, plain] {
        let (mut session, _state) = kept();
        let root = session.root.clone();
        session.goes("EnterWorktree", json!({"name": "x"})).await;
        lose(&session);
        let resumed = next(&mut session, &root).await.unwrap();
        assert!(
            resumed.change.is_none() && resumed.notice.contains("is gone; this run starts in"),
            "{resumed:?}"
        );
        assert_eq!(session.snapshot.cwd, root);
        assert_eq!(next(&mut session, &root).await, None);
    }
}

#[tokio::test]
async fn another_checkout_is_not_left_for_the_work_tree() {
    let (mut session, _state) = kept();
    let root = session.root.clone();
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let other = repository();
    let plain = tempfile::tempdir().unwrap();
    for elsewhere in [other.root.as_path(), plain.path()] {
        let resumed = next(&mut session, elsewhere).await.unwrap();
        assert!(resumed.change.is_none() && resumed.notice.contains("of another checkout"), "{resumed:?}");
        assert_eq!(session.snapshot.cwd, elsewhere);
    }
    assert!(next(&mut session, &root).await.unwrap().change.is_some());
}

#[tokio::test]
async fn what_is_not_what_was_kept_is_not_believed() {
    let (mut session, state) = kept();
    let root = session.root.clone();
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let at = state.path().join("worktree.json");
    let good: Value = serde_json::from_slice(&fs::read(&at).unwrap()).unwrap();
    let with = |pointer: &str, value: &str| {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value.into();
        bad.to_string().into_bytes()
    };
    let above = format!("{}/../..", root.display());
    for bad in [
        b"".to_vec(),
        b"\0\xff".to_vec(),
        b"{}".to_vec(),
        vec![b' '; 100_000],
        with("/entered/from", "/"),
        with("/entered/from", &above),
        with("/entered/path", "relative"),
        with("/cwd", "/"),
        with("/cwd", root.to_str().unwrap()),
    ] {
        fs::write(&at, &bad).unwrap();
        let resumed = next(&mut session, &root).await.unwrap();
        assert!(resumed.change.is_none() && resumed.notice.contains("cannot be read"), "{resumed:?}");
    }
    // A place that git does not know, however sound it looks.
    let mut bad = good.clone();
    for pointer in ["/entered/path", "/cwd"] {
        *bad.pointer_mut(pointer).unwrap() = root.join("sub").to_str().unwrap().into();
    }
    fs::write(&at, bad.to_string()).unwrap();
    assert!(next(&mut session, &root).await.unwrap().change.is_none());
    // A link is not followed, neither when it is read nor when it is written.
    let elsewhere = state.path().join("elsewhere");
    fs::write(&elsewhere, good.to_string()).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &at).unwrap();
    assert!(next(&mut session, &root).await.unwrap().change.is_none());
    session.goes("EnterWorktree", json!({"name": "y"})).await;
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), good.to_string());
    assert!(next(&mut session, &root).await.unwrap().notice.contains("worktrees/y"));
}

#[tokio::test]
async fn a_folder_in_it_that_became_a_link_is_not_entered() {
    let (mut session, _state) = kept();
    let root = session.root.clone();
    session.snapshot.cwd = root.join("sub");
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let tree = session.tree("x");
    fs::remove_dir_all(tree.join("sub")).unwrap();
    std::os::unix::fs::symlink("/", tree.join("sub")).unwrap();
    next(&mut session, &root).await;
    assert_eq!(session.snapshot.cwd, tree);
}

#[tokio::test]
async fn what_cannot_be_kept_is_said_and_a_subagent_keeps_nothing() {
    let (mut session, state) = kept();
    session.snapshot.session_dir = Some(state.path().join("gone"));
    let text = session.goes("EnterWorktree", json!({"name": "x"})).await;
    assert!(text.contains("[this cannot be kept for the next run of the session: "), "{text}");
    let (mut session, state) = kept();
    session.snapshot.agent_id = Some(Arc::from("a"));
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let ctx: ToolContext = session.ctx();
    assert!(Entered::of(&ctx).is_some());
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}
