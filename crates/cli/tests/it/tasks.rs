//! Background tasks of `run`: the order of the calls that name them, ids over several runs, and their news.

use crate::world::{World, text};
use serde_json::{Value, json};

const SCHEDULES: [&str; 2] = ["batches", "conflicts"];

fn texts(blocks: &[Value]) -> Vec<String> {
    blocks.iter().map(text).collect()
}

fn background(command: &str) -> Value {
    json!({"command": command, "run_in_background": true})
}

#[test]
fn a_call_that_starts_a_task_is_done_before_calls_that_name_it() {
    for schedule in SCHEDULES {
        let world = World::new();
        world.file("f", "line\n");
        let options = ["--schedule", schedule, "--allow", "Bash"];
        let (said, blocks) = world.turn(
            &options,
            &[
                ("a", "Bash", background("tail -f f")),
                ("b", "Bash", background("sleep 100")),
                ("c", "Bash", background("sleep 101")),
                ("d", "TaskOutput", json!({"task_id": "bash_3", "block": false})),
                ("e", "TaskStop", json!({"task_id": "bash_1"})),
                ("f", "TaskStop", json!({"task_id": "bash_2"})),
                ("g", "TaskStop", json!({"task_id": "bash_3"})),
            ],
        );
        assert_eq!(said.code, 0, "{}", said.err);
        let texts = texts(&blocks);
        for (at, wanted) in [
            (0, "with task id bash_1\n"),
            (1, "with task id bash_2\n"),
            (2, "with task id bash_3\n"),
            (3, "bash_3 (sleep 101) runs since"),
            (4, "bash_1 (tail -f f) was stopped"),
            (5, "bash_2 (sleep 100) was stopped"),
            (6, "bash_3 (sleep 101) was stopped"),
        ] {
            assert!(texts[at].contains(wanted), "{schedule} {at}: {texts:#?}");
        }
    }
}

#[test]
fn lines_that_reach_their_limit_beside_each_other_are_tasks_of_their_own() {
    for schedule in SCHEDULES {
        let world = World::new();
        world.file("f", "of f\n");
        world.file("g", "of g\n");
        let follow = |file: &str| json!({"command": format!("tail -f {file}"), "timeout": 300});
        let (said, blocks) = world.turn(
            &["--schedule", schedule, "--allow", "Bash"],
            &[
                ("a", "Bash", follow("f")),
                ("b", "Bash", follow("g")),
                ("c", "TaskOutput", json!({"task_id": "bash_1", "block": false})),
                ("d", "TaskStop", json!({"task_id": "bash_1"})),
                ("e", "TaskStop", json!({"task_id": "bash_2"})),
            ],
        );
        assert_eq!(said.code, 0, "{}", said.err);
        let texts = texts(&blocks);
        let id = |text: &str| {
            let (_, rest) = text.split_once("with task id ").unwrap_or_else(|| panic!("{texts:#?}"));
            rest.lines().next().unwrap().to_owned()
        };
        // Both ran at once, so either may be the first; each id is that of its own command.
        let (f, g) = (id(&texts[0]), id(&texts[1]));
        assert!(["bash_1", "bash_2"].contains(&f.as_str()) && f != g, "{texts:#?}");
        assert!(texts[2].contains("runs since"), "{schedule}: {texts:#?}");
        let stopped = format!("{f} (tail -f f) was stopped\n{g} (tail -f g) was stopped");
        let mut ends = [texts[3].clone(), texts[4].clone()];
        ends.sort_by_key(|text| !text.starts_with(&f));
        assert_eq!(ends.join("\n"), stopped, "{schedule}");
    }
}

#[test]
fn each_part_of_an_output_is_in_one_result() {
    for schedule in SCHEDULES {
        let world = World::new();
        let look = || json!({"task_id": "bash_1"});
        let (said, blocks) = world.turn(
            &["--schedule", schedule, "--allow", "Bash"],
            &[
                ("a", "Bash", background("printf 'on%s\\n' ce")),
                ("b", "TaskOutput", look()),
                ("c", "TaskOutput", look()),
                ("d", "TaskOutput", look()),
            ],
        );
        assert_eq!(said.code, 0, "{}", said.err);
        let texts = texts(&blocks);
        let shown: Vec<bool> = texts[1..4].iter().map(|text| text.contains("\nonce\n")).collect();
        assert_eq!(shown, [true, false, false], "{schedule}: {texts:#?}");
        assert!(texts[2..4].iter().all(|text| text.contains("[nothing new was printed]")), "{texts:#?}");
    }
}

#[test]
fn ids_go_on_in_the_next_run_of_a_session() {
    let world = World::new();
    let options = ["--session-dir", "session", "--allow", "Bash"];
    let (_, first) = world.turn(
        &options,
        &[
            ("a", "Bash", background("echo printed; exit 3")),
            ("b", "TaskOutput", json!({"task_id": "bash_1"})),
            ("c", "Bash", background("sleep 100")),
            ("c2", "TaskStop", json!({"task_id": "bash_2"})),
        ],
    );
    assert!(text(&first[1]).contains("exited with code 3"), "{first:#?}");
    let (_, second) = world.turn(
        &options,
        &[
            ("d", "Bash", background("sleep 101")),
            ("e", "TaskOutput", json!({"task_id": "bash_1"})),
            ("f", "TaskStop", json!({"task_id": "bash_2"})),
            ("g", "TaskOutput", json!({"task_id": "bash_3", "block": false})),
            ("h", "TaskOutput", json!({"task_id": "bash_9"})),
            ("i", "TaskStop", json!({"task_id": "bash_3"})),
        ],
    );
    let told = texts(&second);
    assert!(told[0].contains("with task id bash_3\n"), "{told:#?}");
    let output = world.project().join("session/tool-results/a-output.txt");
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "printed\n");
    let wanted = format!(
        "`bash_1` (echo printed; exit 3) is a background task of an earlier run of this session and exited with \
         code 3; its output is in {}; running background tasks: bash_3 (sleep 101)",
        output.display()
    );
    assert!(told[1].contains(&wanted), "{told:#?}");
    assert!(told[2].contains("`bash_2` (sleep 100) is a background task of an earlier run"), "{told:#?}");
    assert!(told[2].contains("was stopped") && second[2]["is_error"] == json!(true), "{told:#?}");
    assert!(told[3].contains("bash_3 (sleep 101) runs since"), "{told:#?}");
    assert!(told[4].contains("there is no background task `bash_9`"), "{told:#?}");
}

