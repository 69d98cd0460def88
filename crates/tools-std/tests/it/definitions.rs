//! What models, hooks and schedulers are told about the tools.

use crate::harness::Session;
use pegboard_tool_core::{Access, Accesses, Concurrency, Effects, Resource};
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn each_tool_answers_to_its_alias_and_refuses_unknown_fields() {
    let session = Session::new();
    for (name, alias) in [
        ("Read", "read"),
        ("Write", "write"),
        ("Edit", "edit"),
        ("NotebookEdit", "notebook_edit"),
        ("Glob", "glob"),
        ("Grep", "grep"),
    ] {
        let tool = session.tool(name);
        let definition = tool.definition();
        assert!(definition.aliases.iter().any(|other| other.as_str() == alias), "{name}");
        assert_eq!(definition.input_schema["additionalProperties"], json!(false), "{name}");
        for example in &definition.examples {
            assert!(tool.prepare(Arc::new(example.clone()), &session.ctx()).is_ok(), "{name}: {example}");
        }
        let mut wrong = definition.examples[0].clone();
        wrong["nonsense"] = json!(1);
        assert!(tool.prepare(Arc::new(wrong), &session.ctx()).is_err(), "{name}");
    }
}

#[test]
fn readers_share_and_writers_do_not() {
    let session = Session::new();
    let edit = json!({"file_path": "f", "old_string": "a", "new_string": "b"});
    for (name, input, concurrency, effects) in [
        ("Read", json!({"file_path": "f"}), Concurrency::Shared, Effects::ReadOnly),
        ("Glob", json!({"pattern": "*"}), Concurrency::Shared, Effects::ReadOnly),
        ("Grep", json!({"pattern": "a"}), Concurrency::Shared, Effects::ReadOnly),
        ("Write", json!({"file_path": "f", "content": ""}), Concurrency::Exclusive, Effects::Writes),
        ("Edit", edit, Concurrency::Exclusive, Effects::Writes),
    ] {
        let invocation = session.tool(name).prepare(Arc::new(input), &session.ctx()).unwrap();
        assert_eq!((invocation.concurrency(), invocation.effects()), (concurrency, effects), "{name}");
        assert!(!invocation.changes_context(), "{name}");
    }
}

#[test]
fn c_t_33_hooks_and_rules_see_absolute_paths() {
    let mut session = Session::new();
    session.snapshot.home = Some("/home/u".into());
    let root = session.root.clone();
    session.write("f", "");
    let prepared = |name: &str, input: Value| {
        let invocation = session.tool(name).prepare(Arc::new(input), &session.ctx()).unwrap();
        (invocation.view().clone(), invocation.accesses().clone())
    };
    let (view, accesses) = prepared("Write", json!({"file_path": "b.txt", "content": ""}));
    assert_eq!(view["file_path"], json!(root.join("b.txt")));
    assert_eq!(accesses, Accesses::write_file(root.join("b.txt")));
    let (view, accesses) = prepared("Read", json!({"file_path": "~/x"}));
    assert_eq!((&view["file_path"], accesses), (&json!("/home/u/x"), Accesses::read_file("/home/u/x")));
    let (view, accesses) = prepared("Grep", json!({"pattern": "a", "path": "./f"}));
    assert_eq!((&view["path"], accesses), (&json!(root.join("f")), Accesses::read_file(root.join("f"))));
    assert_eq!(prepared("Grep", json!({"pattern": "a"})).1, Accesses::read_tree(&root));
    // What a pattern reaches is judged, not only the path beside it.
    for (pattern, tree) in
        [("../*", root.parent().unwrap()), ("/etc/**/x", "/etc".as_ref()), ("**/x", root.as_path())]
    {
        let expected: Arc<[Access]> = Arc::from([Access::read(Resource::Tree(tree.to_path_buf()))]);
        assert_eq!(prepared("Glob", json!({"pattern": pattern})).1, Accesses::Only(expected), "{pattern}");
    }
}

#[test]
fn what_models_are_told_does_not_change_by_accident() {
    let session = Session::new();
    for (name, fields) in [
        ("Read", "file_path offset limit pages"),
        ("Write", "file_path content"),
        ("Edit", "file_path old_string new_string replace_all"),
        ("NotebookEdit", "notebook_path cell_id new_source cell_type edit_mode"),
        ("Glob", "pattern path"),
        ("Grep", "pattern path glob type output_mode -i -n -o -A -B -C context head_limit offset multiline"),
    ] {
        let tool = session.tool(name);
        let schema = &tool.definition().input_schema;
        let properties = schema["properties"].as_object().unwrap();
        let mut expected: Vec<&str> = fields.split(' ').collect();
        let mut found: Vec<&str> = properties.keys().map(String::as_str).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{name}");
        assert!(properties.values().all(|field| field["description"].is_string()), "{name}: {schema:#}");
        assert!(!schema.to_string().contains("$ref"), "{name}: {schema:#}");
    }
}
