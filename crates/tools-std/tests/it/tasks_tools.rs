//! TaskOutput and TaskStop.

use crate::tasks::{LONG, background, line_of, lives, session, tasks};
use pegboard_tool_core::{Availability, CancellationToken, Concurrency, ToolEnv};
use serde_json::json;
use std::process::Command;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn each_part_of_an_output_is_shown_once() {
    let session = session();
    Command::new("mkfifo").arg(session.root.join("go")).status().unwrap();
    let (id, path) = background(&session, "echo one; read x < go; echo $x; exit 4").await;
    line_of(&path).await;
    let look = json!({"task_id": id, "block": false});
    let first = session.call("TaskOutput", look.clone()).await;
    assert_eq!(
        first.text.replace(&path, "PATH"),
        "bash_1 (echo one; read x < go; echo $x; exit 4) runs since 0 s\none\n\
         [all 4 bytes of output are in PATH]"
    );
    let second = session.call("TaskOutput", look).await;
    assert!(second.text.contains("\n[nothing new was printed]\n"), "{}", second.text);
    std::fs::write(session.root.join("go"), "two\n").unwrap();
    let last = session.call("TaskOutput", json!({"task_id": id})).await;
    assert!(last.text.contains("exited with code 4 after 0 s\ntwo\n[all 8 bytes"), "{}", last.text);
    assert_eq!(last.data["end"], json!({"how": "exited", "code": 4, "signal": null}));
    // The model knows of the end, so nobody wakes it.
    assert!(tasks(&session).take_events().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_is_bounded_and_ends_when_it_is_cancelled() {
    let session = session();
    let (id, _) = background(&session, "sleep 331").await;
    let answer = session.call("TaskOutput", json!({"task_id": id, "timeout": 50})).await;
    assert!(answer.text.contains("runs since"), "{}", answer.text);
    let cancel = CancellationToken::new();
    let ctx = session.ctx().with_cancel(cancel.clone());
    let call = session.call_in("TaskOutput", json!({"task_id": id, "timeout": 600_000}), ctx, |grant| grant);
    let (answer, ()) = tokio::join!(call, async { cancel.cancel() });
    assert!(answer.is_error && answer.text.contains("interrupted"));
    let invocation =
        session.tool("TaskOutput").prepare(json!({"task_id": id, "timeout": 1e12}).into(), &session.ctx());
    let invocation = invocation.unwrap();
    assert_eq!(invocation.time_limit(), Some(Duration::from_secs(615)));
    assert_eq!(invocation.concurrency(), Concurrency::Shared);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_part_is_shown_by_its_ends() {
    let session = session().env("BASH_MAX_OUTPUT_LENGTH", "1000");
    let (id, _) = background(&session, "seq 1 100000").await;
    let answer = session.call("TaskOutput", json!({"task_id": id})).await;
    assert!(answer.text.contains("\n1\n2\n3\n") && answer.text.contains("\n99999\n100000\n["));
    assert!(answer.text.contains("bytes left out here") && answer.text.len() < 1_500, "{}", answer.text);
    assert_eq!(answer.data["new_bytes"], 588_895);
    let half = background(&session, "printf 'a\\xe2'; sleep 332").await.0;
    let read = async {
        loop {
            let answer = session.call("TaskOutput", json!({"task_id": half, "block": false})).await;
            if answer.data["output"] != "" {
                return answer.data;
            }
        }
    };
    let data = tokio::time::timeout(LONG, read).await.unwrap();
    assert_eq!(data["output"], "a", "the rest of the letter is still to come");
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_ends_everything_and_knows_what_runs() {
    let session = session();
    let (id, path) = background(&session, "trap '' TERM; echo $$; setsid sleep 333; :").await;
    let pid = line_of(&path).await;
    let unknown = session.call("TaskStop", json!({"task_id": "bash_99"})).await;
    assert_eq!(
        unknown.text,
        "there is no background task `bash_99`; running background tasks: \
         bash_1 (trap '' TERM; echo $$; setsid sleep 333; :)"
    );
    let answer = session.call("TaskStop", json!({"shell_id": id})).await;
    assert!(!answer.is_error && answer.text.ends_with("was stopped"), "{}", answer.text);
    assert_eq!(answer.data["task_type"], "bash");
    assert!(!lives(&pid) && !crate::bash::runs("sleep 333"));
    let again = session.call("TaskStop", json!({"task_id": id})).await;
    assert!(again.is_error && again.text.ends_with("is over already: it was stopped"), "{}", again.text);
    let none = session.call("TaskOutput", json!({"task_id": "x"})).await;
    assert_eq!(none.text, "there is no background task `x`; running background tasks: none");
    for input in [json!({}), json!({"task_id": "a", "shell_id": "b"}), json!({"task_id": ""})] {
        assert!(session.call("TaskStop", input).await.is_error);
    }
}

#[test]
fn without_background_there_are_no_tools_for_it() {
    let session = session();
    let mut env = ToolEnv::new();
    assert_eq!(session.tool("TaskStop").availability(&env), Availability::Here);
    assert!(
        matches!(session.tool("Monitor").availability(&env), Availability::Absent(text) if text.contains("flag"))
    );
    env.flags.insert("monitor".into());
    assert_eq!(session.tool("Monitor").availability(&env), Availability::Here);
    env.vars.insert("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS".into(), "1".into());
    for name in ["TaskOutput", "TaskStop", "Monitor"] {
        assert!(matches!(session.tool(name).availability(&env), Availability::Absent(_)), "{name}");
    }
}