#[test]
fn news_come_after_the_last_result_on_every_wire() {
    let watch = json!({"command": "echo seen", "description": "a log"});
    let wait = json!({"task_id": "monitor_1"});
    let calls = [("t1", "Monitor", watch), ("t2", "TaskOutput", wait)];
    let of = |form: &str, call: &(&str, &str, Value)| {
        let (id, name, input) = call;
        let arguments = input.to_string();
        match form {
            "anthropic" => json!({"type": "tool_use", "id": id, "name": name, "input": input}),
            "openai-chat" => {
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
            }
            "openai-responses" => {
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
            }
            _ => json!({"functionCall": {"id": id, "name": name, "args": input}}),
        }
    };
    for (form, place) in [
        ("anthropic", "/content/2/text"),
        ("openai-chat", "/2/content/0/text"),
        ("openai-responses", "/2/content/0/text"),
        ("gemini", "/parts/2/text"),
    ] {
        let world = World::new();
        let calls: Vec<Value> = calls.iter().map(|call| of(form, call)).collect();
        let message = match form {
            "anthropic" => json!({"role": "assistant", "content": calls}),
            "openai-chat" => json!({"role": "assistant", "content": null, "tool_calls": calls}),
            "openai-responses" => json!({"output": calls}),
            _ => json!({"role": "model", "parts": calls}),
        };
        let args = ["run", "--wire", form, "--flag", "monitor", "--allow", "Monitor"];
        let said = world.run(&args, message.to_string());
        assert_eq!(said.code, 0, "{form}: {}", said.err);
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(answer.pointer(place), Some(&json!("monitor_1 (a log):\nseen")), "{form}: {answer:#}");
        // People read it too, once.
        assert_eq!(said.err.matches("pegboard: seen").count(), 1, "{form}: {}", said.err);
        let quiet: Vec<&str> = args.iter().copied().chain(["--quiet"]).collect();
        let said = world.run(&quiet, message.to_string());
        assert!(said.out.contains("monitor_1 (a log):") && said.err.is_empty(), "{form}: {}", said.err);
    }
}

#[test]
fn an_end_is_told_where_it_still_can_be() {
    let world = World::new();
    // The second task ends after the first, whose end nobody asked for.
    let (said, blocks) = world.turn(
        &["--session-dir", "session", "--allow", "Bash"],
        &[
            ("a", "Bash", background("exit 7")),
            ("b", "Bash", background("until grep -q end session/tasks/1.jsonl; do :; done")),
            ("c", "TaskOutput", json!({"task_id": "bash_2"})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(blocks.len(), 4, "{blocks:#?}");
    let news = blocks[3]["text"].as_str().unwrap();
    assert!(news.starts_with("Background task bash_1 (exit 7) exited with code 7."), "{news}");
    assert_eq!(said.err.matches("Background task bash_1").count(), 1, "{}", said.err);
}

#[test]
fn numbers_that_do_not_count_are_told() {
    let cases = [
        ("BASH_DEFAULT_TIMEOUT_MS", "0", Some("is no positive number and is ignored")),
        ("BASH_DEFAULT_TIMEOUT_MS", " 5000 ", None),
        ("BASH_MAX_TIMEOUT_MS", "-1", Some("is no positive number and is ignored")),
        ("BASH_MAX_OUTPUT_LENGTH", "0", Some("is no positive number and is ignored")),
        ("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "0", Some("is no positive number and is ignored")),
        ("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "9 ", None),
        ("CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", "0", Some("is no positive number and is ignored")),
        ("CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION", "0", Some("is no positive number and is ignored")),
        ("CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS", "0", None),
        ("CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS", "zz", Some("is no number in digits and is ignored")),
        ("CLAUDE_SUBAGENT_BG_SHELL_MAX_MS", "zz", Some("is no positive number and is ignored")),
        ("CLAUDE_SUBAGENT_BG_SHELL_MAX_MS", "0", Some("is no positive number and is ignored")),
        ("PEGBOARD_GREP_TIMEOUT_SECONDS", "1e3", Some("is no positive number and is ignored")),
    ];
    let world = World::new();
    let turn = json!([{"type": "tool_use", "id": "a", "name": "Glob", "input": {"pattern": "x"}}]);
    world.file("turn.json", turn.to_string());
    for (name, value, wanted) in cases {
        let mut command = world.command(&["run", "turn.json"]);
        let output = command.env(name, value).stderr(std::process::Stdio::piped()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        match wanted {
            Some(wanted) => assert!(said.contains(&format!("{name}=`{value}` {wanted}")), "{name}: {said}"),
            None => assert!(!said.contains(name), "{name}: {said}"),
        }
    }
}
