//! Programs that stay between calls: in terminals, and in interpreters.

mod capture;
mod interpreters;
mod lifetime;
mod programs;

use crate::harness::{Answer, Session, left_out};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Against hanging only.
const PATIENCE: Duration = Duration::from_secs(60);

/// A session whose programs find what is installed.
fn session() -> Session {
    let path = std::env::var("PATH").unwrap();
    Session::new().env("PATH", &path).env("HOME", &std::env::var("HOME").unwrap_or_default())
}

/// A call that must not hang.
async fn call(session: &Session, tool: &str, input: Value) -> Answer {
    tokio::time::timeout(PATIENCE, session.call(tool, input)).await.expect("the call hangs")
}

async fn tungsten(session: &Session, input: Value) -> Answer {
    call(session, "Tungsten", input).await
}

/// A call of Tungsten that must succeed: the screen.
async fn screen(session: &Session, input: Value) -> String {
    let answer = tungsten(session, input).await;
    assert!(!answer.is_error, "{}", answer.text);
    answer.data["view"]["screen"].as_str().unwrap().to_owned()
}

/// Opens a shell with a prompt that is easily told.
async fn open_shell(session: &Session) {
    let first = screen(session, json!({"action": "open", "wait_for_regex": "[$#]$"})).await;
    assert!(first.ends_with(['$', '#']), "{first}");
}

/// Whether a program is there; a test without it is left out.
fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        left_out(program);
    }
    found
}

/// Whether a process lives.
fn lives(id: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(id.trim()).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}
