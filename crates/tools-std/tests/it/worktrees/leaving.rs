//! What is removed and what is kept.

use super::{git, repository};
use serde_json::json;
use std::path::Path;

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
async fn a_work_tree_that_a_person_made_is_never_removed() {
    // In our folder, on a branch of our naming: only who made it tells.
    type Forged = fn(&Path);
    let forgeries: [Forged; 4] = [
        |_| {},
        |own| std::fs::write(own.join("pegboard-made"), "").unwrap(),
        |own| std::fs::create_dir(own.join("pegboard-made")).unwrap(),
        |own| {
            std::fs::write(own.join("real"), "made by EnterWorktree\n").unwrap();
            std::os::unix::fs::symlink("real", own.join("pegboard-made")).unwrap();
        },
    ];
    for forge in forgeries {
        for input in [json!({"path": ".claude/worktrees/hand"}), json!({"name": "hand"})] {
            for is_gone in [false, true] {
                let mut session = repository();
                let tree = session.tree("hand");
                let branch = "worktree-hand";
                git(&session.root, &["worktree", "add", "--quiet", "-b", branch, tree.to_str().unwrap()]);
                std::fs::write(tree.join("ignored"), "secret").unwrap();
                forge(&session.root.join(".git/worktrees/hand"));
                session.goes("EnterWorktree", input.clone()).await;
                if is_gone {
                    std::fs::remove_dir_all(&tree).unwrap();
                }
                for discards in [false, true] {
                    let remove = json!({"action": "remove", "discard_changes": discards});
                    let text = session.refuses("ExitWorktree", remove).await;
                    assert!(text.contains("was not made by EnterWorktree and is not removed"), "{text}");
                }
                assert_eq!(tree.join("ignored").exists(), !is_gone);
                session.goes("ExitWorktree", json!({"action": "keep"})).await;
                assert_eq!(git(&session.root, &["worktree", "list"]).lines().count(), 2);
                assert!(git(&session.root, &["branch"]).contains(branch));
            }
        }
    }
}

#[tokio::test]
async fn a_work_tree_that_replaced_ours_is_not_ours() {
    let mut session = repository();
    session.goes("EnterWorktree", json!({"name": "x"})).await;
    let tree = session.tree("x");
    let at = tree.to_str().unwrap();
    git(&session.root, &["worktree", "remove", at]);
    git(&session.root, &["worktree", "add", "--quiet", at, "worktree-x"]);
    let text = session.refuses("ExitWorktree", json!({"action": "remove"})).await;
    assert!(text.contains("was not made by EnterWorktree"), "{text}");
    assert!(tree.join("a.txt").exists());
}

#[tokio::test]
async fn one_that_was_made_here_is_known_again_however_it_is_entered() {
    let mut session = repository();
    for input in [json!({"path": ".claude/worktrees/x"}), json!({"name": "x"})] {
        session.goes("EnterWorktree", json!({"name": "x"})).await;
        session.goes("ExitWorktree", json!({"action": "keep"})).await;
        session.goes("EnterWorktree", input).await;
        assert_eq!(git(&session.tree("x"), &["status", "--porcelain", "--ignored"]), "");
        session.goes("ExitWorktree", json!({"action": "remove"})).await;
        assert!(!session.tree("x").exists());
    }
    // From a checkout that is a work tree itself.
    let outer = session.root.join("outer");
    git(&session.root, &["worktree", "add", "--quiet", outer.to_str().unwrap()]);
    session.snapshot.cwd = outer.clone();
    session.goes("EnterWorktree", json!({"name": "y"})).await;
    assert!(outer.join(".claude/worktrees/y/a.txt").exists());
    session.goes("ExitWorktree", json!({"action": "remove"})).await;
    assert!(!outer.join(".claude/worktrees/y").exists());
}
