//! What calls declare, so that those that name a task come after the one that starts it.

use crate::harness::Session;
use crate::tasks::{LONG, background, line_of, session, tasks};
use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_tool_core::{Access, Accesses, Concurrency, Resource};
use pegboard_tools_std::Services;
use serde_json::{Value, json};
use std::process::Command;
use std::sync::Arc;

fn knowing() -> Session {
    Session::with(Services::new().with_analyzer(Arc::new(ShellAnalyzer::new())))
}

/// How a call may overlap, and what it touches.
fn declared(session: &Session, tool: &str, input: &Value) -> (Concurrency, Accesses, bool) {
    let call = session.tool(tool).prepare(Arc::new(input.clone()), &session.ctx()).unwrap();
    (call.concurrency(), call.accesses().clone(), call.changes_context())
}

fn only(accesses: &[Access]) -> Accesses {
    Accesses::Only(Arc::from(accesses))
}

#[test]
fn whatever_starts_a_task_runs_alone() {
    let session = knowing();
    for (tool, input) in [
        ("Bash", json!({"command": "tail -f f", "run_in_background": true})),
        ("Bash", json!({"command": "sleep 3", "run_in_background": true})),
        ("Bash", json!({"command": "make", "run_in_background": true})),
        ("Bash", json!({"command": "make"})),
        ("PowerShell", json!({"command": "Get-Date", "run_in_background": true})),
        ("PowerShell", json!({"command": "Get-Date"})),
        ("Monitor", json!({"command": "tail -f f", "description": "x"})),
    ] {
        let (concurrency, accesses, _) = declared(&session, tool, &input);
        assert_eq!((concurrency, accesses), (Concurrency::Exclusive, Accesses::Everything), "{tool} {input}");
    }
}

#[test]
fn a_line_in_the_background_moves_no_directory() {
    let session = knowing();
    for (command, is_in_background, changes) in
        [("cd x && make", true, false), ("cd x && make", false, true), ("tail -f f", false, false)]
    {
        let input = json!({"command": command, "run_in_background": is_in_background});
        assert_eq!(declared(&session, "Bash", &input).2, changes, "{input}");
    }
}

#[cfg(feature = "web")]
#[test]
fn a_watch_of_an_address_changes_the_tasks() {
    let input = json!({"ws": {"url": "wss://example.com/x"}, "description": "x"});
    let (concurrency, accesses, _) = declared(&knowing(), "Monitor", &input);
    let tasks = Access::write(Resource::State("tasks".into()));
    let host = Access::read(Resource::Host("example.com".into()));
    assert_eq!((concurrency, accesses), (Concurrency::Exclusive, only(&[host, tasks])));
}

#[test]
fn a_line_that_may_become_a_task_is_seen_by_those_that_name_tasks() {
    let mut session = knowing();
    let files = Access::read(Resource::Tree("/".into()));
    let tasks = Access::read(Resource::State("tasks".into()));
    // It is moved at its limit.
    let line = json!({"command": "tail -f f"});
    let both = (Concurrency::Shared, only(&[files.clone(), tasks]), false);
    assert_eq!(declared(&session, "Bash", &line), both);
    // These are killed.
    let alone = (Concurrency::Shared, only(&[files]), false);
    assert_eq!(declared(&session, "Bash", &json!({"command": "sleep 3"})), alone);
    session = session.env("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
    assert_eq!(declared(&session, "Bash", &line), alone);
    let changes = only(&[Access::write(Resource::State("tasks".into()))]);
    for (tool, input) in
        [("TaskStop", json!({"task_id": "bash_1"})), ("TaskOutput", json!({"task_id": "bash_1"}))]
    {
        let (concurrency, accesses, _) = declared(&session, tool, &input);
        assert_eq!((concurrency, accesses), (Concurrency::Exclusive, changes.clone()), "{tool}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_at_tasks_that_are_there_overlap_unless_they_are_at_the_same() {
    let session = session();
    let (one, _) = background(&session, "true").await;
    let (other, _) = background(&session, "true").await;
    let tasks = Access::read(Resource::State("tasks".into()));
    let output = |id: &str| Access::write(Resource::State(format!("output of task {id}").into()));
    for id in [one, other] {
        let wanted = (Concurrency::Shared, only(&[tasks.clone(), output(&id)]), false);
        assert_eq!(declared(&session, "TaskOutput", &json!({"task_id": id})), wanted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_at_once_show_each_part_once_and_the_first_shows_the_end() {
    for round in 0..20 {
        let session = session();
        Command::new("mkfifo").arg(session.root.join("go")).status().unwrap();
        let (id, path) = background(&session, "echo one; read x < go; seq 1 2000").await;
        line_of(&path).await;
        // Who comes while it runs.
        let glance = json!({"task_id": id, "block": false});
        let looks = (0..8).map(|_| session.call("TaskOutput", glance.clone()));
        let shown = texts(looks).await;
        assert_eq!(shown.iter().filter(|text| !text.is_empty()).collect::<Vec<_>>(), ["one\n"], "{round}");
        // Who waits for the end.
        let wait = json!({"task_id": id});
        let looks = texts((0..8).map(|_| session.call("TaskOutput", wait.clone())));
        let go = async { std::fs::write(session.root.join("go"), "\n").unwrap() };
        let (shown, ()) = tokio::join!(looks, go);
        let all: String = (1..=2000).map(|n| format!("{n}\n")).collect();
        assert_eq!(shown[0], all, "{round}");
        assert!(shown[1..].iter().all(String::is_empty), "{round}: {shown:?}");
    }
}

/// What the calls showed, in their order. They run at once.
async fn texts(calls: impl Iterator<Item = impl Future<Output = crate::harness::Answer>>) -> Vec<String> {
    let answers = futures_util::future::join_all(calls);
    let answers = tokio::time::timeout(LONG, answers).await.unwrap();
    answers.iter().map(|answer| answer.data["output"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_an_earlier_run_are_known_and_their_ids_are_not_given_away() {
    let session = session();
    let (id, path) = background(&session, "echo one; exec sleep 351").await;
    assert_eq!((id.as_str(), line_of(&path).await.as_str()), ("bash_1", "one"));
    // Another run in the same folder, beside this one: both count on.
    let mut other = crate::tasks::session();
    other.snapshot.session_dir = session.snapshot.session_dir.clone();
    assert_eq!(background(&other, "exec sleep 352").await.0, "bash_2");
    assert_eq!(background(&session, "exec sleep 353").await.0, "bash_3");
    for tool in ["TaskOutput", "TaskStop"] {
        let answer = other.call(tool, json!({"task_id": "bash_1"})).await;
        assert_eq!(
            answer.text,
            format!(
                "`bash_1` (echo one; exec sleep 351) is a background task of an earlier run of this session and \
                 ended with it; its output is in {path}; running background tasks: bash_2 (exec sleep 352)"
            )
        );
        assert!(answer.is_error);
    }
    assert_eq!(tasks(&session).list().iter().filter(|task| task.end.is_none()).count(), 2);
}
