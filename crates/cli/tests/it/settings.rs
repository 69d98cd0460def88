//! Settings, trust and hooks, as the command finds them.

use crate::world::{World, text};
use serde_json::json;

fn touch() -> [(&'static str, &'static str, serde_json::Value); 1] {
    [("t1", "Bash", json!({"command": "touch ran"}))]
}

#[test]
fn an_untrusted_project_only_restricts() {
    let world = World::new();
    world.file(
        ".pegboard/settings.json",
        r#"{"permissions": {"allow": ["Bash(touch *)"], "deny": ["Read(a.txt)"]}}"#,
    );
    world.file("a.txt", "secret");
    let (said, blocks) = world.turn(&[], &touch());
    assert_eq!(blocks[0]["is_error"], json!(true));
    assert!(said.err.contains("trust"), "{}", said.err);
    assert!(!world.project().join("ran").exists());
    let (_, blocks) = world.turn(&["--allow", "Read"], &[("t1", "Read", json!({"file_path": "a.txt"}))]);
    assert_eq!(blocks[0]["is_error"], json!(true), "{blocks:?}");
    assert!(!text(&blocks[0]).contains("secret"));

    let accepted = world.run(&["trust", "--yes"], "");
    assert_eq!(accepted.code, 0, "{}", accepted.err);
    let (_, blocks) = world.turn(&[], &touch());
    assert_eq!(blocks[0]["is_error"], json!(null), "{blocks:?}");
    assert!(world.project().join("ran").exists());
}

#[test]
fn what_changed_after_it_was_trusted_is_not() {
    let world = World::new();
    world.file(".pegboard/settings.json", r#"{"permissions": {"allow": ["Bash(ls)"]}}"#);
    assert_eq!(world.run(&["trust", "--yes"], "").code, 0);
    world.file(".pegboard/settings.json", r#"{"permissions": {"allow": ["Bash(ls)", "Bash(touch *)"]}}"#);
    let (_, blocks) = world.turn(&[], &touch());
    assert_eq!(blocks[0]["is_error"], json!(true));
    assert!(!world.project().join("ran").exists());
}

#[test]
fn a_users_hook_can_refuse_and_a_broken_one_never_allows() {
    for (command, runs) in [
        ("echo no >&2; exit 2", false),
        ("echo '{\"decision\":\"block\",\"reason\":\"r\"}'", false),
        ("exit 1", true),
        ("/no/such/script", true),
        (
            "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}'; exit 2",
            false,
        ),
    ] {
        let world = World::new();
        let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}});
        let (said, blocks) =
            world.turn(&["--settings", &hooks.to_string(), "--allow", "Bash(touch *)"], &touch());
        assert_eq!(said.code, 0, "{command}: {}", said.err);
        assert_eq!(world.project().join("ran").exists(), runs, "{command}: {blocks:?}");
    }
}

#[test]
fn a_broken_hook_does_not_answer_for_a_person() {
    let world = World::new();
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 1"}]}]}});
    let (_, blocks) = world.turn(&["--settings", &hooks.to_string()], &touch());
    assert_eq!(blocks[0]["is_error"], json!(true));
    assert!(!world.project().join("ran").exists());
}

#[test]
fn a_hook_that_stops_the_turn_is_exit_3_with_every_result() {
    let world = World::new();
    let stop = r#"echo '{"continue": false, "stopReason": "enough"}'"#;
    let hooks = json!({"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": stop}]}]}});
    let calls =
        [("t1", "Bash", json!({"command": "touch ran"})), ("t2", "Bash", json!({"command": "touch later"}))];
    let (said, blocks) = world.turn(&["--settings", &hooks.to_string(), "--allow", "Bash(touch *)"], &calls);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("enough"), "{}", said.err);
    assert_eq!(blocks.len(), 2);
    assert!(text(&blocks[1]).contains("not run: the turn was stopped"), "{}", text(&blocks[1]));
    assert!(world.project().join("ran").exists() && !world.project().join("later").exists());
}

#[test]
fn looking_at_a_hostile_repository_is_asked_about() {
    let world = World::new();
    let call = [("t1", "Bash", json!({"command": "git status --short"}))];
    let init = [("t0", "Bash", json!({"command": "git init -q"}))];
    world.turn(&["--allow", "Bash"], &init);
    let (_, blocks) = world.turn(&[], &call);
    assert_eq!(blocks[0]["is_error"], json!(null), "{blocks:?}");
    world.file(".git/config", "[core]\n\tfsmonitor = touch ran\n");
    let (_, blocks) = world.turn(&[], &call);
    assert_eq!(blocks[0]["is_error"], json!(true), "{blocks:?}");
    // Allowed by a rule it runs, and the monitor does not.
    world.turn(&["--allow", "Bash"], &call);
    assert!(!world.project().join("ran").exists());
}

#[test]
fn a_repository_inside_the_project_is_not_trusted_with_it() {
    let world = World::new();
    let make = "mkdir evil && cd evil && git init -q && echo a > f && git add f && git config diff.x.textconv 'touch ../ran; cat' && echo 'f diff=x' > .gitattributes && echo b > f";
    world.turn(&["--allow", "Bash"], &[("t0", "Bash", json!({"command": "git init -q"}))]);
    // By hand: what makes such a repository is put to a person.
    let made = std::process::Command::new("bash").args(["-c", make]).current_dir(world.project()).status();
    assert!(made.unwrap().success());
    let calls =
        [("t1", "Bash", json!({"command": "cd evil"})), ("t2", "Bash", json!({"command": "git diff"}))];
    let (_, blocks) = world.turn(&[], &calls);
    assert_eq!(blocks[0]["is_error"], json!(null), "{blocks:?}");
    assert_eq!(blocks[1]["is_error"], json!(true), "{blocks:?}");
    assert!(!world.project().join("ran").exists());
}

#[test]
fn settings_that_change_during_a_turn_hold_for_the_calls_that_wait() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::Stdio;
    let world = World::new();
    let user = world.home().join(".config/pegboard/settings.json");
    std::fs::create_dir_all(user.parent().unwrap()).unwrap();
    std::fs::write(&user, r#"{"permissions": {"allow": ["Bash"]}}"#).unwrap();
    let turn = world.file(
        "turn.json",
        r#"[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"echo yes > ready; until [ -e go ]; do sleep 0.02; done"}},
            {"type":"tool_use","id":"b","name":"Bash","input":{"command":"touch late"}}]"#,
    );
    let mut child = world.command(&["run", turn.to_str().unwrap()]).stderr(Stdio::piped()).spawn().unwrap();
    world.wait_for("ready");
    std::fs::write(&user, r#"{"permissions": {"allow": ["Bash"], "deny": ["Bash(touch *)"]}}"#).unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("settings were loaded again")), "nobody saw the change");
    world.file("go", "");
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{out}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["content"][0]["is_error"], json!(null), "{out}");
    assert_eq!(answer["content"][1]["is_error"], json!(true), "{out}");
    assert!(!world.project().join("late").exists());
}
