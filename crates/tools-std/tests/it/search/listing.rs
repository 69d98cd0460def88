//! Listings: what Glob does for another agent's `list_files`.

use crate::harness::{Denies, Session};
use pegboard_tools_std::Services;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::sync::Arc;

fn list(path: &str, is_deep: bool) -> Value {
    json!({"path": path, "pattern": if is_deep { "**/*" } else { "*" }, "folders": true})
}

fn fill(session: &Session) {
    session.write("src/main.rs", "");
    session.write("src/deep/er/x.rs", "");
    session.write("README.md", "");
    session.write(".hidden/h", "");
    session.write(".git/HEAD", "");
    session.write(".gitignore", "target/\ndist/*\n");
    session.write("dist/a.js", "");
    session.write("target/debug/out", "");
    std::fs::create_dir(session.root.join("empty")).unwrap();
    symlink("src", session.root.join("link")).unwrap();
    symlink("README.md", session.root.join("linked.md")).unwrap();
    symlink("gone", session.root.join("broken")).unwrap();
}

#[tokio::test]
async fn folders_have_a_slash_and_one_level_is_one_level() {
    let session = Session::new();
    fill(&session);
    let flat = session.call("Glob", list(".", false)).await;
    assert_eq!(
        flat.text,
        ".git/\n.gitignore\n.hidden/\nREADME.md\nbroken\ndist/\nempty/\nlink/\nlinked.md\nsrc/\ntarget/"
    );
    assert_eq!((&flat.data["totalMatches"], &flat.data["truncated"]), (&json!(11), &json!(false)));
    let below = session.call("Glob", list("src", false)).await;
    assert_eq!(below.text, "src/deep/\nsrc/main.rs");
    assert_eq!(session.call("Glob", list("empty", false)).await.text, "No files found");
    let file = session.call("Glob", list("README.md", false)).await;
    assert!(file.is_error && file.text.contains("is a file"), "{}", file.text);
    let gone = session.call("Glob", list("gone", true)).await;
    assert!(gone.is_error && gone.text.contains("does not exist"), "{}", gone.text);
    // Without the word it is a search for files.
    let glob = session.call("Glob", json!({"pattern": "*"})).await;
    let mut names: Vec<&str> = glob.text.lines().collect();
    names.sort_unstable();
    assert_eq!(names, [".gitignore", "README.md", "linked.md"]);
}

#[tokio::test]
async fn all_levels_leave_out_what_is_ignored_and_enter_no_link_or_store() {
    let session = Session::new();
    fill(&session);
    let deep = session.call("Glob", list(".", true)).await;
    assert_eq!(
        deep.text,
        ".git/\n.gitignore\n.hidden/\n.hidden/h\nREADME.md\nbroken\ndist/\nempty/\nlink/\nlinked.md\nsrc/\nsrc/deep/\n\
         src/deep/er/\nsrc/deep/er/x.rs\nsrc/main.rs"
    );
    // Who names it means it.
    let named = session.call("Glob", list("target", true)).await;
    assert_eq!(named.text, "target/debug/\ntarget/debug/out");
    let named = session.call("Glob", list("dist", true)).await;
    assert_eq!(
        named.text,
        "dist/a.js\n[everything here is ignored by git; it was listed because it is named]"
    );
}

#[tokio::test]
async fn a_long_listing_keeps_the_upper_levels() {
    let session = Session::new();
    for number in 0..300 {
        session.write(&format!("a/b/{number:03}"), "");
    }
    session.write("z/last", "");
    let answer = session.call("Glob", list(".", true)).await;
    let names: Vec<&str> = answer.text.lines().collect();
    assert_eq!((names.len(), &names[..3], names[199]), (201, &["a/", "a/b/", "a/b/000"][..], "z/last"));
    assert_eq!(names[200], "[200 of 304 entries, those that are least deep; list a folder below for more]");
    assert_eq!((&answer.data["totalMatches"], &answer.data["truncated"]), (&json!(304), &json!(true)));
}

#[tokio::test]
async fn what_may_not_be_read_is_not_listed() {
    let session = Session::with(Services::new().with_access_policy(Arc::new(Denies("secret"))));
    session.write("secret/key", "");
    session.write("open/secret", "");
    session.write("open/f", "");
    for is_deep in [false, true] {
        let answer = session.call("Glob", list(".", is_deep)).await;
        assert!(answer.text.starts_with("open/") && !answer.text.contains("secret"), "{}", answer.text);
    }
}
