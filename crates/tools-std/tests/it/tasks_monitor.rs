//! Monitor: lines of a command as events.

use crate::harness::Session;
use crate::tasks::{LONG, session, tasks};
use pegboard_tools_std::shell::{TaskEnd, TaskEvent};
use serde_json::{Value, json};

/// The lines of all events up to the end of the watch, and how it ended.
async fn seen(session: &Session) -> (Vec<String>, u64, TaskEnd) {
    let (mut all, mut lost) = (Vec::new(), 0);
    let collect = async {
        loop {
            for event in tasks(session).next_events().await {
                match event {
                    TaskEvent::Lines { lines, dropped, .. } => {
                        all.extend(lines);
                        lost += dropped;
                    }
                    TaskEvent::Ended(task) => return task.end.unwrap(),
                    other => panic!("{other:?}"),
                }
            }
        }
    };
    let end = tokio::time::timeout(LONG, collect).await.unwrap();
    (all, lost, end)
}

fn input(command: &str) -> Value {
    json!({"command": command, "description": "a test"})
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_of_standard_output_is_an_event() {
    let session = session();
    let answer =
        session.call("Monitor", input("echo one; echo hidden >&2; printf 'two\\nthree'; exit 5")).await;
    assert!(!answer.is_error, "{}", answer.text);
    assert_eq!((&answer.data["taskId"], &answer.data["timeoutMs"]), (&json!("monitor_1"), &json!(300_000)));
    let (lines, lost, end) = seen(&session).await;
    assert_eq!((lines, lost), (vec!["one".to_owned(), "two".into(), "three".into()], 0));
    assert_eq!(end, TaskEnd::Exited { code: Some(5), signal: None });
    let file = std::fs::read_to_string(answer.data["outputFile"].as_str().unwrap()).unwrap();
    assert!(file.contains("hidden\n") && file.contains("one\n") && file.contains("three"), "{file}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_bounded_and_counted() {
    let session = session();
    let answer = session.call("Monitor", input("seq 1 50000")).await;
    let id = answer.data["taskId"].as_str().unwrap();
    tokio::time::timeout(LONG, tasks(&session).wait(id)).await.unwrap();
    let (lines, lost, _) = seen(&session).await;
    assert_eq!((lines.len(), lost), (200, 49_800));
    assert_eq!(lines.last().unwrap(), "50000");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_ends_at_its_time_or_when_it_is_stopped() {
    let session = session();
    let mut short = input("echo up; sleep 341");
    short["timeout_ms"] = json!(300);
    assert!(!session.call("Monitor", short).await.is_error);
    let (lines, _, end) = seen(&session).await;
    assert_eq!((lines, end), (vec!["up".to_owned()], TaskEnd::TimedOut));
    let mut lasting = input("sleep 341");
    lasting["persistent"] = json!(true);
    let answer = session.call("Monitor", lasting).await;
    assert_eq!((&answer.data["persistent"], &answer.data["timeoutMs"]), (&json!(true), &json!(0)));
    let answer = session.call("TaskStop", json!({"task_id": answer.data["taskId"]})).await;
    assert!(!answer.is_error && !crate::bash::runs("sleep 341"), "{}", answer.text);
}

#[tokio::test]
async fn c_t_34_a_watch_needs_something_to_watch() {
    let session = session();
    for wrong in [
        json!({"description": "nothing"}),
        json!({"description": "both", "command": "touch x", "ws": {"url": "wss://example.com"}}),
        json!({"description": "", "command": "touch x"}),
        json!({"description": "time", "command": "touch x", "timeout_ms": -1}),
    ] {
        assert!(session.call("Monitor", wrong.clone()).await.is_error, "{wrong}");
    }
    let mut long = input("true");
    long["timeout_ms"] = json!(1e15);
    assert_eq!(session.call("Monitor", long).await.data["timeoutMs"], 3_600_000);
    let off = session.env("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
    assert!(off.call("Monitor", input("touch x")).await.is_error);
    assert!(!off.root.join("x").exists());
}
