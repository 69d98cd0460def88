//! Servers that break, hang, lie or shout.

use super::{ask, ask_ok, gone, got, session};
use crate::harness::Session;
use pegboard_tool_core::CancellationToken;
use serde_json::{Value, json};
use std::time::Duration;

fn hover() -> Value {
    json!({"operation": "hover", "file_path": "a.fake", "symbol": "one"})
}

async fn fails(session: &Session) -> String {
    let answer = ask(session, hover()).await;
    assert!(answer.is_error, "{}", answer.text);
    answer.text
}

#[tokio::test]
async fn a_server_that_dies_is_started_again_and_not_for_ever() {
    let (session, log) = session("crash_once");
    assert!(ask_ok(&session, hover()).await.starts_with("version 1"));
    assert_eq!(got(&log, "initialize").len(), 2);
    let (session, log) = super::session("crash");
    for _ in 0..4 {
        let text = fails(&session).await;
        assert!(text.contains("boom"), "{text}");
    }
    assert_eq!(got(&log, "initialize").len(), 5);
    let text = fails(&session).await;
    assert!(text.starts_with("the language server fake was started 5 times in this session"), "{text}");
    assert!(text.contains("It complained:\nthread main panicked: boom"), "{text}");
}

#[tokio::test]
async fn a_server_that_does_not_speak_the_protocol_is_ended() {
    for (mode, reason) in [
        ("noise", "it wrote `Warning: this is no message` where a message begins"),
        ("lies", "it announced a message of 999999999999 bytes"),
        ("dies", "missing component"),
    ] {
        let (session, log) = session(mode);
        let text = fails(&session).await;
        assert!(
            text.starts_with("the language server fake did not start: ") && text.contains(reason),
            "{mode}: {text}"
        );
        assert!(text.len() < 2_000, "{mode}: {}", text.len());
        gone(&log).await;
    }
}

#[tokio::test]
async fn a_server_that_never_answers_does_not_hang_a_call() {
    let (session, log) = session("silent");
    let text = fails(&session).await;
    assert!(text.contains("did not start: the language server did not answer in time"), "{text}");
    gone(&log).await;
    let (session, log) = super::session("hang");
    fails(&session).await;
    let text = fails(&session).await;
    assert!(text.contains("fake: the language server did not answer in time"), "{text}");
    gone(&log).await;
}

#[tokio::test]
async fn a_refusal_is_told_in_the_servers_words() {
    let (session, _) = session("refuses");
    assert_eq!(fails(&session).await, "fake: the language server says: no idea");
}

#[tokio::test]
async fn a_cancelled_question_is_cancelled_at_the_server_too() {
    let (session, log) = session("plain");
    let hover = json!({"operation": "hover", "file_path": "a.fake", "line": 1, "symbol": "one"});
    ask_ok(&session, hover.clone()).await;
    // One that never answers a single question, but reads on.
    let (slow, slow_log) = super::session("slow");
    let cancel = CancellationToken::new();
    let ctx = slow.ctx().with_cancel(cancel.clone());
    let call = slow.call_in("LSP", hover, ctx, |grant| grant);
    let both = async {
        tokio::join!(call, async {
            while !slow_log.exists() || got(&slow_log, "textDocument/hover").is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cancel.cancel();
        })
    };
    let (answer, ()) = tokio::time::timeout(Duration::from_secs(30), both).await.unwrap();
    assert_eq!(answer.text, "the call was interrupted");
    let told = async {
        while got(&slow_log, "$/cancelRequest").is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), told).await.unwrap();
    let hovers = got(&slow_log, "textDocument/hover");
    assert_eq!(got(&slow_log, "$/cancelRequest")[0]["params"]["id"], hovers[0]["id"]);
    assert!(got(&log, "$/cancelRequest").is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_installed_is_named() {
    let (mut session, _) = session("plain");
    std::sync::Arc::make_mut(&mut session.snapshot.env).insert("PATH".to_owned(), ".:bin".to_owned());
    session.write("python3", "#!/bin/sh\n");
    let text = fails(&session).await;
    assert_eq!(text, "the language server fake is not installed: there is no `python3` on PATH");
    let folder = session.root.join("folder");
    std::fs::create_dir_all(folder.join("python3")).unwrap();
    let folder = folder.to_str().unwrap().to_owned();
    std::sync::Arc::make_mut(&mut session.snapshot.env).insert("PATH".to_owned(), folder);
    let text = fails(&session).await;
    assert_eq!(text, "the language server fake cannot be started: `python3` is a folder, no program");
}

#[tokio::test]
async fn files_that_are_no_texts_are_refused() {
    let (session, _) = session("plain");
    session.write("bin.fake", b"\x00\x01\x02\x03");
    std::fs::create_dir(session.root.join("dir.fake")).unwrap();
    for (path, reason) in
        [("bin.fake", "is a binary file"), ("dir.fake", "is a directory"), ("no.fake", "does not exist")]
    {
        let answer = ask(&session, json!({"operation": "diagnostics", "file_path": path})).await;
        assert!(answer.is_error && answer.text.contains(reason), "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn many_files_do_not_stay_open() {
    let (session, log) = session("plain");
    for number in 0..60 {
        session.write(&format!("f{number}.fake"), "x\n");
        let path = format!("f{number}.fake");
        ask_ok(&session, json!({"operation": "hover", "file_path": path, "line": 1, "character": 1})).await;
    }
    assert_eq!(got(&log, "textDocument/didClose").len(), 10);
}
