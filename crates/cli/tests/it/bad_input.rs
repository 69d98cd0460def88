//! Bad input: one clear line on stderr, exit 2, nothing run.

use crate::world::{World, text};
use serde_json::json;

const MARK: &str = r#"[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"touch ran"}}]"#;

#[test]
fn what_is_no_message_is_refused_in_one_line() {
    let duplicate = r#"[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"touch ran"}},
        {"type":"tool_use","id":"a","name":"Bash","input":{"command":"touch ran"}}]"#;
    let cases: &[(&str, &[u8])] = &[
        ("not JSON", b"this is not JSON"),
        ("empty", b""),
        ("NUL bytes", b"\0\0\0"),
        ("broken UTF-8", b"[\"\xff\xfe\"]"),
        ("a number", b"7"),
        ("wrong role", br#"{"role":"user","content":[]}"#),
        ("no calls", br#"{"role":"assistant","content":[{"type":"text","text":"hi"}]}"#),
        ("no id", br#"[{"type":"tool_use","name":"Bash","input":{"command":"touch ran"}}]"#),
        ("duplicate ids", duplicate.as_bytes()),
        ("another form", br#"{"choices":[{"message":{"tool_calls":[]}}]}"#),
    ];
    for (name, input) in cases {
        let world = World::new();
        let said = world.run(&["run", "--allow", "Bash", "-"], *input);
        assert_eq!(said.code, 2, "{name}: {}", said.err);
        assert_eq!(said.out, "", "{name}");
        assert_eq!(said.err.lines().count(), 1, "{name}: {}", said.err);
        assert!(!world.project().join("ran").exists(), "{name}");
    }
    let world = World::new();
    let deep = "[".repeat(500_000);
    assert_eq!(world.run(&["run"], deep).code, 2);
}

#[test]
fn bad_options_and_settings_run_nothing() {
    let cases: &[(&[&str], &str)] = &[
        (&["run", "--wire", "soap"], "soap"),
        (&["run", "--mode", "yolo"], "yolo"),
        (&["run", "--cwd", "no/such/folder"], "no/such/folder"),
        (&["run", "--settings", "no-such-file.json"], "no-such-file.json"),
        (&["run", "--settings", "{\"permissions\": }"], "settings"),
        (&["run", "--setting-sources", "user,moon"], "moon"),
        (&["run", "no-such-turn.json"], "no-such-turn.json"),
        (&["run", "--events", "/no/such/folder/x"], "events file"),
        (&["run", "--deny", "Bash("], "Bash("),
        (&["run", "--add-dir", "no/such/folder"], "no/such/folder"),
        (&["run", "--no-such-option"], "--no-such-option"),
    ];
    for (args, word) in cases {
        let world = World::new();
        let args: Vec<&str> = args.iter().copied().chain(["--allow", "Bash"]).collect();
        let said = world.run(&args, MARK);
        assert_eq!(said.code, 2, "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(word), "{args:?}: {}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{args:?}: {}", said.err);
        assert!(!world.project().join("ran").exists(), "{args:?}");
    }
}

#[test]
fn a_hostile_settings_file_stops_everything() {
    for (name, content) in [
        (".pegboard/settings.json", "{\"permissions\": {\"deny\": [\"Bash\",]}}"),
        (".pegboard/settings.json", "\u{1b}[2K{"),
        (".pegboard/settings.local.json", "[]"),
    ] {
        let world = World::new();
        world.file(name, content);
        let said = world.run(&["run", "--allow", "Bash"], MARK);
        assert_eq!(said.code, 2, "{content:?}: {}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{content:?}: {}", said.err);
        assert!(said.err.contains("settings"), "{}", said.err);
        assert!(!said.err.contains('\u{1b}'), "{:?}", said.err);
        assert!(!world.project().join("ran").exists());
    }
}

#[test]
fn arguments_that_were_cut_with_the_response_are_told_so() {
    let world = World::new();
    let cut = r#"{\"file_path\":\"a\",\"content\":\"abc"#;
    let chat = format!(
        r#"{{"choices":[{{"finish_reason":"length","message":{{"role":"assistant","content":null,"tool_calls":[
            {{"id":"c1","type":"function","function":{{"name":"Write","arguments":"{cut}"}}}}]}}}}]}}"#
    );
    let responses = format!(
        r#"{{"object":"response","status":"incomplete","incomplete_details":{{"reason":"max_output_tokens"}},
            "output":[{{"type":"function_call","id":"f","call_id":"c1","name":"Write","arguments":"{cut}"}}]}}"#
    );
    for message in [chat, responses] {
        let said = world.run(&["run", "--allow", "Write"], message);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.out.contains("not run: the response was cut ("), "{}", said.out);
        assert!(!said.out.contains("INVALID_JSON"), "{}", said.out);
    }
}

#[test]
fn half_a_character_in_one_call_costs_that_call_only() {
    let world = World::new();
    let message = r#"[{"type":"tool_use","id":"a","name":"Write","input":{"file_path":"a","content":"\ud83d\ude00\n"}},
        {"type":"tool_use","id":"b","name":"Write","input":{"file_path":"b","content":"x\ud83d"}}]"#;
    let said = world.run(&["run", "--allow", "Write"], message.to_owned());
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(world.read("a"), "😀\n");
    assert!(said.out.contains("INVALID_JSON") && !world.project().join("b").exists(), "{}", said.out);
}

#[test]
fn whole_numbers_and_nulls_are_taken_as_they_are_meant() {
    let world = World::new();
    world.file("f", "one\ntwo\n");
    let (said, blocks) = world.turn(
        &["--allow", "Edit"],
        &[
            ("r", "Read", json!({"file_path": "f", "offset": 2.0, "limit": 1e0})),
            (
                "e",
                "Edit",
                json!({"file_path": "f", "old_string": "two", "new_string": "2", "replace_all": null}),
            ),
            ("n", "Edit", json!({"file_path": "f", "old_string": null, "new_string": "2"})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(text(&blocks[0]).contains("2\ttwo"), "{blocks:#?}");
    assert_eq!(world.read("f"), "one\n2\n");
    assert!(text(&blocks[2]).contains("/old_string: is null"), "{blocks:#?}");
}

#[test]
fn a_cut_response_is_answered_and_not_run() {
    let world = World::new();
    let message = format!(r#"{{"role":"assistant","stop_reason":"max_tokens","content":{MARK}}}"#);
    let said = world.run(&["run", "--allow", "Bash"], message);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("not run: the response was cut (max_tokens)"), "{}", said.out);
    assert!(!world.project().join("ran").exists());
}
