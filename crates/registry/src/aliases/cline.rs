//! Cline's tools as data: names, what the model is told, and which tool stands behind. Models of that family
//! write numbers and truths as texts too, and a `task_progress` beside everything; both are taken.

use super::AliasSpec;
use super::adapt;
use serde_json::{Map, Value, json};

pub(super) const CLINE: &[AliasSpec] = &[
    AliasSpec {
        name: "read_file",
        tool: "Read",
        description: "Reads a file, or some lines of it.",
        adapt: Some(adapt::read_file),
        schema: Some(|| {
            let fields = [
                ("path", text("File to read.")),
                ("start_line", number("First line, from 1.", "integer")),
                ("end_line", number("Last line.", "integer")),
            ];
            object(fields, &["path"])
        }),
        adapted_schema: None,
    },
    AliasSpec {
        name: "write_to_file",
        tool: "Write",
        description: "Writes a file with its whole content; creates it and its folders when they are missing. A file that \
                      is there must have been read.",
        adapt: Some(adapt::write_file),
        schema: Some(written),
        adapted_schema: None,
    },
    AliasSpec {
        name: "new_rule",
        tool: "Write",
        description: "Writes a new file of rules for the agent.",
        adapt: Some(adapt::write_file),
        schema: Some(written),
        adapted_schema: None,
    },
    AliasSpec {
        name: "replace_in_file",
        tool: "Edit",
        description: "Replaces parts of a file, given as SEARCH/REPLACE blocks. Each SEARCH must be exactly the lines that \
                      are in the file, and be there once. All blocks are applied or none. Read the file first.",
        adapt: Some(adapt::replace_in_file),
        schema: Some(|| {
            let diff = "One or more blocks: `------- SEARCH`, the exact lines, `=======`, the new lines, `+++++++ REPLACE`, each \
                        mark on a line of its own.";
            object([("path", text("File to change.")), ("diff", text(diff))], &["path", "diff"])
        }),
        adapted_schema: Some(blocks_of_lines),
    },
    AliasSpec {
        name: "execute_command",
        tool: "Bash",
        description: "Runs a command line.",
        adapt: Some(adapt::execute_command),
        schema: Some(|| {
            let fields = [
                ("command", text("The command line.")),
                ("requires_approval", truth("Not used: what is asked is decided by rules.")),
                ("timeout", number("Seconds.", "number")),
            ];
            object(fields, &["command"])
        }),
        adapted_schema: None,
    },
    AliasSpec {
        name: "search_files",
        tool: "Grep",
        description: "Searches the files of a folder for a regular expression.",
        adapt: Some(adapt::search_files),
        schema: Some(|| {
            let fields = [
                ("path", text("Folder to search in.")),
                ("regex", text("Regular expression.")),
                ("file_pattern", text("Files to search, such as `*.ts`.")),
            ];
            object(fields, &["path", "regex"])
        }),
        adapted_schema: None,
    },
    AliasSpec {
        name: "list_files",
        tool: "Glob",
        description: "Lists the files and folders of a folder; folders end with a slash.",
        adapt: Some(adapt::list_files),
        schema: Some(|| {
            let fields = [("path", text("Folder.")), ("recursive", truth("Folders below it too."))];
            object(fields, &["path"])
        }),
        adapted_schema: Some(listing),
    },
    AliasSpec {
        name: "web_fetch",
        tool: "WebFetch",
        description: "",
        adapt: Some(adapt::same),
        schema: None,
        adapted_schema: None,
    },
    AliasSpec {
        name: "ask_followup_question",
        tool: "AskUserQuestion",
        description: "Asks the person a question with answers to choose from.",
        adapt: Some(adapt::ask_followup_question),
        schema: Some(|| {
            let list = json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 4});
            let options = json!({"anyOf": [list, {"type": "string"}], "description": "2 to 4 answers."});
            object([("question", text("The question.")), ("options", options)], &["question", "options"])
        }),
        adapted_schema: None,
    },
    AliasSpec {
        name: "access_mcp_resource",
        tool: "ReadMcpResourceTool",
        description: "Reads a resource of an MCP server.",
        adapt: Some(adapt::access_mcp_resource),
        schema: Some(|| {
            let fields = [("server_name", text("The server.")), ("uri", text("The resource."))];
            object(fields, &["server_name", "uri"])
        }),
        adapted_schema: None,
    },
];

fn object<const N: usize>(fields: [(&str, Value); N], required: &[&str]) -> Value {
    let mut fields: Map<_, _> = fields.into_iter().map(|(name, field)| (name.to_owned(), field)).collect();
    fields.insert("task_progress".to_owned(), text("Not used."));
    json!({"type": "object", "properties": fields, "required": required, "additionalProperties": false})
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn truth(description: &str) -> Value {
    let texts = json!({"enum": ["true", "false"]});
    json!({"anyOf": [{"type": "boolean"}, texts], "description": description})
}

fn number(description: &str, kind: &str) -> Value {
    let texts = json!({"type": "string", "pattern": "^ *[0-9]+([.][0-9]+)? *$"});
    json!({"anyOf": [{"type": kind}, texts], "description": description})
}

fn written() -> Value {
    let fields = [("path", text("File to write.")), ("content", text("The whole new content."))];
    object(fields, &["path", "content"])
}

/// What blocks become: Edit's input, with several replacements of whole lines. A hook may give one of them as Edit
/// has it.
fn blocks_of_lines() -> Value {
    let text = json!({"type": "string"});
    let block = json!({
        "type": "object",
        "properties": {"old_string": text, "new_string": text},
        "required": ["old_string", "new_string"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "file_path": text,
            "old_string": text,
            "new_string": text,
            "replace_all": {"type": "boolean"},
            "edits": {"type": "array", "items": block},
        },
        "required": ["file_path"],
        "additionalProperties": false,
    })
}

/// What a listing becomes: Glob's input, with folders.
fn listing() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": ["string", "null"]},
            "folders": {"type": "boolean"},
        },
        "required": ["pattern"],
        "additionalProperties": false,
    })
}
