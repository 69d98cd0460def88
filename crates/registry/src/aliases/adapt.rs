//! Cline's inputs as the inputs of our tools. A field that is not known is passed on, so that the tool's
//! schema names it; nothing is dropped silently but what only told Cline how to ask or what to show.

use super::blocks;
use pegboard_tool_core::InvalidInput;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The fields of an input, to be renamed; an input that is no object is left to the schema.
fn changed(input: &Value, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut input = input.clone();
    if let Value::Object(fields) = &mut input {
        // Cline's list of steps is kept by its own program.
        fields.shift_remove("task_progress");
        change(fields);
    }
    input
}

/// Renames a field; when both names are there, both stay and the schema refuses the old one.
fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if !fields.contains_key(to)
        && let Some(value) = fields.shift_remove(from)
    {
        fields.insert(to.to_owned(), value);
    }
}

/// The path, under either of its names.
fn rename_path(fields: &mut Map<String, Value>) {
    rename(fields, "path", "file_path");
    rename(fields, "absolutePath", "file_path");
}

/// A whole number, also one that is written as a text; `None` for anything else.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    }
}

/// A truth, also one that is written as a text.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => text.trim().to_lowercase().parse().ok(),
        _ => None,
    }
}

/// Nothing but the name differs.
pub(super) fn same(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |_| {}))
}

pub(super) fn read_file(input: &Value) -> Result<Value, InvalidInput> {
    let line = |name: &str| input.get(name).and_then(whole);
    let (first, last) = (line("start_line"), line("end_line"));
    let count = match last {
        None => None,
        Some(last) => {
            Some((last + 1).checked_sub(first.unwrap_or(1).max(1)).filter(|count| *count > 0).ok_or_else(
                || {
                    InvalidInput::new(
                        "`end_line` of read_file comes before `start_line`; lines are counted from 1",
                    )
                },
            )?)
        }
    };
    Ok(changed(input, |fields| {
        rename_path(fields);
        // What is no number stays, for the schema to refuse.
        if let Some(first) = first {
            fields.shift_remove("start_line");
            fields.insert("offset".to_owned(), first.into());
        }
        if let Some(count) = count {
            fields.shift_remove("end_line");
            fields.insert("limit".to_owned(), count.into());
        }
    }))
}

pub(super) fn write_file(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, rename_path))
}

pub(super) fn execute_command(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| {
        // The gate decides what is asked; the model's own opinion counts for nothing.
        fields.shift_remove("requires_approval");
        let seconds = match fields.get("timeout") {
            Some(Value::String(text)) => text.trim().parse::<f64>().ok(),
            Some(other) => other.as_f64(),
            None => None,
        };
        if let Some(seconds) = seconds.filter(|seconds| seconds.is_finite()) {
            let milliseconds = (seconds * 1_000.0).clamp(0.0, 1e15).round();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
            fields.insert("timeout".to_owned(), (milliseconds as u64).into());
        }
    }))
}

pub(super) fn search_files(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| {
        rename(fields, "regex", "pattern");
        rename(fields, "file_pattern", "glob");
        fields.entry("output_mode").or_insert_with(|| "content".into());
    }))
}

pub(super) fn list_files(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| {
        // Anything else than a truth is left for the schema to refuse.
        if let Some(recursive) = fields.get("recursive").map_or(Some(false), truth) {
            fields.shift_remove("recursive");
            fields.entry("pattern").or_insert_with(|| if recursive { "**/*" } else { "*" }.into());
            fields.entry("folders").or_insert_with(|| true.into());
        }
    }))
}

pub(super) fn ask_followup_question(input: &Value) -> Result<Value, InvalidInput> {
    let question = input.get("question").and_then(Value::as_str).unwrap_or_default();
    let options = match input.get("options") {
        Some(Value::Array(options)) => options.clone(),
        // Models of that family write the list as a text.
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => Vec::new(),
    };
    let labels: Option<Vec<_>> = options.iter().map(Value::as_str).collect();
    match labels {
        Some(labels) if !question.is_empty() && (2..=4).contains(&labels.len()) => {
            let options: Vec<_> =
                labels.iter().map(|label| json!({"label": label, "description": ""})).collect();
            Ok(json!({"questions": [
                {"question": question, "header": "Question", "multiSelect": false, "options": options},
            ]}))
        }
        _ => Err(InvalidInput::new("ask_followup_question needs `question` and 2 to 4 texts in `options`")),
    }
}

pub(super) fn access_mcp_resource(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| rename(fields, "server_name", "server")))
}

/// Blocks become Edit's blocks of lines; one without a text to search for makes a new file.
pub(super) fn replace_in_file(input: &Value) -> Result<Value, InvalidInput> {
    let Some(diff) = input.get("diff").and_then(Value::as_str) else {
        return Err(InvalidInput::new(
            "replace_in_file needs `diff`: one or more SEARCH/REPLACE blocks as a text",
        ));
    };
    let blocks = blocks::parse(diff)?;
    let creates = blocks.iter().any(|block| block.old.is_empty());
    if creates && blocks.len() > 1 {
        return Err(InvalidInput::new(
            "a block with an empty SEARCH makes a new file, so it must be the only block; give each other block the \
             lines that it replaces",
        ));
    }
    Ok(changed(input, |fields| {
        fields.shift_remove("diff");
        rename_path(fields);
        if let ([block], true) = (blocks.as_slice(), creates) {
            fields.insert("old_string".to_owned(), "".into());
            fields.insert("new_string".to_owned(), block.new.as_str().into());
            return;
        }
        let edits: Vec<Value> =
            blocks.iter().map(|block| json!({"old_string": block.old, "new_string": block.new})).collect();
        fields.insert("edits".to_owned(), edits.into());
    }))
}

