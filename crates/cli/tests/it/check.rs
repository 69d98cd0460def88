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
    assert_eq!(answers.len(), 5, "{}", said.out);
    for bad in [0, 1, 2, 4] {
        assert!(answers[bad]["error"].is_string(), "{}", answers[bad]);
    }
    assert_eq!((&answers[1]["id"], &answers[2]["id"]), (&json!("x"), &json!(null)));
    assert_eq!(answers[3]["behavior"], "allow", "{}", answers[3]);
    let surrogate = r#"{"id":"s","tool":"Bash","input":{"command":"\ud800"}}"#;
    let said = world.run(&["permissions", "check", "--calls", "-"], surrogate);
    assert!(said.code == 2 && said.out.starts_with(r#"{"id":"s","error":"#), "{}", said.out);
}

#[test]
fn an_answer_has_the_fields_of_the_contract_in_their_order() {
    let world = World::new();
    let line = json!({"id": 7, "tool": "Bash", "input": {"command": "rm x"}, "settings": {"deny": ["Bash(rm *)"]}, "why": "?", "x": {}});
    let said = world.run(&["permissions", "check", "--calls", "-", "--format", "json"], format!("{line}\n"));
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "behavior", "reason", "step", "rule", "source", "file", "line", "trail"]);
    assert_eq!((&answer["id"], &answer["step"]), (&json!(7), &json!("deny_rule")));
    assert_eq!((&answer["file"], &answer["line"]), (&json!(null), &json!(null)));
    let steps: Vec<&str> =
        answer["trail"].as_array().unwrap().iter().map(|entry| entry["step"].as_str().unwrap()).collect();
    let all = [
        "deny_rule",
        "ask_rule",
        "tool",
        "safety",
        "hook_ask",
        "hook_allow",
        "mode",
        "allow_rule",
        "default",
    ];
    assert_eq!(steps, all);
    let entry = answer["trail"][0].as_object().unwrap();
    let keys: Vec<&str> = entry.keys().map(String::as_str).collect();
    assert_eq!(keys, ["step", "verdict", "rule", "source", "file", "line", "note"]);
    assert_eq!(answer["trail"][1]["verdict"], json!(null));
    // Without an id there is none in the answer.
    let said = world.run(&["permissions", "check", "--calls", "-"], "{\"tool\":\"Read\",\"input\":{}}");
    assert!(said.out.starts_with("{\"behavior\":"), "{}", said.out);
}

