//! Questions and answers, with the server for tests.

use super::{ask, ask_ok, gone, got, prepared, runs, services, session, session_with};
use crate::harness::{Asks, Denies, Session};
use pegboard_tool_core::{Accesses, Availability, Concurrency, Effects, ToolCheck, ToolEnv};
use pegboard_tools_std::lsp::stop_language_servers;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

#[tokio::test]
async fn the_server_sees_the_file_as_it_is_now() {
    let (session, log) = session("plain");
    let hover = json!({"operation": "hover", "file_path": "a.fake", "line": 1, "symbol": "two"});
    assert_eq!(ask_ok(&session, hover.clone()).await, "version 1 at 0:4 of 'one two\\nthree\\n'");
    assert_eq!(ask_ok(&session, hover.clone()).await, "version 1 at 0:4 of 'one two\\nthree\\n'");
    session.write("a.fake", "a two\n");
    assert_eq!(ask_ok(&session, hover.clone()).await, "version 2 at 0:2 of 'a two\\n'");
    // A file that was asked about before follows too, whatever is asked about now.
    session.write("a.fake", "changed two\n");
    session.write("b.fake", "b\n");
    ask_ok(&session, json!({"operation": "hover", "file_path": "b.fake", "line": 1, "character": 1})).await;
    let changes = got(&log, "textDocument/didChange");
    assert_eq!(changes.last().unwrap()["params"]["contentChanges"], json!([{"text": "changed two\n"}]));
    std::fs::remove_file(session.root.join("a.fake")).unwrap();
    ask_ok(&session, json!({"operation": "hover", "file_path": "b.fake", "line": 1, "character": 1})).await;
    assert_eq!(got(&log, "textDocument/didClose").len(), 1);
    assert_eq!(got(&log, "initialize").len(), 1);
    let gone = ask(&session, hover).await;
    assert!(gone.is_error && gone.text == "a.fake does not exist", "{}", gone.text);
}

#[tokio::test]
async fn columns_are_right_behind_wide_letters_in_each_encoding() {
    for (mode, units) in [("plain", 5), ("utf8", 10)] {
        let (session, _) = session(mode);
        session.write("a.fake", "x\n漢😀é two\r\n");
        let input = json!({"operation": "hover", "file_path": "a.fake", "line": 2, "symbol": "two"});
        let text = ask_ok(&session, input).await;
        assert!(text.starts_with(&format!("version 1 at 1:{units} of ")), "{mode}: {text}");
        // The same place by its column, and back.
        let input = json!({"operation": "definition", "file_path": "a.fake", "line": 2, "character": 5});
        assert_eq!(ask_ok(&session, input).await, "a.fake:2:5: 漢😀é two", "{mode}");
    }
}

#[tokio::test]
async fn a_symbol_is_found_without_counting() {
    let (session, _) = session("plain");
    session.write("a.fake", "fn twofold two\nlast two\n");
    for (input, expected) in [
        (json!({"line": 1, "symbol": "two"}), "a.fake:1:12"),
        (json!({"symbol": "last"}), "a.fake:2:1"),
        (json!({"line": 1, "symbol": "two", "character": 13}), "a.fake:1:12"),
    ] {
        let mut input = input;
        input["operation"] = json!("definition");
        input["file_path"] = json!(session.root.join("a.fake"));
        assert!(ask_ok(&session, input.clone()).await.starts_with(expected), "{input}");
    }
    for (input, expected) in [
        (json!({"line": 2, "symbol": "fn"}), "line 2 of a.fake has no `fn`; it is: last two"),
        (json!({"line": 9, "symbol": "fn"}), "a.fake has 3 lines; there is no line 9"),
        (json!({"line": 2, "character": 99}), "line 2 of a.fake has 8 characters only"),
        (json!({"symbol": "nothing"}), "a.fake has no `nothing`"),
        (json!({"line": 2}), "`definition` needs `line` and `symbol`, or `line` and `character`"),
        (json!({"line": 0, "symbol": "x"}), "`line` and `character` count from 1"),
        (json!({"line": 1, "symbol": "x\ny"}), "`symbol` stands in one line"),
        (
            json!({"line": 1, "symbol": "x", "query": "y"}),
            "`query` is for workspace_symbols, not for definition",
        ),
    ] {
        let mut input = input;
        input["operation"] = json!("definition");
        input["file_path"] = json!("a.fake");
        let answer = ask(&session, input.clone()).await;
        assert!(answer.is_error && answer.text == expected, "{input}: {}", answer.text);
    }
    let answer = ask(&session, json!({"operation": "hover", "symbol": "x"})).await;
    assert_eq!(answer.text, "`hover` needs `file_path`");
    let answer = ask(&session, json!({"operation": "workspace_symbols"})).await;
    assert_eq!(answer.text, "`workspace_symbols` needs `query`");
}

