//! `guard`, as hosts start it: recorded events, and everything that could be taken for consent.

use crate::world::{Said, World};
use serde_json::{Value, json};
use std::path::Path;

/// The rules of the recorded events.
const RULES: &str = r#"{"permissions": {
    "deny": ["Bash(rm *)", "Read(./secret/**)", "Edit(./secret/**)", "mcp__fs__delete", "WebFetch(domain:evil.test)"],
    "ask": ["Bash(git push *)"]}}"#;

fn world() -> World {
    let world = World::new();
    world.file(".pegboard/settings.json", RULES);
    world.file("secret/k", "k");
    world.file("here", "a");
    world
}

/// Whether `said` is a deny of `host` in the strict form, and its reason.
fn denies(said: &Said, gate: &str) -> bool {
    let Ok(object) = serde_json::from_str::<Value>(&said.out) else { return false };
    let reason = said.err.trim_end();
    let expected = match gate {
        "BeforeTool" => json!({"decision": "deny", "reason": reason}),
        "PreToolUse" => {
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": reason}})
        }
        _ => json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": "deny", "message": reason}}}),
    };
    said.code == 2 && object == expected && is_reason(reason)
}

/// Whether every host takes `text` for a reason.
fn is_reason(text: &str) -> bool {
    text.starts_with("pegboard: ")
        && text.len() > "pegboard: ".len()
        && text.lines().count() == 1
        && serde_json::from_str::<Value>(text).is_err()
}

fn asks(said: &Said, gate: &str) -> bool {
    let Ok(object) = serde_json::from_str::<Value>(&said.out) else { return false };
    let (verdict, reason) = match gate {
        "BeforeTool" => (&object["decision"], &object["systemMessage"]),
        _ => {
            let inner = &object["hookSpecificOutput"];
            (&inner["permissionDecision"], &inner["permissionDecisionReason"])
        }
    };
    said.code == 0
        && said.err.is_empty()
        && verdict == "ask"
        && is_reason(reason.as_str().unwrap_or_default())
}

fn allows(said: &Said) -> bool {
    let Ok(object) = serde_json::from_str::<Value>(&said.out) else { return false };
    let inner = &object["hookSpecificOutput"];
    said.code == 0
        && said.err.is_empty()
        && (inner["permissionDecision"] == "allow" || inner["decision"] == json!({"behavior": "allow"}))
}

fn says_nothing(said: &Said) -> bool {
    (said.code, said.out.as_str(), said.err.as_str()) == (0, "", "")
}

fn is_fault(said: &Said) -> bool {
    said.code == 2 && said.out.is_empty() && is_reason(said.err.trim_end())
}

