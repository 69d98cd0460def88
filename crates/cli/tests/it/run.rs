//! `pegboard run` end to end.

use crate::world::{World, text};
use serde_json::json;

#[test]
fn eight_calls_of_every_kind_get_one_result_each_in_order() {
    let world = World::new();
    world.file("a.txt", "alpha\nbeta\n");
    world.file("b.txt", "gamma\n");
    let (said, blocks) = world.turn(
        &["--allow", "Edit", "--allow", "Bash(wc *)", "--deny", "Read(./secret.txt)"],
        &[
            ("t1", "Read", json!({"file_path": "a.txt"})),
            ("t2", "Read", json!({"file_path": "b.txt"})),
            ("t3", "Grep", json!({"pattern": "beta"})),
            ("t4", "Edit", json!({"file_path": "a.txt", "old_string": "beta", "new_string": "BETA"})),
            ("t5", "Bash", json!({"command": "wc -l a.txt b.txt"})),
            ("t6", "Reed", json!({"file_path": "a.txt"})),
            ("t7", "Read", json!({"path": 3})),
            ("t8", "Read", json!({"file_path": "secret.txt"})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let ids: Vec<&str> = blocks.iter().filter_map(|block| block["tool_use_id"].as_str()).collect();
    assert_eq!(ids, ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"]);
    let errors: Vec<bool> = blocks.iter().map(|block| block["is_error"] == json!(true)).collect();
    assert_eq!(errors, [false, false, false, false, false, true, true, true], "{blocks:#?}");
    assert!(text(&blocks[0]).contains("1\talpha"), "{}", text(&blocks[0]));
    assert!(text(&blocks[2]).contains("a.txt"));
    assert_eq!(world.read("a.txt"), "alpha\nBETA\n");
    assert!(text(&blocks[4]).contains("3 total"), "{}", text(&blocks[4]));
    assert!(text(&blocks[5]).contains("Read"), "{}", text(&blocks[5]));
    assert!(text(&blocks[6]).contains("file_path"), "{}", text(&blocks[6]));
}

#[test]
fn nobody_to_ask_is_a_no_and_not_a_failure() {
    let world = World::new();
    let (said, blocks) = world.turn(&[], &[("t1", "Bash", json!({"command": "touch ran"}))]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(blocks[0]["is_error"], json!(true));
    assert!(!world.project().join("ran").exists());
}

#[test]
fn the_working_directory_carries_over_to_later_calls() {
    let world = World::new();
    world.file("sub/c.txt", "deep\n");
    let (_, blocks) = world.turn(
        &["--allow", "Bash"],
        &[
            ("t1", "Bash", json!({"command": "cd sub"})),
            ("t2", "Bash", json!({"command": "pwd"})),
            ("t3", "Read", json!({"file_path": "c.txt"})),
        ],
    );
    assert!(text(&blocks[1]).trim_end().ends_with("/sub"), "{}", text(&blocks[1]));
    assert!(text(&blocks[2]).contains("deep"), "{}", text(&blocks[2]));
}

#[test]
fn a_large_result_is_on_disk_and_named() {
    let world = World::new();
    let (said, blocks) = world.turn(
        &["--allow", "Bash", "--session-dir", "session"],
        &[("big", "Bash", json!({"command": "seq 1 20000"}))],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let shown = text(&blocks[0]);
    assert!(shown.len() < 40_000, "{}", shown.len());
    let kept: Vec<String> = std::fs::read_dir(world.project().join("session/tool-results"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(
        kept.iter().any(|text| text.contains("\n20000\n") && text.contains("1\n2\n3\n")),
        "{}",
        kept.len()
    );
    assert!(shown.contains("tool-results"), "{shown}");
}

#[test]
fn deny_holds_in_every_mode_and_over_every_allow() {
    for mode in ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"] {
        let world = World::new();
        let (_, blocks) = world.turn(
            &["--mode", mode, "--allow", "Bash", "--allow", "Bash(touch *)", "--deny", "Bash(touch *)"],
            &[("t1", "Bash", json!({"command": "echo hi && touch ran"}))],
        );
        assert_eq!(blocks[0]["is_error"], json!(true), "{mode}");
        assert!(!world.project().join("ran").exists(), "{mode}");
    }
}

#[test]
fn events_tell_every_phase() {
    let world = World::new();
    world.file("a.txt", "alpha\n");
    let (said, _) =
        world.turn(&["--events", "events.jsonl"], &[("t1", "Read", json!({"file_path": "a.txt"}))]);
    assert_eq!(said.code, 0, "{}", said.err);
    let mut kinds = Vec::new();
    for line in world.read("events.jsonl").lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["v"], json!(1));
        assert!(event["ms"].is_u64());
        kinds.push(event["type"].as_str().unwrap().to_owned());
    }
    for kind in ["received", "validated", "decided", "phase_started", "phase_ended", "finished"] {
        assert!(kinds.iter().any(|seen| seen == kind), "{kind}: {kinds:?}");
    }
}

#[cfg(unix)]
#[test]
fn told_to_end_it_answers_every_call_and_leaves_nothing() {
    use rustix::process::{Pid, Signal, kill_process};
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let world = World::new();
        let turn = world.file(
            "turn.json",
            r#"[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"echo $$ > pid; sleep 300; touch late"}},
                {"type":"tool_use","id":"b","name":"Read","input":{"file_path":"pid"}}]"#,
        );
        let mut child = world.start(&["run", turn.to_str().unwrap(), "--allow", "Bash"]);
        let shell = world.wait_for("pid");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait().unwrap();
        assert_eq!(output.code(), Some(130), "{signal:?}");
        let mut said = String::new();
        std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
        let ids: Vec<_> =
            answer["content"].as_array().unwrap().iter().map(|block| &block["tool_use_id"]).collect();
        assert_eq!(ids, ["a", "b"], "{said}");
        let shell = Pid::from_raw(shell.trim().parse().unwrap()).unwrap();
        assert!(rustix::process::test_kill_process(shell).is_err(), "{signal:?}: the command still runs");
        assert!(!world.project().join("late").exists());
    }
}

#[test]
fn what_runs_in_the_background_may_end_and_is_told_of() {
    let world = World::new();
    let command = "while [ ! -e go ]; do :; done; echo finished > done.txt";
    let (said, blocks) = world.turn(
        &["--allow", "Bash"],
        &[
            ("t1", "Bash", json!({"command": command, "run_in_background": true})),
            ("t2", "Bash", json!({"command": "touch go"})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(blocks.iter().filter(|block| block["is_error"] == json!(true)).count(), 0, "{blocks:#?}");
    assert!(text(&blocks[0]).contains("bash_1"), "{}", text(&blocks[0]));
    assert_eq!(world.read("done.txt"), "finished\n");
    assert!(
        said.err.contains("Background task bash_1") && said.err.contains("exited with code 0"),
        "{}",
        said.err
    );
}

#[test]
fn what_reaches_its_limit_goes_on_in_the_background_also_code_for_an_interpreter() {
    let world = World::new();
    let wait = "python3 -c \"import os\nwhile not os.path.exists('go'): pass\nprint('went')\"";
    let calls = json!([
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": wait}},
        {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "touch go"}},
        {"type": "tool_use", "id": "t3", "name": "TaskOutput", "input": {"task_id": "bash_1"}},
    ]);
    world.file("turn.json", calls.to_string());
    let output = world
        .command(&["run", "turn.json", "--allow", "Bash"])
        .args(["--settings", r#"{"tools": {"web": {"maxBytes": 0}}}"#])
        .env("BASH_DEFAULT_TIMEOUT_MS", "300")
        .env("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", "00")
        .env("BASH_MAX_OUTPUT_LENGTH", "many")
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let texts: Vec<String> = answer["content"].as_array().unwrap().iter().map(text).collect();
    assert!(
        texts[0].contains("did not complete within its 0.3s timeout and was moved to the background"),
        "{texts:?}"
    );
    assert!(texts[2].contains("went"), "{texts:?}");
    for told in [
        "BASH_MAX_OUTPUT_LENGTH=`many` is no positive number and is ignored; 30000 is used",
        "CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION=`00` is no positive number and is ignored; 200 is used",
        "the setting `tools.web.maxBytes` is 0, which does not count; 10000000 is used",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn the_next_run_of_a_session_is_in_its_work_tree() {
    let world = World::new();
    world.file("a.txt", "one\n");
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "a.txt"],
        &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "first"],
    ] {
        let done = std::process::Command::new("git").args(arguments).current_dir(world.project()).status();
        assert!(done.unwrap().success(), "{arguments:?}");
    }
    let session = world.home().join("session");
    let session = session.to_str().unwrap();
    let options =
        ["--session-dir", session, "--flag", "worktree", "--allow", "EnterWorktree", "--allow", "Write"];
    let (said, blocks) = world.turn(&options, &[("t1", "EnterWorktree", json!({"name": "x"}))]);
    assert!(text(&blocks[0]).starts_with("Made and entered"), "{}{}", text(&blocks[0]), said.err);
    let write = json!({"file_path": "new.txt", "content": "x"});
    let (said, _) = world.turn(&options, &[("t2", "Write", write)]);
    let tree = world.project().join(".claude/worktrees/x");
    let says = format!("this run starts in {}; it is left with ExitWorktree\n", tree.display());
    assert!(said.err.contains(&says), "{}", said.err);
    assert!(tree.join("new.txt").exists() && !world.project().join("new.txt").exists());
    let (said, _) = world.turn(&["--session-dir", session], &[("t5", "Read", json!({"file_path": "a.txt"}))]);
    assert!(said.err.contains("which needs `--flag worktree`"), "{}", said.err);
    let (_, blocks) = world.turn(&options, &[("t3", "ExitWorktree", json!({"action": "keep"}))]);
    assert!(text(&blocks[0]).starts_with("Left the work tree"), "{}", text(&blocks[0]));
    let (said, blocks) = world.turn(&options, &[("t4", "Read", json!({"file_path": "new.txt"}))]);
    assert_eq!(blocks[0]["is_error"], json!(true));
    assert!(!said.err.contains("work tree"), "{}", said.err);
}