#[test]
fn options_and_files_do_not_reach_a_line_with_settings() {
    let world = World::new();
    world.file(".pegboard/settings.json", r#"{"permissions": {"deny": ["Bash"], "defaultMode": "dontAsk"}}"#);
    let policy = [
        json!({"tool": "Bash", "input": {"command": "x"}, "settings": {}}),
        json!({"tool": "Bash", "input": {"command": "x"}, "settings_by_source": {}}),
        json!({"tool": "Bash", "input": {"command": "x"}, "settings": {"deny": ["Bash"]}, "settings_by_source": {"user": {"allow": ["Bash"]}}}),
        json!({"tool": "Bash", "input": {"command": "x"}, "settings": {"permissions": {"allow": ["Bash"]}}}),
        json!({"tool": "Bash", "input": {"command": "x"}, "settings": {}, "mode": "bypassPermissions"}),
        json!({"tool": "Bash", "input": {"command": "x"}, "settings": {}, "mode": "dontAsk"}),
        json!({"tool": "Read", "input": {"file_path": "~/x"}, "settings": {"allow": ["Read(~/x)"]}, "home": "/nowhere/h"}),
        json!({"tool": "Read", "input": {"file_path": "/nowhere/d/x"}, "settings": {}, "additional_dirs": ["/nowhere/d"]}),
        json!({"tool": "Read", "input": {"file_path": "/nowhere/w/x"}, "settings": {"deny": ["Read(/x)"]}, "cwd": "/nowhere/w"}),
    ];
    let text: String = policy.iter().map(|line| format!("{line}\n")).collect();
    let said = world.run(&["permissions", "check", "--calls", "-", "--deny", "Read", "--mode", "plan"], text);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let verdicts: Vec<String> = said
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["behavior"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(verdicts, ["ask", "ask", "allow", "allow", "allow", "deny", "allow", "allow", "deny"]);
}

#[test]
fn lines_that_are_no_calls_say_why() {
    let world = World::new();
    let lines = [
        r#"{"id":"a","tool":"Read","input":"x"}"#,
        r#"{"id":"b","tool":"Read","input":{},"mode":"fast"}"#,
        r#"{"id":"c","tool":5,"input":{}}"#,
        r#"{"id":"d","tool":"Read","input":{},"settings":{"deny":"Read"}}"#,
        r#"{"id":"e","tool":"Read","input":{},"settings_by_source":{"nobody":{}}}"#,
        r#"{"id":"f","tool":"no name","input":{}}"#,
        r#"{"id":"g","tool":"Read","input":{},"settings_by_source":{"managed":{"deny":["Bash("]}}}"#,
    ];
    let said = world.run(&["permissions", "check", "--calls", "-"], lines.join("\n"));
    assert_eq!(said.code, 2);
    let answers: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (answer, id) in answers.iter().zip(["a", "b", "c", "d", "e", "f", "g"]) {
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((keys, &answer["id"]), (vec!["id", "error"], &json!(id)), "{answer}");
    }
    assert_eq!(answers.len(), 7);
}

#[test]
fn one_call_that_is_none_is_a_bad_argument() {
    let world = World::new();
    for (tool, input) in [("Read", "[]"), ("Read", "{"), ("no name", "{}")] {
        let said = world.run(&["permissions", "check", "--tool", tool, "--input", input], "");
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{tool} {input}");
        assert_eq!(said.err.lines().count(), 1);
    }
    let said = world.run(&["permissions", "check", "--tool", "Bash", "--input", "-"], r#"{"command":"ls"}"#);
    assert!(said.code == 0 && said.out.contains("\"allow\""), "{}", said.err);
}

#[test]
fn a_restriction_that_cannot_be_read_holds_its_line_back() {
    let world = World::new();
    let bad = [
        json!({"id": "a", "tool": "Bash", "input": {"command": "ls"}, "settings": {"allow": ["Bash"], "deny": ["Bash(rm"]}}),
        json!({"id": "b", "tool": "Bash", "input": {"command": "ls"}, "settings": {"allow": ["Bash"], "ask": [5]}}),
        json!({"id": "c", "tool": "Bash", "input": {"command": "ls"}, "mode": "bypassPermissions", "settings_by_source": {"user": {"deny": ["Bash("]}}}),
        json!({"id": "d", "tool": "Bash", "input": {"command": "ls"}, "mode": "dontAsk", "settings": {"deny": ["Bash("]}}),
        json!({"id": "e", "tool": "Bash", "input": {"command": "rm x"}, "settings": {"deny": ["Bash(", "Bash(rm *)"]}}),
        json!({"id": "f", "tool": "Bash", "input": {"command": "ls"}, "settings": {"allow": ["Bash("]}}),
    ];
    let text: String = bad.iter().map(|line| format!("{line}\n")).collect();
    let said = world.run(&["permissions", "check", "--calls", "-"], text);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let answers: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let behaviors: Vec<&str> = answers.iter().map(|answer| answer["behavior"].as_str().unwrap()).collect();
    assert_eq!(behaviors, ["ask", "ask", "ask", "deny", "deny", "allow"], "{}", said.out);
    assert_eq!(answers[0]["reason"], "the deny rule `Bash(rm` cannot be read");
    assert_eq!((&answers[0]["step"], &answers[1]["step"]), (&json!("deny_rule"), &json!("ask_rule")));
    assert_eq!(answers[4]["rule"], "Bash(rm *)");
    for (number, id) in [(1, "a"), (2, "b"), (3, "c"), (6, "f")] {
        assert!(said.err.contains(&format!("line {number} (id \"{id}\"):")), "{}", said.err);
    }
}

#[test]
fn options_that_mean_nothing_here_are_taken() {
    let world = World::new();
    let call = ["--tool", "Bash", "--input", r#"{"command":"curl x"}"#];
    let idle = ["--approve", "never", "--session-dir", "s", "--events", "e.jsonl", "--mcp-config", "{}"];
    let arguments: Vec<&str> = ["permissions", "check"].into_iter().chain(call).chain(idle).collect();
    let said = world.run(&arguments, "");
    assert!(said.code == 0 && said.out.contains("\"ask\""), "{}{}", said.out, said.err);
    assert_eq!(said.err, "");
}
