//! Tools of Claude Code. Its names and fields are those of the rules.

use crate::fault::FaultKind;
use crate::fields::Fields;
use crate::tools::{Mapped, call, mcp};
use serde_json::Value;
use std::path::Path;

/// Tools with the field by which they are judged. It has to be there: what has none cannot be judged.
const JUDGED_BY: [(&str, &str); 11] = [
    ("Bash", "command"),
    ("PowerShell", "command"),
    ("Monitor", "command"),
    ("Read", "file_path"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("Write", "file_path"),
    ("NotebookEdit", "notebook_path"),
    ("NotebookRead", "notebook_path"),
    ("WebFetch", "url"),
    ("LS", "path"),
];

/// Tools whose fields are texts if they are there.
const OPTIONAL: [(&str, &str); 4] =
    [("Glob", "path"), ("Glob", "pattern"), ("Grep", "path"), ("Grep", "glob")];

/// The calls of an event.
pub(crate) fn map(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    let tool = canonical(fields.tool);
    for (_, field) in JUDGED_BY.iter().filter(|(name, _)| *name == tool) {
        fields.required(field)?;
    }
    for (_, field) in OPTIONAL.iter().filter(|(name, _)| *name == tool) {
        fields.text(field)?;
    }
    let input = fields.input.clone();
    if tool.starts_with("mcp__") {
        return Ok(mcp(tool, input, cwd));
    }
    let mut mapped = Mapped::one(tool, input.clone(), cwd);
    match tool {
        "LS" => {
            let mut listed = input;
            listed.insert("pattern".to_owned(), Value::String("*".to_owned()));
            mapped.calls.push(call("Glob", listed, cwd));
        }
        "NotebookRead" => {
            mapped.calls.push(call("Read", fields.renamed(&[("notebook_path", "file_path")]), cwd))
        }
        _ => {}
    }
    Ok(mapped)
}

/// The name in rules; a host that copies these events may write it in another case.
fn canonical(tool: &str) -> &str {
    const OTHERS: [&str; 6] = ["Glob", "Grep", "WebSearch", "Agent", "Task", "Skill"];
    let known = JUDGED_BY.iter().map(|(name, _)| *name).chain(OTHERS);
    known.into_iter().find(|known| known.eq_ignore_ascii_case(tool)).unwrap_or(tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(tool: &str, input: Value) -> Result<Vec<(String, Value)>, FaultKind> {
        let mapped = map(&Fields { tool, input: input.as_object().unwrap() }, Path::new("/w"))?;
        Ok(mapped.calls.into_iter().map(|call| (call.tool, call.input)).collect())
    }

    #[test]
    fn what_cannot_be_judged_is_no_call() {
        for (tool, input) in [
            ("Bash", json!({})),
            ("Bash", json!({"command": ["rm"]})),
            ("bash", json!({"cmd": "rm"})),
            ("Read", json!({"path": "x"})),
            ("WebFetch", json!({"url": null})),
            ("Grep", json!({"pattern": "x", "path": 1})),
        ] {
            assert!(matches!(of(tool, input.clone()), Err(FaultKind::Input { .. })), "{tool} {input}");
        }
    }

    #[test]
    fn names_are_those_of_the_rules() {
        assert_eq!(of("bash", json!({"command": "ls"})).unwrap()[0].0, "Bash");
        assert_eq!(of("Task", json!({"subagent_type": "x"})).unwrap()[0].0, "Agent");
        assert_eq!(of("Other", json!({"a": 1})).unwrap(), [("Other".to_owned(), json!({"a": 1}))]);
        let listed = of("LS", json!({"path": "/w/secret"})).unwrap();
        assert_eq!(listed[1], ("Glob".to_owned(), json!({"path": "/w/secret", "pattern": "*"})));
    }
}
