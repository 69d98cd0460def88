//! LSP: a server for tests with every fault, and real servers where they are installed.

mod fake;
mod faults;
mod real;

use crate::harness::{Answer, Session};
use pegboard_tools_std::Services;
use pegboard_tools_std::settings::ToolSettings;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Services with the test server in a mode; it knows `.fake` files.
fn services(mode: &str, log: &std::path::Path) -> Services {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fake_language_server.py");
    let settings: ToolSettings = serde_json::from_value(json!({"lsp": {
        "startTimeoutSeconds": if mode == "silent" { 1 } else { 30 },
        "requestTimeoutSeconds": if mode == "hang" { 1 } else { 20 },
        "servers": {"fake": {
            "command": "python3",
            "args": [script, mode, log],
            "extensions": ["fake"],
            "rootMarkers": ["fake.toml"],
            "settings": {"fake": {"part": {"x": 1}}},
        }},
    }}))
    .unwrap();
    Services::new().with_settings(settings)
}

/// A session with the test server in a mode.
fn session(mode: &str) -> (Session, PathBuf) {
    session_with(mode, |services| services)
}

fn session_with(mode: &str, more: impl FnOnce(Services) -> Services) -> (Session, PathBuf) {
    // The log is beside the session's folder, which the server does not see as part of the project.
    let log = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    let log = log.keep().unwrap();
    let mut session = Session::with(more(services(mode, &log))).env("PATH", &std::env::var("PATH").unwrap());
    session.snapshot.trusted = true;
    session.write("fake.toml", "");
    session.write("a.fake", "one two\nthree\n");
    (session, log)
}

async fn ask(session: &Session, input: Value) -> Answer {
    let call = session.call("LSP", input);
    tokio::time::timeout(Duration::from_secs(120), call).await.expect("it hangs")
}

async fn ask_ok(session: &Session, input: Value) -> String {
    let shown = input.to_string();
    let answer = ask(session, input).await;
    assert!(!answer.is_error, "{shown}: {}", answer.text);
    answer.text
}

/// What the server got, by method.
fn got(log: &std::path::Path, method: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.filter(|message| message["method"] == *method).collect()
}

fn prepared(session: &Session, input: Value) -> Box<dyn pegboard_tool_core::Invocation> {
    session.tool("LSP").prepare(Arc::new(input), &session.ctx()).unwrap()
}

/// Waits until the server with this log is gone: what was killed needs a moment.
async fn gone(log: &std::path::Path) {
    let is_gone = async {
        while runs(log.to_str().unwrap()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), is_gone).await.expect("the server lives on");
}

/// Whether a process runs whose command line holds this text.
fn runs(text: &str) -> bool {
    let ids =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    ids.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).any(|id| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    })
}
