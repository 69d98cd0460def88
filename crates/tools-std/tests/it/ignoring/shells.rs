//! What other tools than Bash give to a shell is judged as a line of Bash is.

use super::{check, session};
use crate::harness::Session;
use pegboard_tool_core::ToolCheck;
use serde_json::{Value, json};

/// Lines, and the word about each.
const LINES: &[(&str, &str)] = &[
    ("cat .env", "deny"),
    ("cat .e*", "deny"),
    ("cat \".e\"nv", "deny"),
    ("f=.e; cat ${f}nv", "deny"),
    ("bash -c \"cat .e*\"", "deny"),
    ("cd src && cat secret/x", "deny"),
    ("tail -f .env | grep --line-buffered KEY", "deny"),
    ("rm .pegboardignore", "deny"),
    ("cat \"$(echo .)env\"", "ask"),
    ("python3 -c \"open(chr(46)+'env')\"", "ask"),
    ("grep -r hit", "ask"),
    ("grep -r hit .", "ask"),
    ("tool --file .e*", "ask"),
    ("tool *", "ask"),
    ("tool *.txt", "open"),
    ("alias g='cat .e*'", "ask"),
    ("$X open.txt", "ask"),
    ("echo 'unclosed", "ask"),
    ("cat open.txt", "open"),
    ("cat *.txt", "open"),
    ("echo .env", "open"),
    ("make 2>&1 | tail -n 5", "open"),
];

/// The calls that give `line` to a shell.
fn calls(line: &str) -> [(&'static str, Value); 5] {
    [
        ("Bash", json!({"command": line})),
        ("Monitor", json!({"command": line, "description": "lines"})),
        ("Tungsten", json!({"action": "open", "command": line})),
        ("Repl", json!({"language": "bash", "code": line})),
        ("Repl", json!({"language": "bash", "code": line, "action": "restart", "session": "other"})),
    ]
}

async fn word(session: &Session, tool: &str, input: Value) -> &'static str {
    match check(session, tool, input).await {
        ToolCheck::PassThrough | ToolCheck::Allow => "open",
        ToolCheck::Ask(_) => "ask",
        ToolCheck::Deny(_) => "deny",
    }
}

async fn code(session: &Session, code: &str) -> &'static str {
    word(session, "Repl", json!({"language": "bash", "code": code})).await
}

#[tokio::test]
async fn every_tool_that_takes_a_line_gives_the_same_answers() {
    let session = session();
    for (line, expected) in LINES {
        for (tool, input) in calls(line) {
            assert_eq!(word(&session, tool, input).await, *expected, "{tool}: {line}");
        }
    }
}

#[tokio::test]
async fn what_is_refused_is_refused_when_it_runs_too() {
    let session = session();
    for (tool, input) in calls("cat .e*") {
        let answer = session.call(tool, input).await;
        assert_eq!(
            (answer.text.as_str(), answer.is_error),
            (".env is closed by .pegboardignore", true),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn lines_of_a_repl_are_read_where_it_is_and_with_what_it_keeps() {
    let session = session();
    for before in ["cd src", "f=.e"] {
        let answer = session.call("Repl", json!({"language": "bash", "code": before})).await;
        assert!(!answer.is_error, "{}", answer.text);
    }
    // Where it is cannot be told everywhere.
    let known = if cfg!(target_os = "linux") { ["deny", "open"] } else { ["ask", "ask"] };
    assert_eq!(code(&session, "cat secret/x").await, known[0]);
    assert_eq!(code(&session, "cat ../.e*").await, known[0]);
    assert_eq!(code(&session, "cat main.rs").await, known[1]);
    assert_eq!(code(&session, &format!("cat {}/.env", session.root.display())).await, "deny");
    for held in ["cat ../${f}nv", "shopt -s dotglob", "shopt -us dotglob", "GLOBIGNORE=x", "f() { cat $1; }"]
    {
        assert_eq!(code(&session, held).await, "ask", "{held}");
    }
    assert_eq!(code(&session, "shopt").await, "open");
    // A new one starts where the session is.
    let again = json!({"language": "bash", "code": "cat src/main.rs", "action": "restart"});
    assert_eq!(word(&session, "Repl", again).await, "open");
    assert_eq!(
        word(&session, "Repl", json!({"language": "bash", "code": "ls src", "session": "b"})).await,
        "open"
    );
}

#[tokio::test]
async fn patterns_and_folders_of_powershell_are_followed() {
    let session = session();
    for (line, expected) in [
        ("Get-Content .env", "ask"),
        ("Get-Content .e*", "ask"),
        ("gc .\\.en[v]", "ask"),
        ("Set-Location src; Get-Content secret/x", "ask"),
        ("Get-Content src/s*", "ask"),
        ("Get-Content open.txt", "open"),
        ("Get-Content *.txt | Select-Object *", "open"),
        ("6 * 7", "open"),
    ] {
        assert_eq!(word(&session, "PowerShell", json!({"command": line})).await, expected, "{line}");
    }
}
