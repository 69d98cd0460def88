//! NotebookEdit (C-T-20), and how the other tools treat notebooks.

use crate::harness::Session;
use pegboard_tool_core::Accesses;
use pegboard_tools_std::{ReadBeforeEdit, Services};
use serde_json::{Value, json};
use std::sync::Arc;

const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 1,\n   \"metadata\": {},\n   \
                        \"outputs\": [{\"x\": 1.0}],\n   \"source\": [\n    \"print(1)\"\n   ]\n  }\n ],\n \"metadata\": {},\n \
                        \"nbformat\": 4,\n \"nbformat_minor\": 4\n}";

fn replace(source: &str) -> Value {
    json!({"notebook_path": "n.ipynb", "cell_id": "cell-0", "new_source": source})
}

async fn read_session() -> Session {
    let session = Session::new();
    session.write("n.ipynb", NOTEBOOK);
    let read = session.call("Read", json!({"file_path": "n.ipynb"})).await;
    assert!(!read.is_error, "{}", read.text);
    session
}

#[tokio::test]
async fn c_t_20_an_insert_needs_a_type_and_goes_to_the_start_or_after_a_cell() {
    let session = read_session().await;
    let insert = |cell: Option<&str>, kind: Option<&str>, source: &str| {
        let mut input = json!({"notebook_path": "n.ipynb", "edit_mode": "insert", "new_source": source});
        for (name, value) in [("cell_id", cell), ("cell_type", kind)] {
            if let Some(value) = value {
                input[name] = json!(value);
            }
        }
        input
    };
    let refused = session.call("NotebookEdit", insert(None, None, "x")).await;
    assert!(refused.is_error && refused.text.contains("`cell_type` must be given"), "{}", refused.text);
    assert_eq!(session.bytes("n.ipynb"), NOTEBOOK.as_bytes());
    for (cell, kind, source) in [(None, "markdown", "first"), (Some("cell-1"), "code", "last")] {
        let answer = session.call("NotebookEdit", insert(cell, Some(kind), source)).await;
        assert!(!answer.is_error, "{}", answer.text);
    }
    let notebook: Value = serde_json::from_slice(&session.bytes("n.ipynb")).unwrap();
    let sources: Vec<&Value> =
        notebook["cells"].as_array().unwrap().iter().map(|cell| &cell["source"][0]).collect();
    assert_eq!(sources, ["first", "print(1)", "last"]);
    let delete =
        json!({"notebook_path": "n.ipynb", "edit_mode": "delete", "cell_id": "cell-0", "new_source": ""});
    let answer = session.call("NotebookEdit", delete).await;
    assert_eq!(answer.data["old_source"], json!("first"));
}

#[tokio::test]
async fn a_notebook_is_always_read_first_and_not_touched_when_it_changed() {
    let lax = Session::with(Services::new().with_read_before_edit(ReadBeforeEdit::Off));
    lax.write("n.ipynb", NOTEBOOK);
    for (tool, input) in
        [("NotebookEdit", replace("x")), ("Write", json!({"file_path": "n.ipynb", "content": "{}"}))]
    {
        let refused = lax.call(tool, input).await;
        assert!(refused.is_error && refused.text.contains("has not been read"), "{tool}: {}", refused.text);
    }
    let edit = json!({"file_path": "n.ipynb", "old_string": "print(1)", "new_string": "print(2)"});
    let refused = lax.call("Edit", edit).await;
    assert!(
        refused.is_error && refused.text.contains("has not been read")
            || refused.text.contains("NotebookEdit")
    );
    assert_eq!(lax.bytes("n.ipynb"), NOTEBOOK.as_bytes());

    let session = read_session().await;
    let changed = NOTEBOOK.replace("print(1)", "print(9)");
    session.write("n.ipynb", &changed);
    let stale = session.call("NotebookEdit", replace("x")).await;
    assert!(stale.is_error && stale.text.contains("changed since it was read"), "{}", stale.text);
    assert_eq!(session.bytes("n.ipynb"), changed.as_bytes());
}

