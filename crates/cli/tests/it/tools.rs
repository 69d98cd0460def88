//! `tools`, `doctor` and `completions`.

use crate::world::World;
use serde_json::Value;

#[test]
fn the_pool_is_listed_shown_and_printed_as_sent() {
    let world = World::new();
    let listed = world.run(&["tools", "list"], "");
    let names: Vec<&str> = listed.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let expected = [
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "NotebookEdit",
        "Read",
        "TaskOutput",
        "TaskStop",
        "WebFetch",
        "Write",
    ];
    assert_eq!(names, expected, "{}", listed.err);
    let shown = world.run(&["tools", "show", "read"], "");
    assert!(shown.out.starts_with("Read\n"), "{}", shown.out);
    let schema = world.run(&["tools", "schema"], "");
    let tools: Vec<Value> = serde_json::from_str(&schema.out).unwrap();
    assert_eq!(tools.len(), 10);
    assert!(tools.iter().all(|tool| tool["input_schema"]["type"] == "object"));
    assert!(!schema.out.contains("$ref"));
    assert_eq!(world.run(&["tools", "schema"], "").out, schema.out);
    assert_eq!(world.run(&["tools", "show", "Nope"], "").code, 2);
}

#[test]
fn a_bare_deny_takes_the_tool_out_of_the_pool() {
    let world = World::new();
    for rule in ["Bash", "Bash(*)"] {
        let listed = world.run(&["tools", "list", "--deny", rule], "");
        assert!(!listed.out.contains("Bash"), "{}", listed.out);
    }
    let all = world.run(&["tools", "list", "--all", "--deny", "Bash", "--format", "json"], "");
    let tools: Vec<Value> = serde_json::from_str(&all.out).unwrap();
    let bash = tools.iter().find(|tool| tool["name"] == "Bash").unwrap();
    assert_eq!(bash["status"], "absent");
    assert!(bash["reason"].as_str().unwrap().contains("Bash"), "{bash}");
    assert!(world.run(&["tools", "list", "--deny", "Bash(rm *)"], "").out.contains("Bash"));
}

#[test]
fn doctor_says_what_is_enforced() {
    let world = World::new();
    let said = world.run(&["doctor"], "");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for word in ["working directory", "sandbox", "settings files", "tools"] {
        assert!(said.out.contains(word), "{}", said.out);
    }
    world.file(
        ".pegboard/settings.json",
        r#"{"permissions": {"deny": ["Bash("], "denny": []}, "model": "x"}"#,
    );
    let said = world.run(&["doctor"], "");
    assert_eq!(said.code, 4, "{}", said.out);
    for word in ["`Bash(` is skipped", "`permissions.denny`", "`model`"] {
        assert!(said.out.contains(word), "{word}: {}", said.out);
    }
    world.file(".pegboard/settings.json", "{");
    let said = world.run(&["doctor", "--format", "json"], "");
    assert_eq!(said.code, 4);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert!(report["faults"][0].as_str().unwrap().contains("settings.json:1"), "{report}");
}

#[test]
fn completions_name_every_subcommand() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let said = world.run(&["completions", shell], "");
        assert_eq!(said.code, 0);
        assert!(said.out.contains("permissions") && said.out.contains("doctor"), "{shell}");
    }
}
