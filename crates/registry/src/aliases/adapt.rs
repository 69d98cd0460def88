//! Cline's inputs as the inputs of our tools. A field that is not known is passed on, so that the tool's
//! schema names it; nothing is dropped silently but what only told Cline how to ask.

use super::AliasSpec;
use pegboard_tool_core::InvalidInput;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) const CLINE: &[AliasSpec] = &[
    AliasSpec {
        name: "read_file",
        tool: "Read",
        description: "Reads a file.",
        adapt: Some(read_file),
        schema: Some(|| object(&[("path", "File to read.")], &["path"])),
    },
    AliasSpec {
        name: "write_to_file",
        tool: "Write",
        description: "Writes a file with its whole content; creates it and its folders when they are missing.",
        adapt: Some(write_file),
        schema: Some(written),
    },
    AliasSpec {
        name: "new_rule",
        tool: "Write",
        description: "Writes a new file of rules for the agent.",
        adapt: Some(write_file),
        schema: Some(written),
    },
    AliasSpec {
        name: "replace_in_file",
        tool: "Edit",
        description: "Replaces one part of a file, given as a SEARCH/REPLACE block.",
        adapt: Some(replace_in_file),
        schema: Some(|| {
            let diff = "`------- SEARCH`, the exact lines, `=======`, the new lines, `+++++++ REPLACE`, each mark on a line of its own.";
            object(&[("path", "File to change."), ("diff", diff)], &["path", "diff"])
        }),
    },
    AliasSpec {
        name: "execute_command",
        tool: "Bash",
        description: "Runs a command line.",
        adapt: Some(execute_command),
        schema: Some(|| {
            let mut schema = object(&[("command", "The command line.")], &["command"]);
            schema["properties"]["requires_approval"] = json!({"type": "boolean"});
            schema["properties"]["timeout"] = json!({"type": "number", "description": "Seconds."});
            schema
        }),
    },
    AliasSpec {
        name: "search_files",
        tool: "Grep",
        description: "Searches the files of a folder for a regular expression.",
        adapt: Some(search_files),
        schema: Some(|| {
            let fields = [
                ("path", "Folder to search in."),
                ("regex", "Regular expression."),
                ("file_pattern", "Files to search, such as `*.ts`."),
            ];
            object(&fields, &["path", "regex"])
        }),
    },
    AliasSpec {
        name: "list_files",
        tool: "Glob",
        description: "Lists the files of a folder.",
        adapt: Some(list_files),
        schema: Some(|| {
            let mut schema = object(&[("path", "Folder.")], &["path"]);
            schema["properties"]["recursive"] = json!({"type": "boolean"});
            schema
        }),
    },
    AliasSpec { name: "web_fetch", tool: "WebFetch", description: "", adapt: None, schema: None },
    AliasSpec {
        name: "ask_followup_question",
        tool: "AskUserQuestion",
        description: "Asks the person a question with answers to choose from.",
        adapt: Some(ask_followup_question),
        schema: Some(|| {
            let mut schema = object(&[("question", "The question.")], &["question", "options"]);
            schema["properties"]["options"] =
                json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 4});
            schema
        }),
    },
    AliasSpec {
        name: "access_mcp_resource",
        tool: "ReadMcpResourceTool",
        description: "Reads a resource of an MCP server.",
        adapt: Some(access_mcp_resource),
        schema: Some(|| {
            object(&[("server_name", "The server."), ("uri", "The resource.")], &["server_name", "uri"])
        }),
    },
];

fn object(fields: &[(&str, &str)], required: &[&str]) -> Value {
    let field =
        |(name, text): &(&str, &str)| ((*name).to_owned(), json!({"type": "string", "description": text}));
    let fields: Map<_, _> = fields.iter().map(field).collect();
    json!({"type": "object", "properties": fields, "required": required, "additionalProperties": false})
}

fn written() -> Value {
    object(&[("path", "File to write."), ("content", "The whole new content.")], &["path", "content"])
}

/// The fields of an input, to be renamed; an input that is no object is left to the schema.
fn changed(input: &Value, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut input = input.clone();
    if let Value::Object(fields) = &mut input {
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

fn read_file(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| rename(fields, "path", "file_path")))
}

fn write_file(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| rename(fields, "path", "file_path")))
}

fn execute_command(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| {
        // The gate decides what is asked; the model's own opinion counts for nothing.
        fields.shift_remove("requires_approval");
        if let Some(seconds) = fields.get("timeout").and_then(Value::as_f64) {
            let milliseconds = (seconds * 1_000.0).clamp(0.0, 1e15).round();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
            fields.insert("timeout".to_owned(), (milliseconds as u64).into());
        }
    }))
}

