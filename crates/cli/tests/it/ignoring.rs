//! `.pegboardignore`: what it names is closed, in `run`, in `permissions check` and in `guard`.

use crate::world::{World, text};
use serde_json::{Value, json};

#[test]
fn what_an_ignore_file_names_is_closed_to_every_tool() {
    let world = World::new();
    world.file(".pegboardignore", "secret/\n*.key\n");
    world.file("secret/a.txt", "hidden\n");
    world.file("b.key", "hidden\n");
    world.file("c.txt", "open\n");
    let (said, blocks) = world.turn(
        &["--mode", "acceptEdits", "--allow", "Read", "--allow", "Bash"],
        &[
            ("t1", "Read", json!({"file_path": "secret/a.txt"})),
            ("t2", "Grep", json!({"pattern": "hidden|open", "output_mode": "content"})),
            ("t3", "Glob", json!({"pattern": "**/*.key"})),
            ("t4", "Write", json!({"file_path": "d.key", "content": "x"})),
            ("t5", "Bash", json!({"command": "cat b.key"})),
            ("t6", "Bash", json!({"command": "cat c.txt"})),
            ("t7", "Write", json!({"file_path": ".pegboardignore", "content": ""})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let errors: Vec<bool> = blocks.iter().map(|block| block["is_error"] == json!(true)).collect();
    assert_eq!(errors, [true, false, false, true, true, false, true], "{blocks:#?}");
    assert!(text(&blocks[0]).contains(".pegboardignore"), "{}", text(&blocks[0]));
    assert!(
        text(&blocks[1]).contains("open") && !text(&blocks[1]).contains("hidden"),
        "{}",
        text(&blocks[1])
    );
    assert!(!text(&blocks[2]).contains("b.key"), "{}", text(&blocks[2]));
    assert!(!world.project().join("d.key").exists());
}

#[test]
fn a_check_answers_as_a_run_would() {
    let world = World::new();
    world.file(".clineignore", "secret.txt\n");
    let input = json!({"file_path": "secret.txt"}).to_string();
    let said = world.run(&["permissions", "check", "--tool", "Read", "--input", &input], "");
    let verdict: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(verdict["behavior"], "deny", "{verdict}");
}
