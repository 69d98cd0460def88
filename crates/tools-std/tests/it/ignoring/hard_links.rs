//! Hard links: other names of closed files, which no pattern names.

use super::{check, line, session};
use crate::harness::Session;
use pegboard_tool_core::ToolCheck;
use serde_json::json;
use std::fs::hard_link;

const SAYS: &str = "is a hard link to a file that is closed by .pegboardignore, so it is closed too";

#[tokio::test]
async fn another_name_of_a_closed_file_is_closed_to_every_tool() {
    let session = session();
    // One in the project, and one outside of it.
    let outside = Session::new();
    let far = outside.root.join("far").display().to_string();
    hard_link(session.root.join(".env"), session.root.join("near")).unwrap();
    hard_link(session.root.join("secret/deep/key"), &far).unwrap();
    for path in ["near", far.as_str()] {
        for (tool, input) in [
            ("Read", json!({"file_path": path})),
            ("Write", json!({"file_path": path, "content": "x"})),
            ("Edit", json!({"file_path": path, "old_string": "hit", "new_string": "x"})),
            ("Grep", json!({"pattern": "hit", "path": path})),
        ] {
            let says = format!("{path} {SAYS}");
            assert_eq!(check(&session, tool, input.clone()).await, ToolCheck::Deny(says.clone()), "{tool}");
            let answer = session.call(tool, input).await;
            assert!(answer.is_error && answer.text == says, "{tool}: {}", answer.text);
        }
        let (word, reason) = line(&session, &format!("cat {path}")).await;
        assert!(word == "deny" && reason.contains(SAYS), "{word} {reason}");
    }
    assert_eq!(session.bytes(".env"), b"hit KEY=1\n");
    // Searches leave it out.
    let glob = session.call("Glob", json!({"pattern": "**/*"})).await;
    assert!(glob.text.contains("open.txt") && !glob.text.contains("near"), "{}", glob.text);
    let grep = session.call("Grep", json!({"pattern": "hit", "output_mode": "content"})).await;
    assert!(grep.text.contains("open.txt") && !grep.text.contains("KEY"), "{}", grep.text);
}

#[tokio::test]
async fn other_files_with_several_names_and_copies_are_open() {
    let session = session();
    hard_link(session.root.join("open.txt"), session.root.join("second.txt")).unwrap();
    std::fs::copy(session.root.join("secret/deep/key"), session.root.join("copy")).unwrap();
    for path in ["second.txt", "open.txt", "copy"] {
        let answer = session.call("Read", json!({"file_path": path})).await;
        assert!(!answer.is_error, "{path}: {}", answer.text);
    }
    // A link that is made between the judgement and the run.
    session.write("late", "x");
    let answer = session
        .call_in("Read", json!({"file_path": "late"}), session.ctx(), |grant| {
            std::fs::remove_file(session.root.join("late")).unwrap();
            hard_link(session.root.join(".env"), session.root.join("late")).unwrap();
            grant
        })
        .await;
    assert_eq!(answer.text, format!("late {SAYS}"));
    // When the closed name goes, its content is a file like any other.
    std::fs::remove_file(session.root.join(".env")).unwrap();
    assert!(!session.call("Read", json!({"file_path": "late"})).await.is_error);
    // So it is when the patterns change.
    hard_link(session.root.join("secret/deep/key"), session.root.join("third")).unwrap();
    assert!(session.call("Read", json!({"file_path": "third"})).await.is_error);
    session.write(".pegboardignore", ".env*\n");
    assert!(!session.call("Read", json!({"file_path": "third"})).await.is_error);
}

#[tokio::test]
async fn another_name_of_an_ignore_file_is_read_and_not_written() {
    let session = session();
    hard_link(session.root.join(".pegboardignore"), session.root.join("rules")).unwrap();
    assert!(!session.call("Read", json!({"file_path": "rules"})).await.is_error);
    let input = json!({"file_path": "rules", "old_string": ".env*", "new_string": "#"});
    let answer = session.call("Edit", input).await;
    assert!(answer.is_error && answer.text.contains("another name of an ignore file"), "{}", answer.text);
    assert!(session.bytes(".pegboardignore").starts_with(b"# closed\n.env*"));
    // While an ignore file is broken all of its folder is closed, under any name.
    let outside = Session::new();
    hard_link(session.root.join("open.txt"), outside.root.join("o")).unwrap();
    let input = json!({"file_path": outside.root.join("o")});
    assert!(!session.call("Read", input.clone()).await.is_error);
    session.write(".pegboardignore", "[z");
    let answer = session.call("Read", input).await;
    assert!(answer.is_error && answer.text.contains("closed by the ignore files"), "{}", answer.text);
}
