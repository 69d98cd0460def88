//! What a rule forbids to read appears nowhere.

use crate::harness::{Asks, Denies, Session};
use pegboard_tools_std::Services;
use serde_json::json;
use std::sync::Arc;

fn session() -> Session {
    let session = Session::with(Services::new().with_access_policy(Arc::new(Denies("secret"))));
    session.write("secret", "hit\n");
    session.write("d/secret/f", "hit\n");
    session.write("open", "hit\n");
    session
}

#[tokio::test]
async fn searches_leave_denied_files_out() {
    let session = session();
    assert_eq!(session.call("Glob", json!({"pattern": "**/*"})).await.text, "open");
    assert_eq!(session.call("Grep", json!({"pattern": "hit"})).await.text, "open");
    let count = session.call("Grep", json!({"pattern": "hit", "output_mode": "count"})).await;
    assert_eq!(count.text, "open:1\n[total: 1 matches in 1 files]");
}

#[tokio::test]
async fn problems_of_denied_folders_are_not_told() {
    let session = session();
    crate::harness::unreadable(&session.root.join("d"), "secret/deep");
    assert_eq!(session.call("Grep", json!({"pattern": "hit"})).await.text, "open");
}

#[tokio::test]
async fn a_denied_file_is_not_edited_because_errors_would_show_it() {
    let session = session();
    let answer =
        session.call("Edit", json!({"file_path": "secret", "old_string": "hi", "new_string": "x"})).await;
    assert!(answer.is_error && answer.text.contains("may not be read"), "{}", answer.text);
    // Names of denied files are no hints.
    session.write("notes.secret", "");
    let answer = session.call("Read", json!({"file_path": "SECRET"})).await;
    assert!(!answer.text.contains("did you mean"), "{}", answer.text);
}

#[tokio::test]
async fn what_needs_a_person_is_left_out_of_a_search_that_needed_none() {
    let make = |asks| {
        let session = Session::with(Services::new().with_access_policy(Arc::new(Asks(asks))));
        session.write("sub/env", "hit\n");
        session.write("sub/open", "hit\n");
        session
    };
    for (asks, found) in [
        ("env", "[1 path(s) left out: they need approval; read them one by one]\nsub/open"),
        ("sub", "sub/env\nsub/open"),
    ] {
        let session = make(asks);
        let glob = session.call("Glob", json!({"pattern": "**/*", "path": "sub"})).await.text;
        let grep = session.call("Grep", json!({"pattern": "hit", "path": "sub"})).await.text;
        for text in [glob, grep] {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            assert_eq!(lines.join("\n"), found, "{asks}");
        }
    }
}
