//! Pictures and texts of terminals, and what is told about the three tools.

use super::{call, screen, session, tungsten};
use pegboard_tool_core::{Availability, Concurrency, Effects, ResultContent, ToolEnv};
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn a_picture_is_a_png_of_the_screen() {
    let session = session();
    let command = "printf '\\033[1;32mgreen\\033[0m \\033[7minverse\\033[0m 日本\\n'; exec sleep 1000";
    screen(
        &session,
        json!({"action": "open", "command": command, "rows": 5, "cols": 40, "wait_for": "inverse"}),
    )
    .await;
    let text = call(&session, "TerminalCapture", json!({})).await;
    insta::assert_snapshot!(text.text, @r"
    [main: 40 columns, 5 rows, cursor at row 2 column 1]
    green inverse 日本
    ");
    let tool = session.tool("TerminalCapture");
    let invocation = tool.prepare(Arc::new(json!({"format": "png"})), &session.ctx()).unwrap();
    assert_eq!((invocation.concurrency(), invocation.effects()), (Concurrency::Shared, Effects::ReadOnly));
    let grant = pegboard_tool_core::Grant::of(invocation.accesses());
    let output = invocation.call(grant, session.ctx(), Arc::new(())).await.unwrap();
    let [ResultContent::Text(text), ResultContent::Image { media_type, data }] = output.content.as_slice()
    else {
        panic!("{:?}", output.content);
    };
    assert!(text.contains("boxes with their number: 日本"), "{text}");
    assert_eq!(media_type, "image/png");
    assert!(data.starts_with("iVBORw0KGgo"));
    assert_eq!(
        (output.data["picture"]["width"].clone(), output.data["picture"]["height"].clone()),
        (json!(492), json!(132))
    );
    assert_eq!(tool.render_result(&output.data).unwrap().lines().last(), Some("picture of 492 x 132 pixels"));
}

#[tokio::test]
async fn captures_reach_above_the_screen() {
    let session = session();
    let command = "seq 1 200; exec sleep 1000";
    screen(&session, json!({"action": "open", "command": command, "rows": 5, "wait_for": "200"})).await;
    let text = call(&session, "TerminalCapture", json!({"scrollback": 2})).await;
    assert!(text.text.contains("\n195\n196\n[the screen begins here]\n197\n198\n199\n200"), "{}", text.text);
    for (input, expected) in [
        (json!({"scrollback": 101, "format": "png"}), "at most 100"),
        (json!({"scrollback": 1001}), "at most 1000"),
        (json!({"session": "other"}), "there is no terminal `other`; open: main"),
    ] {
        let answer = call(&session, "TerminalCapture", input).await;
        assert!(answer.is_error && answer.text.contains(expected), "{}", answer.text);
    }
    assert!(session.call_cancelled("TerminalCapture", json!({})).await.is_error);
    assert!(!tungsten(&session, json!({"action": "close"})).await.is_error);
}

#[test]
fn each_tool_has_its_gate() {
    let session = session();
    let env = |vars: &[(&str, &str)], flags: &[&str]| {
        let mut env = ToolEnv::new();
        env.vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        env.flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        env.path = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect();
        env
    };
    let internal = [("PEGBOARD_INTERNAL", "1")];
    for (tool, vars, flags, expected) in [
        ("Tungsten", &[][..], &["tungsten"][..], Some("internal")),
        ("Tungsten", &internal, &[], Some("flag `tungsten`")),
        ("Tungsten", &internal, &["tungsten"], None),
        ("Tungsten", &[("USER_TYPE", "ant")], &["tungsten"], None),
        ("Tungsten", &[("USER_TYPE", "other"), ("PEGBOARD_INTERNAL", "0")], &["tungsten"], Some("internal")),
        ("TerminalCapture", &internal, &[], Some("flag `terminal_capture`")),
        ("TerminalCapture", &[], &["terminal_capture"], None),
    ] {
        match (session.tool(tool).availability(&env(vars, flags)), expected) {
            (Availability::Here, None) => {}
            (Availability::Absent(why), Some(expected)) if why.contains(expected) => {}
            (found, _) => panic!("{tool} {vars:?} {flags:?}: {found:?}"),
        }
    }
}

#[tokio::test]
async fn calls_are_described_and_only_looking_is_harmless() {
    let session = session();
    let tool = session.tool("Tungsten");
    let prepared = |input: Value| tool.prepare(Arc::new(input), &session.ctx()).unwrap();
    for (input, line, effects) in [
        (json!({"action": "open", "command": "vim\nx"}), "open terminal: vim x", Effects::Destructive),
        (json!({"action": "open", "session": "a"}), "open terminal a: bash", Effects::Destructive),
        (
            json!({"action": "send", "text": "ls", "keys": "<Enter>"}),
            "send terminal: ls<Enter>",
            Effects::Destructive,
        ),
        (json!({"action": "close", "session": "a"}), "close terminal a", Effects::Destructive),
        (json!({"action": "read"}), "read terminal", Effects::ReadOnly),
        (json!({"action": "list"}), "list terminal", Effects::ReadOnly),
    ] {
        let invocation = prepared(input);
        assert_eq!((invocation.describe().as_str(), invocation.effects()), (line, effects));
        assert_eq!(invocation.concurrency(), Concurrency::Exclusive);
        assert!(!invocation.changes_context());
    }
    for (name, aliases) in
        [("Tungsten", &["terminal", "tungsten"][..]), ("TerminalCapture", &["terminal_capture"])]
    {
        let tool = session.tool(name);
        let definition = tool.definition();
        let found: Vec<&str> = definition.aliases.iter().map(|alias| alias.as_str()).collect();
        assert_eq!(found, aliases);
        let schema = &definition.input_schema;
        assert_eq!(schema["additionalProperties"], json!(false));
        assert!(
            schema["properties"].as_object().unwrap().values().all(|field| field["description"].is_string()),
            "{schema:#}"
        );
        assert!(!schema.to_string().contains("$ref"), "{schema:#}");
        for example in &definition.examples {
            assert!(tool.prepare(Arc::new(example.clone()), &session.ctx()).is_ok());
        }
    }
}
