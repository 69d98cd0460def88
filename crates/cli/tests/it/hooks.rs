//! `pegboard hooks list` and `pegboard hooks fire`.
#![cfg(unix)]

use crate::world::World;
use serde_json::{Value, json};

fn settings(world: &World, hooks: &Value) -> String {
    world.file("hooks.json", json!({"hooks": hooks}).to_string()).to_str().unwrap().to_owned()
}

fn command(text: &str) -> Value {
    json!({"type": "command", "command": text})
}

#[test]
fn list_says_what_would_run_and_why_the_rest_would_not() {
    let world = World::new();
    let mut only_git = command("git-check.sh");
    only_git["if"] = json!("Bash(git *)");
    let file = settings(
        &world,
        &json!({"PreToolUse": [
            {"matcher": "Bash", "hooks": [command("check.sh"), only_git]},
            {"matcher": "Edit", "hooks": [command("edit.sh")]},
        ]}),
    );
    world.file(
        ".pegboard/settings.json",
        json!({"hooks": {"Stop": [{"hooks": [command("x.sh")]}]}}).to_string(),
    );
    let list = |more: &[&str]| {
        let args = [&["hooks", "list", "--settings", &file, "--format", "json", "--quiet"], more].concat();
        let said = world.run(&args, "");
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str::<Vec<Value>>(&said.out).unwrap()
    };
    let all = list(&[]);
    assert_eq!(all.len(), 4);
    let untrusted = all.iter().find(|one| one["event"] == "Stop").unwrap();
    assert_eq!((&untrusted["runs"], &untrusted["line"]), (&json!(false), &json!(1)));
    assert!(untrusted["why_not"].as_str().unwrap().contains("pegboard trust"));
    let call = list(&["PreToolUse", "--tool", "Bash", "--input", r#"{"command":"npm test"}"#]);
    let runs: Vec<bool> = call.iter().map(|one| one["runs"] == true).collect();
    assert_eq!(runs, [true, false, false]);
    let reasons: Vec<&str> = call.iter().filter_map(|one| one["why_not"].as_str()).collect();
    assert_eq!(reasons, ["its `if` does not fit the call", "its matcher does not fit `Bash`"]);
    assert!(
        call.iter()
            .all(|one| one["file"].as_str().unwrap().ends_with("hooks.json") && one["source"] == "flag")
    );
    let said = world.run(&["hooks", "list", "--settings", &file], "");
    assert!(said.out.contains("does not run: the folder is not trusted"), "{}", said.out);
    assert_eq!(world.run(&["hooks", "list", "PreToolUze"], "").code, 2);
}

#[test]
fn fire_runs_the_hooks_and_prints_what_they_say_together() {
    let world = World::new();
    let deny = command("cat > seen; echo 'not here' >&2; exit 2");
    let stop = command(r#"echo '{"continue":false,"stopReason":"enough"}'"#);
    let file = settings(
        &world,
        &json!({
            "PreToolUse": [{"matcher": "Read", "hooks": [deny]}],
            "PostToolBatch": [{"hooks": [stop]}],
            "SessionStart": [{"hooks": [command("echo 'export A=1' >> \"$CLAUDE_ENV_FILE\"; echo hello")]}],
        }),
    );
    let fire = |event: &str, input: &str, stdin: &str| {
        world.run(
            &["hooks", "fire", event, "--input", input, "--settings", &file, "--format", "json", "--quiet"],
            stdin,
        )
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let said = fire("PreToolUse", "-", r#"{"tool_name":"Read","tool_input":{"file_path":"a.txt"}}"#);
    assert_eq!(said.code, 0, "{}", said.err);
    let outcome = json(&said.out);
    assert_eq!((&outcome["decision"], &outcome["reason"]), (&json!("deny"), &json!("not here")));
    assert_eq!(outcome["handlers"][0]["outcome"], "answered");
    let seen = json(&world.read("seen"));
    assert_eq!(seen["tool_input"]["file_path"], world.project().join("a.txt").to_str().unwrap());
    assert_eq!(
        (&seen["hook_event_name"], &seen["permission_mode"]),
        (&json!("PreToolUse"), &json!("default"))
    );
    let said = fire("PostToolBatch", r#"{"tool_calls":[]}"#, "");
    assert_eq!((said.code, &json(&said.out)["stop"]), (3, &json!("enough")));
    let said = fire("SessionStart", r#"{"source":"startup"}"#, "");
    let outcome = json(&said.out);
    assert_eq!((&outcome["additionalContext"], &outcome["env"]), (&json!(["hello"]), &json!({"A": "1"})));
    let said = fire("Stop", r#"{"stop_hook_active":false}"#, "");
    assert_eq!((said.code, json(&said.out)), (0, json!({"handlers": []})));
    for (event, input) in
        [("Stop", "{"), ("Stop", "{}"), ("Nope", "{}"), ("SessionStart", r#"{"source":"x"}"#)]
    {
        let said = fire(event, input, "");
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{event} {input}");
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
}

#[test]
fn a_failure_is_told_once_and_a_turn_that_stops_exits_with_3() {
    let world = World::new();
    let file = settings(&world, &json!({"PreToolUse": [{"hooks": [command("/nope.sh")]}]}));
    let (said, _) = world
        .turn(&["--settings", &file, "--allow", "Bash"], &[("t1", "Bash", json!({"command": "touch ran"}))]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.err.matches("could not start").count(), 1, "{}", said.err);
    assert!(world.project().join("ran").exists());
    let stop = command(r#"echo '{"continue":false,"stopReason":"enough"}'"#);
    let file = settings(&world, &json!({"PostToolUse": [{"hooks": [stop]}]}));
    let (said, blocks) = world.turn(
        &["--settings", &file, "--allow", "Bash"],
        &[("t1", "Bash", json!({"command": "true"})), ("t2", "Bash", json!({"command": "touch second"}))],
    );
    assert_eq!((said.code, blocks.len()), (3, 2), "{}", said.err);
    assert!(!world.project().join("second").exists());
}

#[test]
fn a_deferred_call_is_handed_back() {
    let world = World::new();
    let answer =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}});
    let file = settings(&world, &json!({"PreToolUse": [{"hooks": [command(&format!("echo '{answer}'"))]}]}));
    let call = |id: &'static str| (id, "Bash", json!({"command": "touch ran"}));
    let (said, _) = world.turn(&["--settings", &file, "--allow", "Bash"], &[call("t1")]);
    assert_eq!(said.code, 3, "{}", said.err);
    let outcome: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (&outcome["stop_reason"], &outcome["deferred_tool_use"]["id"]),
        (&json!("tool_deferred"), &json!("t1"))
    );
    let (said, blocks) = world.turn(&["--settings", &file, "--allow", "Bash"], &[call("t1"), call("t2")]);
    assert_eq!((said.code, blocks.len()), (0, 2));
    assert!(world.project().join("ran").exists());
}
