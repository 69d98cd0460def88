//! How long programs in terminals live: never longer than who owns them.

use super::{PATIENCE, lives, open_shell, screen, session, tungsten};
use pegboard_tool_core::{CancellationToken, ToolContext};
use pegboard_tools_std::terminal::close_all;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Programs that do not want to end: in the background, in another session, deaf to signals.
const STUBBORN: &str = "(trap '' HUP TERM INT; echo $BASHPID > a.pid; exec sleep 1000) & \
    setsid bash -c 'trap \"\" HUP TERM; echo $$ > b.pid; sleep 1000; true' & \
    until [ -s a.pid ] && [ -s b.pid ]; do :; done; echo both run; exec sleep 1000";

#[tokio::test]
async fn closing_ends_everything_that_the_program_started() {
    let session = session();
    screen(&session, json!({"action": "open", "command": STUBBORN, "wait_for": "both run"})).await;
    let ids = ["a.pid", "b.pid"].map(|name| String::from_utf8(session.bytes(name)).unwrap());
    assert!(ids.iter().all(|id| lives(id)));
    let answer = tungsten(&session, json!({"action": "close"})).await;
    assert!(answer.text.contains("closed, and the program with it"), "{}", answer.text);
    assert!(!ids.iter().any(|id| lives(id)));
    assert_eq!(tungsten(&session, json!({"action": "list"})).await.text, "No terminal is open.");
}

#[tokio::test]
async fn the_end_of_the_session_is_the_end_of_its_terminals() {
    let mut session = session();
    screen(&session, json!({"action": "open", "command": STUBBORN, "wait_for": "both run"})).await;
    let ids = ["a.pid", "b.pid"].map(|name| String::from_utf8(session.bytes(name)).unwrap());
    session.snapshot.session = Arc::default();
    assert!(!ids.iter().any(|id| lives(id)));
}

#[tokio::test]
async fn what_a_program_leaves_ends_with_it() {
    let session = session();
    let command = "setsid sleep 1000 & echo $! > a.pid; exit 0";
    tungsten(&session, json!({"action": "open", "command": command, "wait_end": true})).await;
    assert!(!lives(&String::from_utf8(session.bytes("a.pid")).unwrap()));
}

#[tokio::test]
async fn a_host_closes_what_an_agent_left() {
    let session = session();
    let agent = |id: &str| {
        let mut snapshot = session.snapshot.clone();
        snapshot.agent_id = Some(Arc::from(id));
        ToolContext::new(Arc::new(snapshot))
    };
    let open = |pid: &str| json!({"action": "open", "command": format!("echo $$ > {pid}; echo up; exec sleep 1000"), "wait_for": "up"});
    for (id, pid) in [("one", "one.pid"), ("two", "two.pid")] {
        // Both may have the same name: neither sees the other's.
        let answer = session.call_in("Tungsten", open(pid), agent(id), |grant| grant).await;
        assert!(answer.text.starts_with("[main:"), "{}", answer.text);
    }
    assert!(tungsten(&session, json!({"action": "read"})).await.text.contains("no terminal is open"));
    let lives = |pid: &str| lives(&String::from_utf8(session.bytes(pid)).unwrap());
    close_all(&session.snapshot.session, Some("one")).await;
    assert!(!lives("one.pid") && lives("two.pid"));
    close_all(&session.snapshot.session, None).await;
    assert!(!lives("two.pid"));
}

#[tokio::test]
async fn a_cancelled_open_leaves_nothing_and_a_cancelled_wait_leaves_the_terminal() {
    let session = session();
    let token = CancellationToken::new();
    let ctx = session.ctx().with_cancel(token.clone());
    let open = json!({"action": "open", "command": "echo $$ > a.pid; exec sleep 1000", "wait_for": "never", "timeout": 60000});
    let pid = session.root.join("a.pid");
    let watcher = tokio::task::spawn_blocking(move || {
        while std::fs::read(&pid).map_or(0, |bytes| bytes.len()) == 0 {
            std::thread::yield_now();
        }
        token.cancel();
    });
    let call = session.call_in("Tungsten", open, ctx, |grant| grant);
    let answer = tokio::time::timeout(PATIENCE, call).await.unwrap();
    watcher.await.unwrap();
    assert_eq!(answer.text, "the call was interrupted");
    assert!(!lives(&String::from_utf8(session.bytes("a.pid")).unwrap()));
    assert_eq!(tungsten(&session, json!({"action": "list"})).await.text, "No terminal is open.");

    open_shell(&session).await;
    // Dropped in the middle of its wait.
    let wait = session.call("Tungsten", json!({"action": "read", "wait_for": "never", "timeout": 60000}));
    assert!(tokio::time::timeout(Duration::from_millis(20), wait).await.is_err());
    let answer = session.call_cancelled("Tungsten", json!({"action": "read"})).await;
    assert!(answer.is_error);
    screen(&session, json!({"action": "send", "keys": "echo on<Enter>", "wait_for_regex": "^on$"})).await;
}

#[tokio::test]
async fn there_are_only_so_many() {
    let session = session();
    for _ in 0..8 {
        screen(&session, json!({"action": "open", "command": "sleep 1000", "wait_idle": 0})).await;
    }
    let answer = tungsten(&session, json!({"action": "open"})).await;
    assert!(
        answer.is_error && answer.text.contains("8 terminals are open, which is the most"),
        "{}",
        answer.text
    );
    assert!(tungsten(&session, json!({"action": "read"})).await.text.contains("several terminals are open"));
    assert!(!tungsten(&session, json!({"action": "close", "session": "main3"})).await.is_error);
    screen(&session, json!({"action": "open", "session": "again", "command": "sleep 1000", "wait_idle": 0}))
        .await;
}
