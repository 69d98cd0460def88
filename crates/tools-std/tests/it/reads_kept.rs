//! What a session read is known to its next process, by the folder of the session.

use crate::harness::{Answer, Session};
use pegboard_tool_core::{ContextSnapshot, ToolContext};
use serde_json::{Value, json};
use std::sync::Arc;

/// A call as the next process of the session makes it: nothing is left of the one before but its folder.
async fn next(session: &Session, tool: &str, input: Value) -> Answer {
    let mut snapshot = ContextSnapshot::new(&session.root, "session");
    snapshot.session_dir = Some(session.root.join("state"));
    session.call_in(tool, input, ToolContext::new(Arc::new(snapshot)), |grant| grant).await
}

fn session() -> Session {
    let session = Session::new();
    std::fs::create_dir(session.root.join("state")).unwrap();
    session.write("f", "one\ntwo\nthree\n");
    session
}

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "f", "old_string": old, "new_string": new})
}

#[tokio::test]
async fn a_file_that_was_read_in_an_earlier_run_may_be_edited() {
    let session = session();
    let refused = next(&session, "Edit", edit("two", "2")).await;
    assert!(refused.is_error && refused.text.contains("has not been read"), "{}", refused.text);
    next(&session, "Read", json!({"file_path": "f"})).await;
    // Read, edited, written: each in a run of its own.
    let answer = next(&session, "Edit", edit("two", "2")).await;
    assert!(!answer.is_error, "{}", answer.text);
    let answer = next(&session, "Write", json!({"file_path": "f", "content": "all new\n"})).await;
    assert!(!answer.is_error, "{}", answer.text);
    let answer = next(&session, "Edit", edit("new", "old")).await;
    assert!(!answer.is_error, "{}", answer.text);
    assert_eq!(session.bytes("f"), b"all old\n");
    // The lines of it are shown again, for the conversation may have lost them.
    session.write("long", "x\n".repeat(1_500));
    for _ in 0..2 {
        let answer = next(&session, "Read", json!({"file_path": "long"})).await;
        assert!(answer.text.contains("1500\tx"), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_part_stays_a_part_and_a_change_is_seen() {
    let session = session();
    next(&session, "Read", json!({"file_path": "f", "offset": 2, "limit": 1})).await;
    let write = json!({"file_path": "f", "content": "new\n"});
    let answer = next(&session, "Write", write).await;
    assert!(answer.is_error && answer.text.contains("only read in parts"), "{}", answer.text);
    session.write("f", "one\n2\nthree\n");
    let answer = next(&session, "Edit", edit("three", "3")).await;
    assert!(answer.is_error && answer.text.contains("changed since it was read"), "{}", answer.text);
    assert!(!next(&session, "Edit", edit("three", "3")).await.is_error);
}

#[tokio::test]
async fn a_damaged_record_is_said_and_made_anew() {
    let session = session();
    next(&session, "Read", json!({"file_path": "f"})).await;
    session.write("state/reads.jsonl", "{\0garbage\n");
    let answer = next(&session, "Edit", edit("two", "2")).await;
    assert!(
        answer.is_error && answer.text.contains("`reads.jsonl` in its folder cannot be read"),
        "{}",
        answer.text
    );
    next(&session, "Read", json!({"file_path": "f"})).await;
    assert!(!next(&session, "Edit", edit("two", "2")).await.is_error);
}
