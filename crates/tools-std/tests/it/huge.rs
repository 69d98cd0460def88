//! Read on files that are larger than what is held in memory.

use crate::harness::{Answer, Session};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;

const GIB: u64 = 1 << 30;

/// Lines of text, and a hole of 10 GB behind them.
fn with_hole(session: &Session, name: &str, lines: usize) {
    let mut file = OpenOptions::new().write(true).create_new(true).open(session.root.join(name)).unwrap();
    let text: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
    file.write_all(text.as_bytes()).unwrap();
    file.set_len(text.len() as u64 + 10 * GIB).unwrap();
}

async fn read(session: &Session, input: Value) -> Answer {
    let call = session.call("Read", input);
    tokio::time::timeout(std::time::Duration::from_secs(30), call).await.unwrap()
}

#[tokio::test]
async fn parts_of_a_huge_file_are_read_without_the_rest() {
    let session = Session::new();
    with_hole(&session, "huge", 1_000_000);
    let answer = read(&session, json!({"file_path": "huge", "offset": 10, "limit": 20})).await;
    assert_eq!(answer.data["file"]["content"].as_str().unwrap().lines().last(), Some("line 29"));
    assert_eq!(answer.data["file"]["totalLines"], Value::Null);
    let answer = read(&session, json!({"file_path": "huge"})).await;
    assert!(answer.text.ends_with(
        "[PARTIAL view: lines 1-2000 of a huge file; go on with offset 2001, or find the part with Grep]"
    ));
    let answer = read(&session, json!({"file_path": "huge", "offset": 900_000, "limit": 1})).await;
    assert_eq!(answer.text, "900000\tline 900000");
    // Where the hole begins there is text no more.
    let answer = read(&session, json!({"file_path": "huge", "offset": 999_999, "limit": 9})).await;
    insta::assert_snapshot!(answer.text, @r"
    999999	line 999999
    1000000	line 1000000
    [line 1000001 holds NUL bytes: from there on the file is no text]
    ");
    let answer = read(&session, json!({"file_path": "huge", "offset": 1_000_001})).await;
    assert!(
        answer.is_error && answer.text.contains("it holds NUL bytes from line 1000001 on"),
        "{}",
        answer.text
    );
    // It is no file that Edit or Write could hold.
    let answer =
        session.call("Edit", json!({"file_path": "huge", "old_string": "line 10\n", "new_string": ""})).await;
    assert!(answer.is_error && answer.text.contains("256 MiB"), "{}", answer.text);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn holes_are_passed_over() {
    let session = Session::new();
    with_hole(&session, "huge", 3);
    let file = OpenOptions::new().append(true).open(session.root.join("huge")).unwrap();
    let end = file.metadata().unwrap().len();
    drop(file);
    let file = OpenOptions::new().write(true).open(session.root.join("huge")).unwrap();
    file.write_all_at(b"\nafter the hole\n", end).unwrap();
    let answer = read(&session, json!({"file_path": "huge", "offset": 5, "limit": 5})).await;
    assert_eq!(answer.text, "     5\tafter the hole");
    assert_eq!(answer.data["file"]["totalLines"], json!(5));
    let answer = read(&session, json!({"file_path": "huge", "offset": 99})).await;
    assert_eq!(answer.text, "[offset 99 is past the end: the file has 5 lines]");
}

#[tokio::test]
async fn a_large_file_is_counted_and_may_be_edited() {
    let session = Session::new();
    let text: String = (1..=700_000).map(|line| format!("line {line} ü\n")).collect();
    assert!(text.len() > 8 << 20);
    session.write("large", &text);
    let answer = read(&session, json!({"file_path": "large", "offset": 699_999, "limit": 9})).await;
    assert_eq!(answer.text, "699999\tline 699999 ü\n700000\tline 700000 ü");
    assert_eq!(answer.data["file"]["totalLines"], json!(700_000));
    let edit = json!({"file_path": "large", "old_string": "line 699999 ü", "new_string": "other"});
    let answer = session.call("Edit", edit).await;
    assert!(!answer.is_error, "{}", answer.text);
    // Broken UTF-8 far behind: a stray byte in UTF-8 or another encoding, as Edit sees it.
    session.write("stray", [text.as_bytes(), b"\xe9\n"].concat());
    let answer = read(&session, json!({"file_path": "stray", "offset": 700_001})).await;
    assert!(
        answer.text.starts_with("700001\t\u{10fee9}\n[encoding: UTF-8 with 1 invalid"),
        "{}",
        answer.text
    );
    let ascii = text.replace('ü', "u.");
    session.write("latin1", [ascii.as_bytes(), b"\xe9\n"].concat());
    let answer = read(&session, json!({"file_path": "latin1", "offset": 700_001})).await;
    assert_eq!(answer.text, "700001\té\n[encoding: Latin-1 (Windows-1252)]");
    session.write("binary", [text.as_bytes(), b"\0\n"].concat());
    let answer = read(&session, json!({"file_path": "binary", "limit": 1})).await;
    assert!(answer.is_error && answer.text.contains("binary"), "{}", answer.text);
}

#[tokio::test]
async fn a_line_without_end_is_cut() {
    let session = Session::new();
    let path = session.root.join("line");
    std::fs::write(&path, "first\n".to_owned() + &"x".repeat(9 << 20)).unwrap();
    let answer = read(&session, json!({"file_path": "line"})).await;
    assert!(
        answer.text.contains("[line cut: 2000 characters of 9437184 bytes shown]"),
        "{}",
        answer.text.len()
    );
    assert!(answer.text.len() < 4_000);
}

#[tokio::test]
async fn a_cancelled_call_does_not_read_on() {
    let session = Session::new();
    with_hole(&session, "huge", 3);
    let answer = session.call_cancelled("Read", json!({"file_path": "huge", "offset": 9_999_999})).await;
    assert!(answer.is_error, "{}", answer.text);
}
