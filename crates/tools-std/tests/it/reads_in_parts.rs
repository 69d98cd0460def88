//! What counts as read: what reached the output, in one call or in several.

use crate::harness::{Answer, Session};
use serde_json::{Value, json};

/// A session whose `big` has more lines than are shown at once.
fn big() -> (Session, String) {
    let session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
    let text: String = (1..=5_000).map(|n| format!("line {n} of the big file\n")).collect();
    session.write("big", &text);
    (session, text)
}

async fn read(session: &Session, offset: u64, limit: Option<u64>) -> Answer {
    let mut input = json!({"file_path": "big", "offset": offset});
    if let Some(limit) = limit {
        input["limit"] = limit.into();
    }
    let answer = session.call("Read", input).await;
    assert!(!answer.is_error, "{}", answer.text);
    answer
}

async fn bash(session: &Session, command: &str) -> Answer {
    session.call("Bash", json!({"command": command})).await
}

fn write() -> Value {
    json!({"file_path": "big", "content": "new\n"})
}

async fn refused(session: &Session, says: &str) {
    let answer = session.call("Write", write()).await;
    assert!(answer.is_error && answer.text.contains(says), "{}", answer.text);
}

#[tokio::test]
async fn parts_that_are_all_of_a_file_together_may_be_overwritten() {
    let (session, _) = big();
    read(&session, 1, None).await;
    refused(&session, "PARTIAL view: not seen so far are the lines 2001-5000. Read those too").await;
    read(&session, 2_001, Some(1_000)).await;
    refused(&session, "not seen so far are the lines 3001-5000.").await;
    // What the answer of Read advises, twice.
    read(&session, 3_001, None).await;
    assert!(!session.call("Write", write()).await.is_error);
    assert_eq!(session.bytes("big"), b"new\n");
}

#[tokio::test]
async fn parts_count_in_any_order_and_by_any_tool_as_long_as_nothing_changes() {
    let (session, text) = big();
    read(&session, 4_001, Some(1_000)).await;
    bash(&session, "sed -n '1,900p' big").await;
    bash(&session, "sed -n '901,1000p' big").await;
    read(&session, 1_001, Some(2_000)).await;
    refused(&session, "not seen so far are the lines 3001-4000.").await;
    // Somebody changes it: what was seen is of no use any more.
    session.write("big", text.replace("line 7 ", "Line 7 "));
    read(&session, 3_001, Some(1_000)).await;
    refused(&session, "not seen so far are the lines 1-3000, 4001-5000.").await;
    // Own changes keep what was seen.
    let edit = json!({"file_path": "big", "old_string": "line 3500 of", "new_string": "one\ntwo"});
    assert!(!session.call("Edit", edit).await.is_error);
    refused(&session, "not seen so far are the lines 1-3000, 4002-5001.").await;
    read(&session, 1, None).await;
    read(&session, 2_001, Some(1_000)).await;
    read(&session, 4_002, None).await;
    assert!(!session.call("Write", write()).await.is_error);
}

#[tokio::test]
async fn a_file_of_which_what_was_not_seen_went_is_known() {
    for (seen, text) in [("sed -n '2p' f", "no\nyes\n"), ("grep no f", "no\n")] {
        let session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
        session.write("f", text);
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        std::fs::File::options().write(true).open(session.root.join("f")).unwrap().set_modified(old).unwrap();
        bash(&session, seen).await;
        let edit = json!({"file_path": "f", "old_string": "no\n", "new_string": ""});
        let answer = session.call("Edit", edit).await;
        assert!(!answer.is_error, "{}", answer.text);
        let answer = session.call("Write", json!({"file_path": "f", "content": "new\n"})).await;
        assert!(!answer.is_error, "{seen}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_line_that_is_cut_is_not_asked_to_be_read_again() {
    let (session, text) = big();
    session.write("big", format!("{text}{}\n", "x".repeat(9_000)));
    for offset in [1, 2_001, 4_001] {
        read(&session, offset, None).await;
    }
    refused(
        &session,
        "line 5001 is longer than the 2000 characters that Read shows of one. Change it with Edit",
    )
    .await;
}

#[tokio::test]
async fn parts_are_known_to_the_next_run() {
    let (mut session, _) = big();
    let state = tempfile::tempdir().unwrap();
    for offset in [1, 2_001, 4_001] {
        session.snapshot.session_dir = Some(state.path().to_path_buf());
        session.snapshot.session = std::sync::Arc::default();
        if offset > 2_001 {
            refused(&session, "not seen so far are the lines 4001-5000.").await;
        }
        read(&session, offset, None).await;
    }
    session.snapshot.session = std::sync::Arc::default();
    assert!(!session.call("Write", write()).await.is_error);
}

#[tokio::test]
async fn a_command_that_showed_nothing_of_a_file_is_no_reading() {
    let edit = json!({"file_path": "s", "old_string": "two", "new_string": "2"});
    for (command, counts) in [
        ("head -n 0 s", false),
        ("head -n0 s", false),
        ("head -c0 s", false),
        ("head -c 0 s", false),
        ("tail -n 0 s", false),
        ("tail -c 0 s", false),
        ("tail -n +9 s", false),
        ("sed -n '9p' s", false),
        ("sed -n '9,$p' s", false),
        ("grep zzz s", false),
        ("grep -m 0 one s", false),
        ("cat --help s", false),
        ("cat --version s", false),
        ("head --help s", false),
        ("cat() { :; }; cat s", false),
        ("cat s", true),
        ("cat -n s", true),
        ("cat -A s", true),
        ("nl s", true),
        ("head s", true),
        ("head -n 1 s", true),
        ("head -c 2 s", true),
        ("tail -n 1 s", true),
        ("tail -n +2 s", true),
        ("sed -n '2p' s", true),
        ("sed -n '1,9p' s", true),
        ("grep two s", true),
        ("grep -n two s", true),
        ("grep -H -n -A 1 one s", true),
    ] {
        let session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
        session.write("s", "one\ntwo\n");
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        std::fs::File::options().write(true).open(session.root.join("s")).unwrap().set_modified(old).unwrap();
        bash(&session, command).await;
        let answer = session.call("Edit", edit.clone()).await;
        assert_eq!(!answer.is_error, counts, "{command}: {}", answer.text);
        if !counts {
            assert!(answer.text.contains("has not been read"), "{command}: {}", answer.text);
        }
    }
}