fn search_files(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| {
        rename(fields, "regex", "pattern");
        rename(fields, "file_pattern", "glob");
        fields.entry("output_mode").or_insert_with(|| "content".into());
    }))
}

fn list_files(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| {
        let recursive = match fields.get("recursive") {
            None => Some(false),
            Some(Value::Bool(recursive)) => Some(*recursive),
            // Models of that family write texts; anything else is left for the schema to refuse.
            Some(Value::String(text)) => text.parse().ok(),
            Some(_) => None,
        };
        if let Some(recursive) = recursive {
            fields.shift_remove("recursive");
            fields.entry("pattern").or_insert_with(|| if recursive { "**/*" } else { "*" }.into());
        }
    }))
}

fn ask_followup_question(input: &Value) -> Result<Value, InvalidInput> {
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

fn access_mcp_resource(input: &Value) -> Result<Value, InvalidInput> {
    Ok(changed(input, |fields| rename(fields, "server_name", "server")))
}

fn replace_in_file(input: &Value) -> Result<Value, InvalidInput> {
    let Some(diff) = input.get("diff").and_then(Value::as_str) else {
        return Ok(changed(input, |fields| rename(fields, "path", "file_path")));
    };
    let mut blocks = blocks(diff)?;
    let (Some((old, new)), None) = (blocks.pop(), blocks.pop()) else {
        return Err(InvalidInput::new(
            "`diff` must have exactly one SEARCH/REPLACE block; make one call for each replacement",
        ));
    };
    Ok(changed(input, |fields| {
        fields.shift_remove("diff");
        rename(fields, "path", "file_path");
        fields.insert("old_string".to_owned(), old.into());
        fields.insert("new_string".to_owned(), new.into());
    }))
}

/// The blocks of a diff. Text outside of blocks, or a block that does not end, is an error: an edit is
/// never guessed.
fn blocks(diff: &str) -> Result<Vec<(String, String)>, InvalidInput> {
    enum At {
        Outside,
        Search(Vec<String>),
        Replace(Vec<String>, Vec<String>),
    }
    let is = |line: &str, mark: char, word: &str| {
        let rest = line.trim_end().trim_start_matches(mark);
        line.trim_end().len() >= rest.len() + 3 && rest.trim_start() == word
    };
    let mut found = Vec::new();
    let mut at = At::Outside;
    for line in diff.split('\n') {
        at = match at {
            At::Outside if is(line, '-', "SEARCH") || is(line, '<', "SEARCH") => At::Search(Vec::new()),
            At::Outside if line.trim().is_empty() => At::Outside,
            At::Outside => {
                return Err(InvalidInput::new("`diff` has text outside of a SEARCH/REPLACE block"));
            }
            At::Search(old) if is(line, '=', "") => At::Replace(old, Vec::new()),
            At::Search(mut old) => {
                old.push(line.to_owned());
                At::Search(old)
            }
            At::Replace(old, new) if is(line, '+', "REPLACE") || is(line, '>', "REPLACE") => {
                found.push((old.join("\n"), new.join("\n")));
                At::Outside
            }
            At::Replace(old, mut new) => {
                new.push(line.to_owned());
                At::Replace(old, new)
            }
        };
    }
    match at {
        At::Outside => Ok(found),
        At::Search(_) | At::Replace(..) => Err(InvalidInput::new(
            "the last SEARCH/REPLACE block of `diff` does not end with `+++++++ REPLACE`",
        )),
    }
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
                json!({"file_path": "a", "old_string": "  a\n", "new_string": "  b"}),
            ),
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
            ("list_files", json!({"path": ".", "recursive": true}), json!({"path": ".", "pattern": "**/*"})),
            ("list_files", json!({"path": "."}), json!({"path": ".", "pattern": "*"})),
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
            let spec = CLINE.iter().find(|spec| spec.name == name).unwrap();
            assert_eq!(spec.adapt.unwrap()(&input).unwrap(), expected, "{name} {input}");
        }
    }

    #[test]
    fn an_edit_is_never_guessed() {
        for diff in [
            "",
            "hello",
            "------- SEARCH\na\n",
            "------- SEARCH\na\n=======\nb\n",
            "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\nrest",
            "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n------- SEARCH\nc\n=======\nd\n+++++++ REPLACE",
        ] {
            assert!(replace_in_file(&json!({"path": "a", "diff": diff})).is_err(), "{diff}");
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