#[tokio::test]
async fn a_replaced_cell_is_told_and_known() {
    let session = read_session().await;
    let answer = session.call("NotebookEdit", replace("print(2)")).await;
    assert!(!answer.is_error, "{}", answer.text);
    assert!(answer.text.contains("what it showed was removed"), "{}", answer.text);
    let expected = NOTEBOOK
        .replace("print(1)", "print(2)")
        .replace("\"execution_count\": 1", "\"execution_count\": null")
        .replace("[{\"x\": 1.0}]", "[]");
    assert_eq!(session.bytes("n.ipynb"), expected.as_bytes());
    let fields = ["cell_id", "cell_type", "language", "edit_mode", "new_source", "old_source"];
    let shown: Vec<&Value> = fields.iter().map(|field| &answer.data[field]).collect();
    assert_eq!(shown, ["cell-0", "code", "python", "replace", "print(2)", "print(1)"]);
    // Its own change is no change by others.
    let again = session.call("NotebookEdit", replace("print(3)")).await;
    assert!(!again.is_error, "{}", again.text);
    let same = session.call("NotebookEdit", replace("print(3)")).await;
    assert!(same.is_error && same.text.contains("nothing would change"), "{}", same.text);
}

#[tokio::test]
async fn what_is_no_notebook_is_refused_and_stays() {
    let session = Session::new();
    for (name, content, says) in [
        ("broken.ipynb", "{\"cells\": [", "is broken"),
        ("old.ipynb", "{\"nbformat\": 3, \"worksheets\": []}", "format 3"),
        ("text.txt", "x", "no .ipynb file"),
    ] {
        session.write(name, content);
        session.call("Read", json!({"file_path": name})).await;
        // Whatever Read says of it, it is known.
        let ledger = session.snapshot.session.of::<pegboard_tools_std::ReadLedger>();
        ledger.note_whole(&session.root.join(name), content.as_bytes());
        let mut input = replace("x");
        input["notebook_path"] = json!(name);
        let refused = session.call("NotebookEdit", input).await;
        assert!(refused.is_error && refused.text.contains(says), "{name}: {}", refused.text);
        assert_eq!(session.bytes(name), content.as_bytes());
    }
    let missing = session.call("NotebookEdit", replace("x")).await;
    assert!(missing.is_error && missing.text.contains("does not exist"), "{}", missing.text);
}

#[tokio::test]
async fn people_see_the_cell_and_rules_the_file() {
    let session = read_session().await;
    let input = replace("print(2)");
    let invocation = session.tool("NotebookEdit").prepare(Arc::new(input), &session.ctx()).unwrap();
    assert_eq!(invocation.describe(), "Replace cell cell-0 of n.ipynb");
    assert_eq!(invocation.view()["notebook_path"], json!(session.root.join("n.ipynb")));
    assert_eq!(*invocation.accesses(), Accesses::write_file(session.root.join("n.ipynb")));
    insta::assert_snapshot!(invocation.render_use().unwrap(), @r"
    @@ -1,1 +1,1 @@
    -print(1)
    \ No newline at end of file
    +print(2)
    \ No newline at end of file
    ");
}

#[tokio::test]
async fn numbers_that_json_has_not_and_deep_values_are_read_and_stay() {
    let session = Session::new();
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let notebook = |source: &str| {
        format!(
            "{{\"cells\": [{{\"cell_type\": \"code\", \"id\": \"a\", \"execution_count\": 1, \"metadata\": {{}}, \"outputs\": [], \
             \"source\": [\"one\"]}},\n {{\"cell_type\": \"markdown\", \"id\": \"b\", \"metadata\": {{\"loss\": NaN, \"most\": -Infinity, \
             \"tree\": {deep}}}, \"source\": [\"{source}\"]}}], \"metadata\": {{}}, \"nbformat\": 4, \"nbformat_minor\": 5}}\n"
        )
    };
    session.write("n.ipynb", notebook("two"));
    let shown = session.call("Read", json!({"file_path": "n.ipynb"})).await;
    assert!(!shown.is_error && shown.text.contains("two"), "{}", shown.text);
    let edit = json!({"notebook_path": "n.ipynb", "cell_id": "b", "new_source": "three"});
    let edited = session.call("NotebookEdit", edit).await;
    assert!(!edited.is_error, "{}", edited.text);
    assert_eq!(String::from_utf8(session.bytes("n.ipynb")).unwrap(), notebook("three"));
}
