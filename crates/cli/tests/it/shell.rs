//! `shell analyze`.

use crate::world::World;
use serde_json::{Value, json};

#[test]
fn a_line_is_answered_with_all_fields() {
    let world = World::new();
    let said = world.run(&["shell", "analyze", "cat a.txt && rm -rf build"], "");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.out.lines().count(), 1);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["commands", "writes", "reads", "removes", "network", "opaque"]);
    assert_eq!(report["opaque"], json!([]));
    let programs: Vec<&Value> =
        report["commands"].as_array().unwrap().iter().map(|command| &command["program"]).collect();
    assert_eq!(programs, ["cat", "rm"]);
    let second = &report["commands"][1];
    let keys: Vec<&str> = second.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["program", "argv", "exact", "via", "at"]);
    assert_eq!((&second["argv"], &second["at"]), (&json!(["rm", "-rf", "build"]), &json!(13)));
    assert_eq!((&second["exact"], &second["via"]), (&json!(true), &json!([])));
}

#[test]
fn the_line_may_come_from_stdin() {
    let world = World::new();
    let given = world.run(&["shell", "analyze", "ls -la"], "");
    assert_eq!(world.run(&["shell", "analyze", "-"], "ls -la\n").out, given.out);
    assert_eq!(world.run(&["shell", "analyze"], "ls -la").out, given.out);
    assert_eq!(world.run(&["shell", "analyze", "--format", "json", "ls -la"], "").out, given.out);
    let said = world.run(&["shell", "analyze"], b"\xff".to_vec());
    assert_eq!((said.code, said.out.as_str()), (2, ""));
}

#[test]
fn lines_of_a_file_are_answered_one_by_one() {
    let world = World::new();
    let text = "{\"id\":\"a\",\"command\":\"ls\"}\n\n{\"command\":\"pwd\",\"more\":1}\nnot json\n{\"id\":5}\n[1]\n{\"id\":\"z\",\"command\":\"if\"}\n";
    let said = world.run(&["shell", "analyze", "--jsonl"], text);
    assert_eq!(said.code, 2);
    let answers: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 7, "{}", said.out);
    assert_eq!((&answers[0]["id"], &answers[0]["commands"][0]["program"]), (&json!("a"), &json!("ls")));
    assert!(answers[1]["error"].is_string() && answers[1]["id"].is_null(), "{}", answers[1]);
    assert_eq!((answers[2].get("id"), &answers[2]["commands"][0]["program"]), (None, &json!("pwd")));
    for (answer, id) in answers[3..6].iter().zip([json!(null), json!(5), json!(null)]) {
        assert!(answer["error"].is_string() && answer["id"] == id, "{answer}");
    }
    // What the shell itself would not take is no bad line.
    assert!(answers[6]["opaque"].as_array().is_some_and(|parts| !parts.is_empty()), "{}", answers[6]);
    let file = world.file("lines.jsonl", "{\"id\":\"a\",\"command\":\"ls\"}\n");
    let said = world.run(&["shell", "analyze", "--jsonl", file.to_str().unwrap()], "");
    assert_eq!((said.code, said.out.lines().count()), (0, 1));
}