#[tokio::test]
async fn long_answers_are_bounded_with_a_note() {
    let (session, _) = session("plain");
    let lines: String = (0..1_000).map(|number| format!("line {number} {}\n", "x".repeat(1_000))).collect();
    session.write("a.fake", lines);
    let answer =
        ask(&session, json!({"operation": "references", "file_path": "a.fake", "symbol": "line"})).await;
    assert!(answer.text.ends_with("\n[100 of 1000 shown]"), "{}", answer.text);
    assert_eq!(answer.data["total"], json!(1_000));
    assert!(answer.text.len() < 50_000, "{}", answer.text.len());
    let (session, _) = super::session("huge");
    let text = ask_ok(&session, json!({"operation": "hover", "file_path": "a.fake", "symbol": "one"})).await;
    assert!(text.ends_with("x\n[the first 10000 of 1000000 characters]"), "{}", text.len());
}

#[tokio::test]
async fn symbols_of_a_file_and_of_the_project() {
    let (session, _) = session("plain");
    let text = ask_ok(&session, json!({"operation": "document_symbols", "file_path": "a.fake"})).await;
    let expected = "struct outer (line 2)\n  method inner x: fn() (line 3)\n\
                    [1 entries of the answer were not understood and are left out]";
    assert_eq!(text, expected);
    let text = ask_ok(&session, json!({"operation": "workspace_symbols", "query": "q"})).await;
    assert_eq!(text, "a.fake:1:1: symbol q: in c");
}

#[tokio::test]
async fn diagnostics_that_are_pushed_and_that_are_pulled() {
    let (session, _) = session("plain");
    let input = json!({"operation": "diagnostics", "file_path": "a.fake"});
    assert_eq!(ask_ok(&session, input.clone()).await, "No errors or warnings.");
    session.write("a.fake", "bad thing\n");
    assert_eq!(ask_ok(&session, input.clone()).await, "a.fake:1:1: error: bad: bad thing");
    assert_eq!(ask_ok(&session, input.clone()).await, "a.fake:1:1: error: bad: bad thing");
    session.write("a.fake", "good thing\n");
    assert_eq!(ask_ok(&session, input.clone()).await, "No errors or warnings.");
    let (session, _) = super::session("pull");
    let text = ask_ok(&session, input).await;
    assert_eq!(text, "a.fake:1:3: warning 7 (fake): pulled\n    second line");
}

#[tokio::test]
async fn a_server_that_still_reads_the_project_is_waited_for() {
    for mode in ["indexing", "late", "modified", "busy"] {
        let (session, _) = session(mode);
        let text =
            ask_ok(&session, json!({"operation": "definition", "file_path": "a.fake", "symbol": "two"}))
                .await;
        assert_eq!(text, "a.fake:1:5: one two", "{mode}");
    }
}

#[tokio::test]
async fn what_a_server_asks_is_answered_and_changes_nothing() {
    let (session, _) = session("asks");
    let input = json!({"operation": "hover", "file_path": "a.fake", "symbol": "one"});
    let text = ask_ok(&session, input).await;
    let replies: Value = serde_json::from_str(&text).unwrap();
    let refused = json!({"applied": false, "failureReason": "this client changes no files"});
    assert_eq!(replies, json!({"c": [{"x": 1}], "e": refused, "u": -32601}));
}

#[tokio::test]
async fn what_may_not_be_read_is_not_told() {
    let policy = Arc::new(Denies("secret"));
    let (session, log) = session_with("secret", |services| services.with_access_policy(policy));
    session.write("secret/s.fake", "the secret\n");
    session.write("b.fake", "the open\n");
    let mut input = json!({"operation": "definition", "file_path": "a.fake", "symbol": "one"});
    assert_eq!(ask_ok(&session, input.clone()).await, "b.fake:1:2: the open");
    // A hover would show what is written beside the definition.
    input["operation"] = json!("hover");
    assert_eq!(ask_ok(&session, input.clone()).await, "Nothing is known about this place.");
    input["file_path"] = json!("secret/s.fake");
    let answer = ask(&session, input).await;
    assert_eq!((answer.is_error, answer.text.as_str()), (true, "secret/s.fake may not be read"));
    assert!(got(&log, "textDocument/didOpen").iter().all(|open| !open.to_string().contains("the secret")));
}

#[tokio::test]
async fn a_place_that_needs_a_person_is_told_without_its_text() {
    let policy = Arc::new(Asks("secret"));
    let (session, _) = session_with("secret", |services| services.with_access_policy(policy));
    session.write("secret/s.fake", "the secret\n");
    session.write("b.fake", "the open\n");
    let input = json!({"operation": "definition", "file_path": "a.fake", "symbol": "one"});
    assert_eq!(ask_ok(&session, input).await, "secret/s.fake:1:1\nb.fake:1:2: the open");
}

