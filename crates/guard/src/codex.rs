//! Tools of Codex: the shell, patches, and the rest under their own names.

use crate::apply_patch::{of_line, of_patch};
use crate::fault::FaultKind;
use crate::fields::Fields;
use crate::host::Gate;
use crate::tools::{Mapped, call, checked_name, each, mcp, places};
use serde_json::{Map, Value};
use std::path::Path;

/// How the description of a network approval begins; the target follows.
const NETWORK: &str = "network-access ";

/// Names of the shell.
const SHELLS: [&str; 5] = ["Bash", "shell_command", "exec_command", "shell", "local_shell"];

/// Whether Codex has a tool of this name that is judged under another.
pub(crate) fn knows(tool: &str) -> bool {
    SHELLS.contains(&tool) || matches!(tool, "apply_patch" | "view_image" | "spawn_agent")
}

/// Whether the tool is judged by its name alone, whatever its arguments are.
pub(crate) fn is_by_name(tool: &str) -> bool {
    !knows(tool)
}

/// The calls of an event.
pub(crate) fn map(fields: &Fields<'_>, gate: Gate, cwd: &Path) -> Result<Mapped, FaultKind> {
    match fields.tool {
        tool if SHELLS.contains(&tool) => shell(fields, gate, cwd),
        "apply_patch" => Ok(of_patch(fields.required("command")?, cwd)),
        "view_image" => {
            let paths = places(fields.required("path")?, cwd);
            Ok(Mapped { calls: each("Read", &Map::new(), "file_path", paths, cwd), ..Mapped::default() })
        }
        "spawn_agent" => {
            let input = fields.renamed(&[("message", "prompt"), ("agent_type", "subagent_type")]);
            Ok(Mapped::one("Agent", input, cwd))
        }
        tool => {
            checked_name(tool)?;
            let input = fields.renamed(&[]);
            Ok(if tool.starts_with("mcp__") { mcp(tool, input, cwd) } else { Mapped::one(tool, input, cwd) })
        }
    }
}

fn shell(fields: &Fields<'_>, gate: Gate, cwd: &Path) -> Result<Mapped, FaultKind> {
    let target = match gate {
        Gate::PermissionRequest => fields.text("description")?.and_then(|text| text.strip_prefix(NETWORK)),
        Gate::PreToolUse => None,
    };
    let line = fields.text("command")?.or(fields.text("cmd")?);
    let mut mapped = Mapped::default();
    if let Some(line) = line {
        let mut input = fields.renamed(&[]);
        input.insert("command".to_owned(), Value::String(line.to_owned()));
        mapped = of_line(line, cwd);
        mapped.calls.insert(0, call("Bash", input, cwd));
    } else if target.is_none() {
        return Err(fields.wrong("command", "a text"));
    }
    if let Some(target) = target.map(str::trim) {
        let url = if target.contains("://") { target.to_owned() } else { format!("https://{target}/") };
        mapped.calls.extend(each("WebFetch", &Map::new(), "url", [url], cwd));
    }
    Ok(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn calls(tool: &str, gate: Gate, input: Value) -> Result<Vec<String>, FaultKind> {
        let mapped = map(&Fields { tool, input: input.as_object().unwrap() }, gate, Path::new("/w"))?;
        Ok(mapped.calls.iter().map(|call| format!("{} {}", call.tool, call.input)).collect())
    }

    #[test]
    fn every_tool_has_its_name_in_rules() {
        let of = |tool, input| calls(tool, Gate::PreToolUse, input).unwrap();
        assert_eq!(of("exec_command", json!({"cmd": "ls"})), [r#"Bash {"cmd":"ls","command":"ls"}"#]);
        assert_eq!(of("view_image", json!({"path": "a.png"})), [r#"Read {"file_path":"/w/a.png"}"#]);
        let agent = of("spawn_agent", json!({"message": "m", "agent_type": "x"}));
        assert_eq!(agent, [r#"Agent {"prompt":"m","subagent_type":"x"}"#]);
        assert_eq!(of("update_plan", json!({"plan": []})), [r#"update_plan {"plan":[]}"#]);
    }

    #[test]
    fn a_network_approval_is_a_fetch_too() {
        let input = json!({"command": "curl x", "description": "network-access evil.test:443"});
        let found = calls("Bash", Gate::PermissionRequest, input.clone()).unwrap();
        assert_eq!(found[1], r#"WebFetch {"url":"https://evil.test:443/"}"#);
        assert_eq!(calls("Bash", Gate::PreToolUse, input).unwrap().len(), 1);
        let alone = json!({"description": "network-access https://evil.test"});
        assert_eq!(
            calls("Bash", Gate::PermissionRequest, alone).unwrap(),
            [r#"WebFetch {"url":"https://evil.test"}"#]
        );
    }

    #[test]
    fn a_shell_without_a_line_is_refused() {
        assert!(calls("Bash", Gate::PreToolUse, json!({})).is_err());
        assert!(calls("shell", Gate::PreToolUse, json!({"command": ["rm", "x"]})).is_err());
        assert!(calls("apply_patch", Gate::PreToolUse, json!({"input": "x"})).is_err());
    }
}