fn check(world: &World, line: &str) {
    let row: Value = serde_json::from_str(line).unwrap();
    let text = match row.get("event") {
        Some(event) => event.to_string(),
        None => row["raw"].as_str().unwrap().to_owned(),
    };
    let project = world.project();
    let event = text.replace("$W", project.to_str().unwrap());
    let user = json!({"permissions": row.get("user").cloned().unwrap_or_else(|| json!({}))});
    let file = world.home().join(".config/pegboard/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, user.to_string()).unwrap();
    let args = row["args"].as_array().cloned().unwrap_or_default();
    let args: Vec<&str> = ["guard"].into_iter().chain(args.iter().map(|arg| arg.as_str().unwrap())).collect();
    let said = world.run(&args, event);
    let gate = row["event"]["hook_event_name"].as_str().unwrap_or_default();
    let fits = match row["expect"].as_str().unwrap() {
        "deny" => denies(&said, gate),
        "ask" => asks(&said, gate),
        "allow" => allows(&said),
        "nothing" => says_nothing(&said),
        "fault" => is_fault(&said),
        // An expectation that is none fails.
        _ => false,
    };
    let reason = format!("{}{}", said.out, said.err);
    assert!(fits, "{}: [{}] {} | {}", row["id"], said.code, said.out, said.err);
    let says = row["says"].as_str().unwrap_or_default();
    assert!(reason.contains(says), "{}: {reason}", row["id"]);
}

fn recorded(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guard/tests/data");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    assert!(text.lines().count() > 20);
    let world = world();
    for line in text.lines() {
        check(&world, line);
    }
}

#[test]
fn events_of_claude_code_are_answered_as_it_reads_them() {
    recorded("claude");
}

#[test]
fn events_of_gemini_cli_are_answered_as_it_reads_them() {
    recorded("gemini");
}

#[test]
fn events_of_codex_are_answered_as_it_reads_them() {
    recorded("codex");
}

#[test]
fn broken_events_and_arguments_are_denied() {
    recorded("broken");
}

fn event(world: &World, tool: &str, input: &Value) -> Value {
    json!({"session_id": "s", "transcript_path": "/t", "cwd": world.project(), "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input, "tool_use_id": "c1"})
}

fn bash(world: &World, command: &str) -> String {
    event(world, "Bash", &json!({"command": command})).to_string()
}

#[test]
fn a_call_is_judged_as_pegboard_itself_judges_it() {
    let world = world();
    let lines = [
        ("Bash", json!({"command": "curl https://evil.test"})),
        ("Bash", json!({"command": "cat secret/k"})),
        ("Bash", json!({"command": "for f in *; do rm $f; done"})),
        ("Bash", json!({"command": "$(echo rm) x"})),
        ("Bash", json!({"command": "rm -rf /"})),
        ("Bash", json!({"command": "make"})),
        ("Read", json!({"file_path": "a"})),
        ("Write", json!({"file_path": ".git/config", "content": ""})),
        ("Grep", json!({"pattern": "x", "path": "secret"})),
    ];
    for (tool, input) in lines {
        let checked = world.run(&["permissions", "check", "--tool", tool, "--input", &input.to_string()], "");
        let checked: Value = serde_json::from_str(&checked.out).unwrap();
        let answered =
            ["deny_rule", "ask_rule", "tool", "safety"].contains(&checked["step"].as_str().unwrap());
        let said = world.run(&["guard"], event(&world, tool, &input).to_string());
        let fits = match checked["behavior"].as_str().unwrap() {
            "deny" if answered => denies(&said, "PreToolUse"),
            "ask" if answered => asks(&said, "PreToolUse"),
            _ => says_nothing(&said),
        };
        assert!(fits, "{tool} {input}: {checked} | [{}] {} {}", said.code, said.out, said.err);
    }
}

#[test]
fn rules_of_the_project_hold_in_its_folders() {
    let world = world();
    world.file("sub/deep/x", "");
    world.file("other/.pegboard/settings.json", r#"{"permissions": {"deny": ["Bash(make *)"]}}"#);
    for (folder, command, is_denied) in [
        ("sub/deep", "rm x", true),
        ("sub/deep", "ls", false),
        ("sub/deep", "cat ../../secret/k", true),
        ("other", "make x", true),
        // Those of the folder above hold too.
        ("other", "rm x", true),
        (".", "make x", false),
    ] {
        let event = json!({"cwd": world.project().join(folder), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}});
        let said = world.run(&["guard"], event.to_string());
        assert_eq!(denies(&said, "PreToolUse"), is_denied, "{folder} {command}: {}", said.err);
        assert!(is_denied || says_nothing(&said), "{folder} {command}: {}", said.err);
    }
    // A repository of its own is another project.
    std::fs::create_dir_all(world.project().join("sub/deep/.git")).unwrap();
    let event = json!({"cwd": world.project().join("sub/deep"), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "rm x"}});
    assert!(says_nothing(&world.run(&["guard"], event.to_string())));
}

#[test]
fn an_untrusted_project_allows_nothing() {
    let world = World::new();
    world.file(
        ".pegboard/settings.json",
        r#"{"permissions": {"allow": ["Bash(make)"], "deny": ["Bash(rm *)"]}}"#,
    );
    assert!(says_nothing(&world.run(&["guard", "--answer-allow"], bash(&world, "make"))));
    assert!(denies(&world.run(&["guard", "--answer-allow"], bash(&world, "rm x")), "PreToolUse"));
    let dir = world.project();
    world.run(&["trust", "--yes", dir.to_str().unwrap()], "");
    assert!(allows(&world.run(&["guard", "--answer-allow"], bash(&world, "make"))));
    // An allow never beats a deny, and is not answered unless asked for.
    let said = world.run(&["guard", "--answer-allow", "--deny", "Bash(make)"], bash(&world, "make"));
    assert!(denies(&said, "PreToolUse"), "{}", said.err);
    assert!(says_nothing(&world.run(&["guard"], bash(&world, "make"))));
}

#[test]
fn settings_that_cannot_be_used_deny_everything() {
    let world = World::new();
    for broken in ["{", "[]", r#"{"permissions": 1}"#, r#"{"permissions": {"deny": "Bash"}}"#] {
        world.file(".pegboard/settings.json", broken);
        let said = world.run(&["guard"], bash(&world, "ls"));
        assert!(is_fault(&said), "{broken}: [{}] {} {}", said.code, said.out, said.err);
    }
    // Nothing is decided there, so nothing can be hidden.
    let post = json!({"hook_event_name": "PostToolUse", "cwd": world.project()});
    assert!(says_nothing(&world.run(&["guard"], post.to_string())));
}

#[test]
fn a_deny_or_ask_entry_that_cannot_be_read_is_put_to_a_person() {
    let world = World::new();
    for (entries, line, is_asked) in [
        (
            r#""deny": ["Bash(rm *)",
            "Bash("]"#,
            2,
            true,
        ),
        (r#""ask": ["Bash()"], "deny": ["Bash(rm *)"]"#, 1, true),
        (r#""deny": ["Bash(rm *)", 7]"#, 1, true),
        (
            r#""deny": ["Bash(rm *)",
            " "]"#,
            2,
            true,
        ),
        (r#""ask": ["nul\u0000"], "deny": ["Bash(rm *)"]"#, 1, true),
        (r#""allow": ["Bash(", 7, ""], "deny": ["Bash(rm *)"]"#, 0, false),
    ] {
        let settings = format!(r#"{{"permissions": {{{entries}}}, "hooks": {{"Nope": []}}}}"#);
        let file = world.file(".pegboard/settings.json", settings);
        let said = world.run(&["guard"], bash(&world, "ls"));
        if is_asked {
            assert!(asks(&said, "PreToolUse"), "{entries}: [{}] {} {}", said.code, said.out, said.err);
            let place = format!("{}:{line}", file.display());
            assert!(said.out.contains(&place), "{place}: {}", said.out);
        } else {
            assert!(says_nothing(&said), "{entries}: [{}] {} {}", said.code, said.out, said.err);
        }
        // The others hold.
        assert!(denies(&world.run(&["guard"], bash(&world, "rm x")), "PreToolUse"), "{entries}");
    }
}

#[test]
fn a_deny_or_ask_argument_that_cannot_be_read_is_denied() {
    let world = World::new();
    for args in [
        ["--deny", ""],
        ["--deny", " "],
        ["--deny", "Bash("],
        ["--deny", "run_shell_command(rm *)"],
        ["--ask", ""],
        ["--ask", "Bash("],
        ["--allow", ""],
    ] {
        let said = world.run(&["guard", args[0], args[1]], bash(&world, "ls"));
        assert!(is_fault(&said), "{args:?}: [{}] {} {}", said.code, said.out, said.err);
    }
}

#[test]
fn rules_hold_under_the_names_of_the_host_too() {
    let world = world();
    let gemini = |tool: &str, more: Value| {
        let mut event = json!({"cwd": world.project(), "hook_event_name": "BeforeTool", "tool_name": tool});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event.to_string()
    };
    let codex = |tool: &str, input: Value| {
        json!({"cwd": world.project(), "hook_event_name": "PreToolUse", "turn_id": "t", "model": "m",
            "tool_name": tool, "tool_input": input})
        .to_string()
    };
    let claude = |tool: &str, input: Value| event(&world, tool, &input).to_string();
    let context = json!({"server_name": "web", "tool_name": "get"});
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
    let calls = [
        ("run_shell_command", gemini("run_shell_command", json!({"tool_input": {"command": "ls"}}))),
        ("run_shell*", gemini("run_shell_command", json!({"tool_input": {"command": "ls"}}))),
        (
            "run_shell_command(command:l*)",
            gemini("run_shell_command", json!({"tool_input": {"command": "ls"}})),
        ),
        ("read_file", gemini("read_file", json!({"tool_input": {"file_path": "here"}}))),
        ("write_file", gemini("write_file", json!({"tool_input": {"file_path": "x", "content": ""}}))),
        (
            "replace",
            gemini(
                "replace",
                json!({"tool_input": {"file_path": "here", "old_string": "a", "new_string": "b"}}),
            ),
        ),
        ("grep_search", gemini("grep_search", json!({"tool_input": {"pattern": "x"}}))),
        ("mcp_web_get", gemini("mcp_web_get", json!({"tool_input": {}, "mcp_context": context}))),
        ("mcp_web_get", gemini("get", json!({"tool_input": {}, "mcp_context": context}))),
        ("get", gemini("get", json!({"tool_input": {}, "mcp_context": context}))),
        ("apply_patch", codex("apply_patch", json!({"command": patch}))),
        ("shell_command", codex("shell_command", json!({"command": "ls"}))),
        ("exec_command", codex("exec_command", json!({"cmd": "ls"}))),
        ("spawn_agent", codex("spawn_agent", json!({"message": "m"}))),
        ("view_image", codex("view_image", json!({"path": "here"}))),
        ("LS", claude("LS", json!({"path": "sub"}))),
        ("BashOutput", claude("BashOutput", json!({"bash_id": "1"}))),
        ("KillShell", claude("KillShell", json!({"shell_id": "1"}))),
        ("TaskStop", claude("KillShell", json!({"shell_id": "1"}))),
        ("apply_patch", claude("apply_patch", json!({"command": patch}))),
    ];
    for (rule, event) in calls {
        let gate = if event.contains("BeforeTool") { "BeforeTool" } else { "PreToolUse" };
        let is_codex = event.contains("turn_id");
        assert!(says_nothing(&world.run(&["guard"], event.clone())), "{event}");
        if rule.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
            // Under such a name nothing is allowed, and a rule for another tool says nothing.
            let args = ["guard", "--answer-allow", "--deny", "update_plan", "--allow", rule];
            let said = world.run(&args, event.clone());
            assert!(says_nothing(&said), "{rule} {event}: {} {}", said.out, said.err);
        }
        let said = world.run(&["guard", "--deny", rule], event.clone());
        assert!(denies(&said, gate), "{rule} {event}: [{}] {} {}", said.code, said.out, said.err);
        if rule.starts_with(|c: char| c.is_ascii_uppercase()) {
            let said = world.run(&["guard", "--ask", rule], event.clone());
            assert!(asks(&said, gate), "{rule} {event}: [{}] {} {}", said.code, said.out, said.err);
        }
        let ask = json!({"permissions": {"ask": [rule]}}).to_string();
        let said = world.run(&["guard", "--settings", &ask], event.clone());
        let fits = if is_codex { denies(&said, gate) } else { asks(&said, gate) };
        assert!(fits, "{rule} {event}: [{}] {} {}", said.code, said.out, said.err);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_is_a_deny() {
    use rustix::process::{Pid, Signal, kill_process};
    let world = world();
    for signal in [
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
        Signal::TERM,
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::VTALARM,
        Signal::PROF,
        Signal::XCPU,
        Signal::POWER,
        Signal::IO,
        Signal::ABORT,
    ] {
        let mut command = world.command(&["guard"]);
        command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It waits for its event.
        let stdin = child.stdin.take();
        let status = format!("/proc/{}/status", child.id());
        let is_caught = || {
            let text = std::fs::read_to_string(&status).unwrap();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
            u64::from_str_radix(caught.trim(), 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
        };
        while !is_caught() {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::yield_now();
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{signal:?}");
        let reason = String::from_utf8(output.stderr).unwrap();
        assert!(is_reason(reason.trim_end()) && reason.contains("signal"), "{signal:?}: {reason}");
    }
}

#[test]
fn an_event_too_large_or_too_deep_is_denied() {
    let world = world();
    let start = format!(
        r#"{{"hook_event_name":"PreToolUse","cwd":{},"tool_name":"Write","tool_input":{{"#,
        json!(world.project())
    );
    let large = format!(r#"{start}"file_path":"a","content":"{}"}}}}"#, "x".repeat(100 * 1024 * 1024));
    assert!(is_fault(&world.run(&["guard"], large)));
    let deep = format!("{start}\"a\":{}", "[".repeat(5_000_000));
    assert!(is_fault(&world.run(&["guard"], deep)));
    for nested in
        ["(", "$(", "{ ", "`", "\"$(", "if ", "a[", "[[ (", "((", "<(", "case x in (", "! ", "time ", "env "]
    {
        let said = world.run(&["guard"], bash(&world, &format!("{}rm x", nested.repeat(20_000))));
        let stays = denies(&said, "PreToolUse") || asks(&said, "PreToolUse");
        assert!(stays, "{nested}: [{}] {} {}", said.code, said.out, said.err);
    }
    let not_utf8 = [start.as_bytes(), b"\"file_path\":\"\xff\"}}"].concat();
    assert!(is_fault(&world.run(&["guard"], not_utf8)));
}

#[test]
#[cfg(unix)]
fn an_answer_that_does_not_arrive_is_a_deny() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let world = world();
    let ask = bash(&world, "git push origin");
    for sink in [Some("/dev/null"), Some("/dev/full"), None] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("pegboard"));
        command
            .arg("guard")
            .env("HOME", world.home())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME");
        match sink {
            Some(path) if !Path::new(path).exists() => continue,
            Some(path) => command.stdout(std::fs::File::options().write(true).open(path).unwrap()),
            None => command.stdout(Stdio::piped()),
        };
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Nobody reads what it prints.
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(ask.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{sink:?}");
        assert!(is_reason(String::from_utf8(output.stderr).unwrap().trim_end()), "{sink:?}");
    }
}

#[test]
fn install_prints_settings_that_the_host_takes() {
    let world = World::new();
    for (agent, events) in [
        ("claude", &["PreToolUse", "PermissionRequest"][..]),
        ("gemini", &["BeforeTool"]),
        ("codex", &["PreToolUse", "PermissionRequest"]),
    ] {
        let said = world.run(&["guard", "install", "--agent", agent, "--ask", "deny"], "");
        assert_eq!(said.code, 0, "{}", said.err);
        let settings: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(settings.as_object().map(serde_json::Map::len), Some(1));
        let hooks = settings["hooks"].as_object().unwrap();
        assert_eq!(hooks.keys().collect::<Vec<_>>(), events);
        for groups in hooks.values() {
            assert!(groups[0].get("matcher").is_none(), "{groups}");
            let handler = &groups[0]["hooks"][0];
            let command = handler["command"].as_str().unwrap();
            let program = assert_cmd::cargo::cargo_bin!("pegboard").canonicalize().unwrap();
            assert!(command.contains(program.to_str().unwrap()), "{command}");
            assert!(command.ends_with(&format!(" guard --agent {agent} --ask deny")), "{command}");
            let timeout = handler["timeout"].as_u64().unwrap();
            assert_eq!(timeout, if agent == "gemini" { 60_000 } else { 60 });
        }
        assert_eq!(said.err.contains("/hooks"), agent == "codex", "{}", said.err);
        // What was printed works.
        let command = hooks.values().next().unwrap()[0]["hooks"][0]["command"].as_str().unwrap();
        let ran = std::process::Command::new("sh")
            .args(["-c", command])
            .stdin(std::process::Stdio::null())
            .output();
        assert_eq!(ran.unwrap().status.code(), Some(2));
    }
    for args in [&["guard", "install"][..], &["guard", "install", "--agent", "cursor"], &["guard", "--agent"]]
    {
        assert!(is_fault(&world.run(args, "")), "{args:?}");
    }
    let help = world.run(&["guard", "--help"], "");
    assert!(help.code == 0 && help.out.contains("--answer-allow") && help.err.is_empty());
}