#[tokio::test]
async fn places_that_are_odd_are_told_as_far_as_they_make_sense() {
    let (session, _) = session("odd");
    let text =
        ask_ok(&session, json!({"operation": "definition", "file_path": "a.fake", "symbol": "one"})).await;
    let expected = "gone.fake:8:4\na.fake:4000000001:4000000001\n\
                    [1 entries of the answer were not understood and are left out]\n[1 place(s) that are in no file left out]";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn a_server_belongs_to_a_project_and_is_shared_by_all_calls() {
    let (session, log) = session("plain");
    for folder in ["sub", "tree"] {
        session.write(&format!("{folder}/fake.toml"), "");
        session.write(&format!("{folder}/c.fake"), "c\n");
    }
    session.write("tree/.git", "gitdir: elsewhere\n");
    let hover = |path: &str| json!({"operation": "hover", "file_path": path, "line": 1, "character": 1});
    let (one, two, three) = (hover("a.fake"), hover("sub/c.fake"), hover("a.fake"));
    tokio::join!(ask_ok(&session, one), ask_ok(&session, two), ask_ok(&session, three));
    assert_eq!(got(&log, "initialize").len(), 1);
    ask_ok(&session, hover("tree/c.fake")).await;
    let started = got(&log, "initialize");
    assert_eq!(started.len(), 2);
    assert!(started[1]["params"]["rootUri"].as_str().unwrap().ends_with("/tree"));
}

#[tokio::test]
async fn a_server_ends_with_its_session_or_with_a_farewell() {
    let (session, log) = session("plain");
    let input = json!({"operation": "hover", "file_path": "a.fake", "symbol": "one"});
    ask_ok(&session, input.clone()).await;
    let text = log.to_str().unwrap().to_owned();
    assert!(runs(&text));
    stop_language_servers(&session.ctx().session).await;
    gone(&log).await;
    assert_eq!((got(&log, "shutdown").len(), got(&log, "exit").len()), (1, 1));
    ask_ok(&session, input).await;
    assert!(runs(&text));
    drop(session);
    gone(&log).await;
}

#[tokio::test]
async fn what_a_server_cannot_do_is_said() {
    let (session, _) = session("bare");
    let answer = ask(&session, json!({"operation": "hover", "file_path": "a.fake", "symbol": "one"})).await;
    assert_eq!((answer.is_error, answer.text.as_str()), (true, "fake cannot answer hover"));
    session.write("a.unknown", "x");
    let answer = ask(&session, json!({"operation": "hover", "file_path": "a.unknown", "symbol": "x"})).await;
    assert!(
        answer.is_error && answer.text.starts_with("no language server is known for such files;"),
        "{}",
        answer.text
    );
    let session = Session::new();
    let answer = ask(&session, json!({"operation": "workspace_symbols", "query": "x"})).await;
    assert!(answer.is_error && answer.text.contains("give `file_path`"), "{}", answer.text);
}

#[tokio::test]
async fn the_start_in_a_folder_that_is_not_trusted_asks() {
    let (mut session, _) = session("plain");
    session.snapshot.trusted = false;
    let input = json!({"operation": "hover", "file_path": "a.fake", "symbol": "one"});
    let ToolCheck::Ask(reason) = prepared(&session, input.clone()).check_permissions().await else {
        panic!()
    };
    assert_eq!(
        reason,
        "it starts the language server fake, which may run code of this folder, and the folder is not trusted"
    );
    ask_ok(&session, input.clone()).await;
    assert_eq!(prepared(&session, input.clone()).check_permissions().await, ToolCheck::PassThrough);
    // For another project it asks again.
    session.write("other/.git", "");
    session.write("other/a.fake", "");
    let other = json!({"operation": "diagnostics", "file_path": "other/a.fake"});
    assert!(matches!(prepared(&session, other.clone()).check_permissions().await, ToolCheck::Ask(_)));
    session.snapshot.trusted = true;
    assert_eq!(prepared(&session, other).check_permissions().await, ToolCheck::PassThrough);
}

#[test]
fn what_gates_and_schedulers_are_told() {
    let (session, _) = session("plain");
    let input = json!({"operation": "hover", "file_path": "a.fake", "symbol": "one"});
    let invocation = prepared(&session, input);
    assert_eq!((invocation.concurrency(), invocation.effects()), (Concurrency::Shared, Effects::ReadOnly));
    assert_eq!(*invocation.accesses(), Accesses::read_file(session.root.join("a.fake")));
    assert_eq!(invocation.view()["file_path"], json!(session.root.join("a.fake")));
    let invocation = prepared(&session, json!({"operation": "workspace_symbols", "query": "x"}));
    assert_eq!(*invocation.accesses(), Accesses::read_tree(&session.root));
}

#[test]
fn it_is_there_when_it_is_wanted_and_a_server_is_installed() {
    let tool = Session::with(services("plain", "/log".as_ref())).tool("LSP");
    let path: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect();
    for (value, path, here) in [
        (Some("1"), path.clone(), true),
        (Some("true"), path.clone(), true),
        (Some("0"), path.clone(), false),
        (Some("False"), path.clone(), false),
        (None, path, false),
        (Some("1"), Vec::new(), false),
        (Some("1"), vec![".".into()], false),
    ] {
        let mut env = ToolEnv::new();
        env.vars.extend(value.map(|value| ("ENABLE_LSP_TOOL".to_owned(), value.to_owned())));
        env.path = path;
        let found = tool.availability(&env);
        assert_eq!(found == Availability::Here, here, "{value:?} {found:?}");
    }
}
