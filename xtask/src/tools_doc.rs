//! `docs/tools.md`: the tools of the built command, with the input schema that a model sees.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{cmd::Cmd, suite::WITH_TESTS, workspace::Workspace};

const HEADER: &str = "\
<!-- Written by `cargo xtask codegen`. Do not edit. -->

# The tools

What `pegboard tools list --all` shows where nothing is configured. *Concurrency* says whether calls may run beside
each other, *effects* what a call may do; where a tool decides per call, the strictest value stands here.
";

/// One entry of `pegboard tools list --all --format json`.
#[derive(Debug, Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    concurrency: String,
    effects: String,
    status: String,
    reason: Option<String>,
    description: String,
    input_schema: Value,
}

/// The text of the reference. Builds the command and asks it.
pub(crate) fn generate(workspace: &Workspace) -> anyhow::Result<String> {
    if !Cmd::cargo(WITH_TESTS).args(["--workspace"]).run()? {
        bail!("the command does not build");
    }
    let program = workspace.built("pegboard");
    let listed = ask(&program, &workspace.target_directory.join("codegen"))?;
    let tools: Vec<Tool> = serde_json::from_str(&listed)
        .context("`pegboard tools list --all --format json` did not print an array of tools")?;
    ensure!(!tools.is_empty(), "`pegboard tools list --all --format json` printed no tool");
    render(&tools)
}

/// Asks the command in an empty folder with an empty home: settings of this machine must not show.
fn ask(program: &Path, scratch: &Path) -> anyhow::Result<String> {
    match fs::remove_dir_all(scratch) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot empty {}", scratch.display()));
        }
        _ => {}
    }
    let (home, cwd) = (scratch.join("home"), scratch.join("project"));
    for folder in [&home, &cwd] {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let mut cmd = Cmd::new(program).args(["tools", "list", "--all", "--format", "json"]).dir(&cwd);
    for name in
        ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"]
    {
        cmd = cmd.env(name, &home);
    }
    cmd.read()
}

fn render(tools: &[Tool]) -> anyhow::Result<String> {
    let mut text = HEADER.to_owned();
    for tool in tools {
        write!(text, "\n## {}\n\n", tool.name)?;
        if !tool.aliases.is_empty() {
            let aliases: Vec<_> = tool.aliases.iter().map(|alias| format!("`{alias}`")).collect();
            writeln!(text, "Also answers to {}.", aliases.join(", "))?;
        }
        writeln!(text, "Concurrency: {}. Effects: {}.", tool.concurrency, tool.effects)?;
        if let Some(reason) = &tool.reason {
            writeln!(text, "Status: {} ({reason}).", tool.status)?;
        }
        write!(text, "\n```text\n{}\n```\n", tool.description.trim_end())?;
        render_input(&mut text, &tool.input_schema)?;
    }
    Ok(text)
}

fn render_input(text: &mut String, schema: &Value) -> anyhow::Result<()> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    if properties.is_empty() {
        text.push_str("\nTakes no input.\n");
        return Ok(());
    }
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    text.push_str("\n| field | type | required | meaning |\n|---|---|---|---|\n");
    for (name, property) in properties {
        let needed = if required.iter().any(|r| r == name) { "yes" } else { "" };
        let meaning = property.get("description").and_then(Value::as_str).unwrap_or_default();
        writeln!(text, "| `{name}` | {} | {needed} | {} |", type_of(property), cell(meaning))?;
    }
    Ok(())
}

/// A type in words: `string`, `array of string`, `one of `a`, `b``, `integer or null`.
fn type_of(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<_> = values.iter().map(|value| format!("`{}`", cell(&plain(value)))).collect();
        return format!("one of {}", values.join(", "));
    }
    if let Some(value) = schema.get("const") {
        return format!("`{}`", cell(&plain(value)));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema.get(key).and_then(Value::as_array) {
            let choices: Vec<_> = choices.iter().map(type_of).collect();
            return choices.join(" or ");
        }
    }
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "array" => match schema.get("items") {
            Some(items) => format!("array of {}", type_of(items)),
            None => kind.clone(),
        },
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<_> = kinds.iter().map(plain).collect();
            kinds.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

/// A string without its quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Text that may stand in a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_shown_with_every_field_of_its_input() -> anyhow::Result<()> {
        let tools: Vec<Tool> = serde_json::from_value(json!([{
            "name": "Grep", "aliases": ["grep"], "concurrency": "shared", "effects": "read_only",
            "status": "available", "description": "Finds lines.\n",
            "input_schema": {
                "type": "object",
                "properties": {
                    "pattern": { "type": "string", "description": "A regular\nexpression: a|b" },
                    "mode": { "enum": ["content", "count"] },
                    "paths": { "type": "array", "items": { "type": "string" } },
                    "limit": { "type": ["integer", "null"] },
                },
                "required": ["pattern"],
            },
        }, {
            "name": "Repl", "concurrency": "exclusive", "effects": "destructive",
            "status": "absent", "reason": "flag `repl` is off", "description": "Runs.",
            "input_schema": { "type": "object" },
        }]))?;
        let text = render(&tools)?;
        let expected = "
## Grep

Also answers to `grep`.
Concurrency: shared. Effects: read_only.

```text
Finds lines.
```

| field | type | required | meaning |
|---|---|---|---|
| `pattern` | string | yes | A regular expression: a\\|b |
| `mode` | one of `content`, `count` |  |  |
| `paths` | array of string |  |  |
| `limit` | integer or null |  |  |

## Repl

Concurrency: exclusive. Effects: destructive.
Status: absent (flag `repl` is off).

```text
Runs.
```

Takes no input.
";
        assert_eq!(text.strip_prefix(HEADER), Some(expected));
        Ok(())
    }
}