/// Server, tool and arguments of a call of `use_mcp_tool`.
pub(crate) fn mcp_call(name: &str, input: &Value) -> Option<(String, String, Arc<Value>)> {
    if name != "use_mcp_tool" {
        return None;
    }
    let text = |field: &str| input.get(field).and_then(Value::as_str).map(str::to_owned);
    let arguments = match input.get("arguments") {
        None => json!({}),
        // Cline has the arguments as JSON in a text; what is none stays a text, and the schema refuses it.
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
        Some(other) => other.clone(),
    };
    Some((text("server_name")?, text("tool_name")?, Arc::new(arguments)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_become_the_tools_own() {
        let diff = "------- SEARCH\n  a\n\n=======\n  b\n+++++++ REPLACE\n";
        let cases = [
            ("read_file", json!({"path": "a"}), json!({"file_path": "a"})),
            (
                "write_to_file",
                json!({"path": "a", "content": "x"}),
                json!({"content": "x", "file_path": "a"}),
            ),
            ("new_rule", json!({"path": "r.md", "content": ""}), json!({"content": "", "file_path": "r.md"})),
            (
                "replace_in_file",
                json!({"path": "a", "diff": diff}),
                json!({"file_path": "a", "edits": [{"old_string": "  a\n\n", "new_string": "  b\n"}]}),
            ),
            (
                "replace_in_file",
                json!({"absolutePath": "a", "diff": "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE", "task_progress": "-"}),
                json!({"file_path": "a", "old_string": "", "new_string": "x\n"}),
            ),
            (
                "read_file",
                json!({"path": "a", "start_line": "3", "end_line": 5}),
                json!({"file_path": "a", "offset": 3, "limit": 3}),
            ),
            ("read_file", json!({"path": "a", "end_line": 5}), json!({"file_path": "a", "limit": 5})),
            (
                "execute_command",
                json!({"command": "ls", "requires_approval": false, "timeout": 1.5}),
                json!({"command": "ls", "timeout": 1500}),
            ),
            (
                "search_files",
                json!({"path": ".", "regex": "x", "file_pattern": "*.rs"}),
                json!({"path": ".", "pattern": "x", "glob": "*.rs", "output_mode": "content"}),
            ),
            (
                "list_files",
                json!({"path": ".", "recursive": "True"}),
                json!({"path": ".", "pattern": "**/*", "folders": true}),
            ),
            ("list_files", json!({"path": "."}), json!({"path": ".", "pattern": "*", "folders": true})),
            ("list_files", json!({"path": ".", "recursive": 5}), json!({"path": ".", "recursive": 5})),
            (
                "access_mcp_resource",
                json!({"server_name": "s", "uri": "u"}),
                json!({"uri": "u", "server": "s"}),
            ),
            ("read_file", json!({"path": "a", "file_path": "b"}), json!({"path": "a", "file_path": "b"})),
            ("read_file", json!("text"), json!("text")),
        ];
        for (name, input, expected) in cases {
            let spec = super::super::CLINE.iter().find(|spec| spec.name == name).unwrap();
            assert_eq!(spec.adapt.unwrap()(&input).unwrap(), expected, "{name} {input}");
        }
    }

    #[test]
    fn what_cannot_be_said_in_the_tools_own_form_is_refused() {
        for (adapt, input) in [
            (read_file as super::super::Adapt, json!({"path": "a", "start_line": 5, "end_line": 4})),
            (read_file, json!({"path": "a", "end_line": 0})),
            (replace_in_file, json!({"path": "a", "diff": "no block"})),
            (
                replace_in_file,
                json!({"path": "a", "diff": "--- SEARCH\n===\nx\n+++ REPLACE\n--- SEARCH\na\n===\nx\n+++ REPLACE"}),
            ),
            (ask_followup_question, json!({"question": "?", "options": ["one"]})),
        ] {
            assert!(adapt(&input).is_err(), "{input}");
        }
    }

    #[test]
    fn calls_of_mcp_tools_name_server_and_tool() {
        let call = |input: Value| mcp_call("use_mcp_tool", &input);
        let (server, tool, arguments) =
            call(json!({"server_name": "s", "tool_name": "t", "arguments": "{\"a\": 1}"})).unwrap();
        assert_eq!((&*server, &*tool, &*arguments), ("s", "t", &json!({"a": 1})));
        assert_eq!(
            *call(json!({"server_name": "s", "tool_name": "t", "arguments": "{"})).unwrap().2,
            json!("{")
        );
        assert!(call(json!({"tool_name": "t"})).is_none() && mcp_call("other", &json!({})).is_none());
    }
}
