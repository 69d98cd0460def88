//! Terminals whose programs are supervised: they have them as if they were not.

use crate::harness::Session;
use crate::{in_runtime, services};
use pegboard_process::{Confinement, Limits, Orphans};
use serde_json::{Value, json};

fn session() -> Session {
    assert_eq!(Confinement::new(Limits::none()).report().orphans, Orphans::Ended);
    Session::with(services(Limits::none())).env("PATH", &std::env::var("PATH").unwrap())
}

async fn screen(session: &Session, input: Value) -> String {
    let answer = session.call("Tungsten", input.clone()).await;
    assert!(!answer.is_error, "{input}: {}", answer.text);
    assert!(!answer.text.contains("did not come"), "{input}: {}", answer.text);
    answer.text
}

/// Types a line, and waits for what comes of it.
async fn line(session: &Session, keys: &str, expected: &str) -> String {
    screen(session, json!({"action": "send", "keys": keys, "wait_for_regex": expected, "timeout": 30000}))
        .await
}

async fn shell() -> Session {
    let session = session();
    screen(&session, json!({"action": "open", "wait_for_regex": "[$#]$"})).await;
    session
}

pub(crate) fn keys_reach_the_program() {
    in_runtime(async {
        let session = shell().await;
        line(&session, "bash -c 'echo up; exec sleep 1000'<Enter>", "^up$").await;
        line(&session, "<C-c>", r"\^C\n.*[$#]$").await;
        line(&session, "echo code $?<Enter>", "^code 130$").await;
        // The whole foreground group, and the supervisor not: the shell still answers.
        line(&session, "sh -c 'sleep 1000; :' | cat<Enter>", "cat$").await;
        line(&session, "<C-\\>", r"Quit").await;
        line(&session, "echo $((40 + 2))<Enter>", "^42$").await;
        line(&session, "kill -INT 0; echo $((50 + 2))<Enter>", r"[$#] (\n|.)*[$#]$").await;
        line(&session, "echo $((60 + 2))<Enter>", "^62$").await;
        let last =
            screen(&session, json!({"action": "send", "keys": "exit 3<Enter>", "wait_end": true})).await;
        assert!(last.contains("the program ended with exit code 3"), "{last}");
    });
}

pub(crate) fn a_terminal_tells_sizes_and_ends() {
    in_runtime(async {
        let session = shell().await;
        line(
            &session,
            "trap 'echo resized $(stty size)' WINCH; tty; : </dev/tty && echo mine<Enter>",
            "^mine$",
        )
        .await;
        screen(&session, json!({"action": "resize", "rows": 30, "cols": 100, "wait_idle": 100})).await;
        line(&session, "<Enter>", "resized 30 100$").await;
        for (command, expected) in [
            ("exit 7", "ended with exit code 7"),
            ("kill -9 $$", "ended by a signal: Killed"),
            ("kill -HUP $$", "ended by a signal: Hangup"),
            ("setsid sleep 300 & echo left", "ended with exit code 0"),
        ] {
            let input = json!({"action": "open", "session": "s", "command": command, "wait_end": true});
            let text = screen(&session, input).await;
            assert!(text.contains(expected), "{command}: {text}");
            screen(&session, json!({"action": "close", "session": "s"})).await;
        }
    });
}

pub(crate) fn jobs_have_the_terminal_in_turn() {
    in_runtime(async {
        let session = shell().await;
        line(&session, "cat<Enter>", "cat$").await;
        line(&session, "typed<Enter>", "^typed\ntyped$").await;
        line(&session, "<C-z>", r"Stopped +cat").await;
        line(&session, "echo $((10 + 1))<Enter>", "^11$").await;
        line(&session, "fg<Enter>", "^cat$").await;
        line(&session, "again<Enter>", "^again\nagain$").await;
        line(&session, "<C-d>", "[$#]$").await;
        line(&session, "echo $((10 + 2))<Enter>", "^12$").await;
    });
}
