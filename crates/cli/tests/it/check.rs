//! `permissions check`.

use crate::world::World;
use serde_json::{Value, json};

#[test]
fn one_verdict_names_its_rule_file_and_line() {
    let world = World::new();
    let file = world.file(".pegboard/settings.json", "{\"permissions\": {\n  \"deny\": [\"Bash(rm *)\"]\n}}");
    let input = r#"{"command": "ls && rm -rf build"}"#;
    let said = world.run(&["permissions", "check", "--tool", "Bash", "--input", input], "");
    assert_eq!(said.code, 0, "{}", said.err);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["behavior"], "deny");
    assert_eq!((&answer["rule"], &answer["source"]), (&json!("Bash(rm *)"), &json!("project")));
    assert_eq!(answer["file"].as_str(), file.to_str());
    assert_eq!(answer["line"], 2);
    assert_eq!(answer["trail"].as_array().map(Vec::len), Some(9), "{answer}");
}

#[test]
fn lines_with_settings_use_nothing_else() {
    let world = World::new();
    world.file(".pegboard/settings.json", r#"{"permissions": {"deny": ["Bash"]}}"#);
    let lines = [
        json!({"id": "a", "tool": "Bash", "input": {"command": "npm test"}, "settings": {"allow": ["Bash(npm test)"]}, "cwd": "/w"}),
        json!({"id": "b", "tool": "Bash", "input": {"command": "npm test"}}),
        json!({"id": "c", "tool": "Read", "input": {"file_path": "/w/.env"}, "settings": {"deny": ["Read(./.env)"]}, "cwd": "/w"}),
        json!({"id": "d", "tool": "mcp__git__log", "input": {}, "settings": {"allow": ["mcp__git"]}}),
        json!({"id": "e", "tool": "Bash", "input": {"command": "x"}, "settings_by_source": {"user": {"allow": ["Bash"]}, "managed": {"deny": ["Bash(x)"]}}}),
        json!({"id": "f", "tool": "Write", "input": {"file_path": "/w/a", "content": ""}, "settings": {}, "mode": "acceptEdits", "cwd": "/w"}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let said = world.run(&["permissions", "check", "--calls", "-"], text);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let verdicts: Vec<(String, String)> = said
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| {
            (answer["id"].as_str().unwrap().to_owned(), answer["behavior"].as_str().unwrap().to_owned())
        })
        .collect();
    let expected =
        [("a", "allow"), ("b", "deny"), ("c", "deny"), ("d", "allow"), ("e", "deny"), ("f", "allow")];
    assert_eq!(verdicts, expected.map(|(id, verdict)| (id.to_owned(), verdict.to_owned())));
}

#[test]
fn a_bad_line_is_answered_on_its_line_and_exit_2_at_the_end() {
    let world = World::new();
    let text = "not json\n{\"id\": \"x\"}\n\n{\"id\":\"y\",\"tool\":\"Read\",\"input\":{\"file_path\":\"a\"}}\n[1]\n";
    let said = world.run(&["permissions", "check", "--calls", "-"], text);
    assert_eq!(said.code, 2);
    let answers: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4, "{}", said.out);
    assert!(
        answers[0]["error"].is_string() && answers[1]["error"].is_string() && answers[3]["error"].is_string()
    );
    assert_eq!(answers[1]["id"], "x");
    assert_eq!(answers[2]["behavior"], "allow", "{}", answers[2]);
}
