//! Other agents' names for the tools, as they are called and written in rules.

use crate::world::{World, text};
use serde_json::json;

#[test]
fn calls_in_the_form_of_cline_run_the_same_tools() {
    let world = World::new();
    world.file("a.txt", "alpha\nbeta\n");
    let diff = "------- SEARCH\nbeta\n=======\nBETA\n+++++++ REPLACE\n";
    let (said, blocks) = world.turn(
        &["--allow", "Edit", "--allow", "Bash(wc *)"],
        &[
            ("t1", "read_file", json!({"path": "a.txt"})),
            ("t2", "replace_in_file", json!({"path": "a.txt", "diff": diff})),
            ("t3", "write_to_file", json!({"path": "new.txt", "content": "new\n"})),
            ("t4", "execute_command", json!({"command": "wc -l a.txt", "requires_approval": false})),
            ("t5", "search_files", json!({"path": ".", "regex": "BETA"})),
            ("t6", "list_files", json!({"path": ".", "recursive": "true"})),
            ("t7", "bash", json!({"command": "wc -c a.txt"})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let errors: Vec<bool> = blocks.iter().map(|block| block["is_error"] == json!(true)).collect();
    assert_eq!(errors, [false; 7], "{blocks:#?}");
    assert_eq!((world.read("a.txt"), world.read("new.txt")), ("alpha\nBETA\n".into(), "new\n".into()));
    assert!(text(&blocks[4]).contains("a.txt:2:BETA"), "{}", text(&blocks[4]));
    assert!(text(&blocks[5]).contains("new.txt"), "{}", text(&blocks[5]));
}

#[test]
fn rules_hold_under_every_name() {
    let world = World::new();
    world.file("a.txt", "alpha\n");
    for (rule, name, input) in [
        ("Read(./a.txt)", "read_file", json!({"path": "a.txt"})),
        ("read_file", "Read", json!({"file_path": "a.txt"})),
        ("Bash(wc *)", "execute_command", json!({"command": "wc -l a.txt"})),
        ("execute_command(wc *)", "bash", json!({"command": "wc -l a.txt"})),
        (
            "write_to_file(./a.txt)",
            "Edit",
            json!({"file_path": "a.txt", "old_string": "alpha", "new_string": "b"}),
        ),
        ("execute_command", "Bash", json!({"command": "wc -l a.txt"})),
    ] {
        let (_, blocks) = world.turn(&["--deny", rule, "--mode", "acceptEdits"], &[("t1", name, input)]);
        assert_eq!(blocks[0]["is_error"], json!(true), "{rule} {name}: {blocks:#?}");
    }
}

#[test]
fn sets_of_names_are_offered_on_request() {
    let world = World::new();
    let listed = world.run(&["tools", "list"], "").out;
    assert!(!listed.contains("replace_in_file"), "{listed}");
    let offered = r#"{"tools": {"names": ["cline", "snake_case"]}}"#;
    let listed = world.run(&["tools", "list", "--settings", offered], "");
    for name in ["Edit", "replace_in_file", "execute_command", "bash"] {
        assert!(
            listed.out.lines().any(|line| line.starts_with(name)),
            "{name}: {}{}",
            listed.out,
            listed.err
        );
    }
    world.file("a.txt", "alpha\n");
    let (_, blocks) = world.turn(&["--settings", offered], &[("t1", "read_file", json!({"path": "a.txt"}))]);
    assert!(text(&blocks[0]).contains("alpha"), "{blocks:#?}");
    for wrong in [r#"{"tools": {"names": ["klein"]}}"#, r#"{"tools": {"names": true}}"#] {
        let said = world.run(&["tools", "list", "--settings", wrong], "");
        assert_eq!(said.code, 2, "{}", said.err);
        assert!(said.err.contains("tools.names"), "{}", said.err);
    }
}
