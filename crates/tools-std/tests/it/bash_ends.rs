//! What a line of Bash leaves, and what is said of it.

use crate::harness::Session;
use serde_json::json;

fn session() -> Session {
    let session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
    std::fs::create_dir(session.root.join("sub")).unwrap();
    session
}

#[tokio::test]
async fn a_line_that_does_not_tell_where_it_ended_says_so() {
    let session = session();
    let says =
        format!("Shell cwd was reset to {} (where the line ended is not known", session.root.display());
    for (line, is_said) in [
        ("cd sub; trap 'echo bye' EXIT", true),
        ("trap \"\" EXIT; cd sub", true),
        ("cd sub; exec true", true),
        ("cd sub; exec false", true),
        ("pushd sub; exec true", true),
        ("mkdir gone; cd gone; rmdir ../gone", true),
        ("trap 'echo bye' EXIT", false),
        ("exec true", false),
        ("cd sub; cd ..", false),
        ("cd sub", false),
        ("cd sub; false", false),
        ("(cd sub; exec true)", false),
    ] {
        let answer = session.call("Bash", json!({"command": line})).await;
        assert_eq!(answer.text.contains(&says), is_said, "{line}: {}", answer.text);
    }
}

#[tokio::test]
async fn jobs_that_had_to_be_ended_are_told() {
    let session = session();
    let one = "[1 job that the line left running was ended; use run_in_background for what is to go on]";
    let two = "[2 jobs that the line left running were ended; use run_in_background for what is to go on]";
    for (line, expected) in [
        ("sleep 313 >/dev/null 2>&1 &", one),
        ("sleep 313 & sleep 313 & cd sub", two),
        ("nohup sleep 313 >/dev/null 2>&1 &", one),
        ("sleep 313 & echo x; false", one),
        ("sleep 313 & kill $!; wait", ""),
        ("true & wait", ""),
        ("true", ""),
        ("trap - EXIT; sleep 313 >/dev/null 2>&1 &", ""),
    ] {
        let answer = session.call("Bash", json!({"command": line})).await;
        let said: Vec<&str> = answer.text.lines().filter(|text| text.contains("left running")).collect();
        assert_eq!(said.join("\n"), expected, "{line}: {}", answer.text);
        assert!(!crate::bash::runs("sleep 313"), "{line}");
    }
}
