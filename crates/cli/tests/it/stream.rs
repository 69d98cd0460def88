//! `pegboard stream`: tools start while the message still arrives.

use crate::world::{World, text};
use serde_json::{Value, json};
use std::io::Write;

fn event(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap())
}

fn start() -> String {
    event(&json!({"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant",
        "content": [], "model": "m", "stop_reason": null}}))
}

fn call(index: usize, id: &str, name: &str, input: &Value) -> String {
    let text = input.to_string();
    let (first, second) = text.split_at(text.len() / 2);
    [
        json!({"type": "content_block_start", "index": index,
            "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}),
        json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "input_json_delta", "partial_json": first}}),
        json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "input_json_delta", "partial_json": second}}),
        json!({"type": "content_block_stop", "index": index}),
    ]
    .iter()
    .map(event)
    .collect()
}

fn end(reason: &str) -> String {
    event(&json!({"type": "message_delta", "delta": {"stop_reason": reason}}))
        + &event(&json!({"type": "message_stop"}))
}

fn blocks(out: &str) -> Vec<Value> {
    let answer: Value = serde_json::from_str(out).unwrap_or_default();
    answer["content"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_call_runs_while_the_message_still_arrives() {
    let world = World::new();
    let mut child = world.start_piped(&["stream", "--allow", "Bash"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(start().as_bytes()).unwrap();
    stdin.write_all(call(0, "t1", "Bash", &json!({"command": "echo first > one"})).as_bytes()).unwrap();
    stdin.flush().unwrap();
    // The message is not over, and its first call has run.
    assert_eq!(world.wait_for("one"), "first\n");
    stdin.write_all(call(1, "t2", "Bash", &json!({"command": "cat one"})).as_bytes()).unwrap();
    stdin.write_all(end("tool_use").as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let blocks = blocks(&String::from_utf8(output.stdout).unwrap());
    assert_eq!((output.status.code(), blocks.len()), (Some(0), 2));
    assert_eq!(text(&blocks[1]), "first");
}

#[test]
fn the_results_are_those_of_run_and_the_message_is_written() {
    let world = World::new();
    world.file("a", "alpha\n");
    let calls = [("t1", "Read", json!({"file_path": "a"})), ("t2", "Reed", json!({}))];
    let stream = start()
        + &call(0, "t1", "Read", &calls[0].2)
        + &call(1, "t2", "Reed", &calls[1].2)
        + &end("tool_use");
    let said = world.run(&["stream", "--message", "message.json"], stream);
    assert_eq!(said.code, 0, "{}", said.err);
    let (ran, _) = world.turn(&[], &calls);
    assert_eq!(said.out, ran.out);
    let again = world.run(&["run", "message.json"], "");
    assert_eq!(again.out, ran.out);
}

#[test]
fn a_cut_stream_answers_what_was_complete_and_says_so() {
    let world = World::new();
    let whole = call(0, "t1", "Bash", &json!({"command": "echo ran"}));
    let half = call(1, "t2", "Bash", &json!({"command": "touch never"}));
    let said = world.run(&["stream", "--allow", "Bash"], start() + &whole + &half[..half.len() * 2 / 3]);
    assert_eq!(said.code, 1, "{}", said.err);
    let blocks = blocks(&said.out);
    assert_eq!(blocks.len(), 1);
    assert_eq!(text(&blocks[0]), "ran");
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    assert!(!world.project().join("never").exists());
}

#[test]
fn a_message_that_was_cut_by_its_limit_begins_nothing_at_its_end() {
    let world = World::new();
    let stream = start() + &call(0, "t1", "Bash", &json!({"command": "touch never"})) + &end("max_tokens");
    let said = world.run(&["stream", "--start", "end", "--allow", "Bash"], stream);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(text(&blocks(&said.out)[0]).contains("not run: the response was cut (max_tokens)"));
    assert!(!world.project().join("never").exists());
}

#[test]
fn a_failed_bash_call_cancels_its_siblings_unless_told_otherwise() {
    let world = World::new();
    let stream = || {
        start()
            + &call(0, "t1", "Bash", &json!({"command": "touch one; exit 3"}))
            + &call(1, "t2", "Bash", &json!({"command": "echo second"}))
            + &end("tool_use")
    };
    let said = world.run(&["stream", "--allow", "Bash"], stream());
    assert!(text(&blocks(&said.out)[1]).contains("sibling_error"), "{}", said.out);
    let off = r#"{"scheduler":{"bashFailureCancelsSiblings":false}}"#;
    let said = world.run(&["stream", "--allow", "Bash", "--settings", off], stream());
    assert_eq!(text(&blocks(&said.out)[1]), "second");
    // `run` knows the whole message: its calls are independent.
    let calls = [
        ("t1", "Bash", json!({"command": "touch one; exit 3"})),
        ("t2", "Bash", json!({"command": "echo second"})),
    ];
    assert_eq!(text(&world.turn(&["--allow", "Bash"], &calls).1[1]), "second");
}

#[test]
fn what_is_no_stream_is_said_and_nothing_runs() {
    let world = World::new();
    let whole = json!({"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "touch never"}}]});
    for (input, why) in [
        (String::new(), "no event"),
        ("garbage\n".to_owned(), "garbage"),
        (whole.to_string(), "run"),
        (start() + &end("end_turn"), "no complete tool call; it ended with `end_turn`"),
    ] {
        let said = world.run(&["stream", "--allow", "Bash"], input);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{}", said.err);
        assert!(said.err.contains(why), "{}", said.err);
    }
    assert!(!world.project().join("never").exists());
}

#[test]
fn conflicting_calls_keep_their_order_when_scheduled_by_conflicts() {
    let world = World::new();
    let (said, blocks) = world.turn(
        &["--schedule", "conflicts", "--allow", "Write", "--allow", "Edit", "--allow", "Bash"],
        &[
            ("t1", "Write", json!({"file_path": "a", "content": "1\n"})),
            ("t2", "Write", json!({"file_path": "b", "content": "2\n"})),
            ("t3", "Read", json!({"file_path": "a"})),
            ("t4", "Edit", json!({"file_path": "a", "old_string": "1", "new_string": "one"})),
            ("t5", "Bash", json!({"command": "cat a b; mkdir c; cd c"})),
            ("t6", "Write", json!({"file_path": "d", "content": "3\n"})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(blocks.iter().all(|block| block["is_error"] != json!(true)), "{blocks:#?}");
    assert_eq!(text(&blocks[4]), "one\n2");
    assert_eq!(world.read("c/d"), "3\n");
}
