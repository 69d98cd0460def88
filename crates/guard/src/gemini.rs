//! Tools of Gemini CLI, by a table of names and fields.

use crate::doubt::When;
use crate::fault::FaultKind;
use crate::fields::Fields;
use crate::tools::{Mapped, call, checked_name, each, joined, normal, places};
use pegboard_tool_core::{ToolName, ToolOrigin};
use serde_json::{Map, Value};
use std::path::Path;

/// A tool that differs by names only: Gemini's name, the name in rules, fields under other names.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Searches: all of them look below a folder.
const SEARCHES: [Row; 4] = [
    ("glob", "Glob", &[("dir_path", "path")]),
    ("grep_search", "Grep", &[("dir_path", "path"), ("include_pattern", "glob")]),
    ("search_file_content", "Grep", &[("dir_path", "path"), ("include_pattern", "glob")]),
    ("list_directory", "Glob", &[("dir_path", "path")]),
];

/// Tools without paths.
const OTHERS: [Row; 3] = [
    ("google_web_search", "WebSearch", &[]),
    ("invoke_agent", "Agent", &[("agent_name", "subagent_type")]),
    ("activate_skill", "Skill", &[("name", "skill")]),
];

/// Whether Gemini CLI has a tool of this name that is judged under another.
pub(crate) fn knows(tool: &str) -> bool {
    const SINGLE: [&str; 6] =
        ["run_shell_command", "read_file", "read_many_files", "write_file", "replace", "web_fetch"];
    SINGLE.contains(&tool) || SEARCHES.iter().chain(&OTHERS).any(|(name, ..)| *name == tool)
}

/// The calls of an event. `mcp_context` is the event's.
pub(crate) fn map(fields: &Fields<'_>, mcp_context: Option<&Value>, cwd: &Path) -> Result<Mapped, FaultKind> {
    if let Some(context) = mcp_context.filter(|context| !context.is_null()) {
        return with_context(fields, context, cwd);
    }
    of_name(fields, cwd)
}

/// A tool of an MCP server. Where its name is not one of those that Gemini CLI gives such tools, it may be another tool
/// just as well, and both are judged.
fn with_context(fields: &Fields<'_>, context: &Value, cwd: &Path) -> Result<Mapped, FaultKind> {
    let mut mapped = of_mcp(fields, context, cwd)?;
    if !fields.tool.starts_with("mcp_") && checked_name(fields.tool).is_ok() {
        let other = of_name(fields, cwd)?;
        mapped.calls.extend(other.calls);
        mapped.doubts.extend(other.doubts);
        mapped.is_unsure = true;
    }
    Ok(mapped)
}

fn of_name(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    match fields.tool {
        "run_shell_command" => shell(fields, cwd),
        "read_file" => read_file(fields, cwd),
        "read_many_files" => read_many(fields, cwd),
        "write_file" => {
            let paths = file_places(fields.required("file_path")?, cwd);
            Ok(Mapped {
                calls: each("Write", &fields.renamed(&[]), "file_path", paths, cwd),
                ..Mapped::default()
            })
        }
        "replace" => replace(fields, cwd),
        "web_fetch" => web_fetch(fields, cwd),
        tool => {
            if let Some((_, name, renamed)) = SEARCHES.iter().find(|(name, ..)| *name == tool) {
                return search(fields, name, renamed, cwd);
            }
            if let Some((_, name, renamed)) = OTHERS.iter().find(|(name, ..)| *name == tool) {
                return Ok(Mapped::one(name, fields.renamed(renamed), cwd));
            }
            by_own_name(fields, cwd)
        }
    }
}

fn by_own_name(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    let is_mcp = fields.tool.starts_with("mcp_");
    if is_mcp && ToolName::new(fields.tool).is_err() {
        // The doubt below is all that can be said of it.
        let mut mapped = Mapped::default();
        mapped.doubt(When::Always, "which tool of which MCP server is meant cannot be told");
        return Ok(mapped);
    }
    checked_name(fields.tool)?;
    let mut mapped = Mapped::one(fields.tool, fields.renamed(&[]), cwd);
    if is_mcp {
        mapped.doubt(
            When::McpRule,
            "which tool of which MCP server is meant cannot be told, and there are rules for some",
        );
    }
    Ok(mapped)
}

fn of_mcp(fields: &Fields<'_>, context: &Value, cwd: &Path) -> Result<Mapped, FaultKind> {
    let text = |name: &str| context.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (Some(server), Some(tool)) = (text("server_name"), text("tool_name")) else {
        return Err(FaultKind::Field { field: "mcp_context", wanted: "the names of a server and a tool" });
    };
    let name = format!("mcp__{}__{}", normal(server), normal(tool));
    checked_name(&name)?;
    let mut mapped = Mapped::one(&name, fields.renamed(&[]), cwd);
    for call in &mut mapped.calls {
        call.origin = ToolOrigin::Mcp { server: server.into(), tool: tool.into() };
    }
    Ok(mapped)
}

fn shell(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    fields.required("command")?;
    let folder = match fields.text("dir_path")?.or(fields.text("directory")?) {
        Some(folder) => joined(cwd, folder),
        None => cwd.to_path_buf(),
    };
    let mut mapped = Mapped::one("Bash", fields.renamed(&[("is_background", "run_in_background")]), &folder);
    let is_empty = |value: &Value| match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) | Value::String(_) => false,
    };
    if fields.get("additional_permissions").is_some_and(|value| !is_empty(value)) {
        mapped.doubt(When::Always, "the command asks for more than the host's sandbox gives it");
    }
    Ok(mapped)
}

fn read_file(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    let named = match fields.text("file_path")? {
        Some(named) => named,
        None => fields.text("absolute_path")?.ok_or_else(|| fields.wrong("file_path", "a text"))?,
    };
    let mut input = fields.renamed(&[("start_line", "offset")]);
    input.remove("absolute_path");
    let start = fields.get("start_line").and_then(Value::as_u64).unwrap_or(1);
    if let Some(end) = input.remove("end_line").and_then(|end| end.as_u64()) {
        input.insert("limit".to_owned(), end.saturating_sub(start).saturating_add(1).into());
    }
    Ok(Mapped { calls: each("Read", &input, "file_path", file_places(named, cwd), cwd), ..Mapped::default() })
}

fn read_many(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    // Older versions call the field `paths`.
    let mut patterns = fields.texts("include")?;
    patterns.extend(fields.texts("paths")?);
    if patterns.is_empty() {
        return Err(fields.wrong("include", "a list of texts"));
    }
    let mut mapped = Mapped::default();
    for pattern in patterns {
        let places = file_places(pattern, cwd);
        for place in &places {
            let reason = format!("`{pattern}` may reach a file that a rule names");
            mapped.doubt(When::ReadRuleWithin(joined(cwd, place)), reason);
        }
        mapped.calls.extend(each("Read", &Map::new(), "file_path", places, cwd));
    }
    Ok(mapped)
}

fn replace(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    let named = fields.required("file_path")?;
    let mut input = fields.renamed(&[("allow_multiple", "replace_all")]);
    input.remove("instruction");
    let paths = file_places(named, cwd);
    let mut mapped = Mapped { calls: each("Edit", &input, "file_path", paths, cwd), ..Mapped::default() };
    if !Path::new(named).is_absolute() {
        let reason = "the file is not there, and the host then looks for another one of that name, which a rule may name";
        mapped.doubt(When::MissingAndEditRule(joined(cwd, named)), reason);
    }
    Ok(mapped)
}

fn search(
    fields: &Fields<'_>,
    tool: &str,
    renamed: &[(&str, &str)],
    cwd: &Path,
) -> Result<Mapped, FaultKind> {
    // Older versions call the folder `path`.
    let folder = fields.text("dir_path")?.or(fields.text("path")?);
    fields.text("include_pattern")?;
    let mut input = fields.renamed(renamed);
    if fields.tool == "list_directory" {
        input.insert("pattern".to_owned(), Value::String("*".to_owned()));
    } else if tool == "Glob" {
        fields.required("pattern")?;
    }
    let folders = places(folder.unwrap_or("."), cwd);
    Ok(Mapped { calls: each(tool, &input, "path", folders, cwd), ..Mapped::default() })
}

fn web_fetch(fields: &Fields<'_>, cwd: &Path) -> Result<Mapped, FaultKind> {
    let prompt = fields.text("prompt")?;
    let mut urls: Vec<String> = fields.text("url")?.map(str::to_owned).into_iter().collect();
    urls.extend(prompt.into_iter().flat_map(urls_of));
    let raw: Vec<String> = urls.iter().filter_map(|url| raw_page(url)).collect();
    urls.extend(raw);
    let input = fields.renamed(&[]);
    if urls.is_empty() {
        // Nothing is fetched; a rule for the whole tool still counts.
        return Ok(Mapped { calls: vec![call("WebFetch", input, cwd)], ..Mapped::default() });
    }
    Ok(Mapped { calls: each("WebFetch", &input, "url", urls, cwd), ..Mapped::default() })
}

/// Every address in a prompt: words that hold `http://` or `https://`, from there on.
fn urls_of(prompt: &str) -> Vec<String> {
    let words = prompt.split_whitespace().filter(|word| word.contains("://"));
    let address = |word: &str| {
        let lower = word.to_ascii_lowercase();
        let start = lower.find("http://").into_iter().chain(lower.find("https://")).min()?;
        word.get(start..).map(str::to_owned)
    };
    words.filter_map(address).collect()
}

/// Where a page of a file on github.com is fetched from instead.
fn raw_page(url: &str) -> Option<String> {
    let lower = url.to_ascii_lowercase();
    (lower.contains("github.com/") && lower.contains("/blob/")).then(|| {
        let path =
            lower.find("github.com/").and_then(|at| url.get(at + "github.com/".len()..)).unwrap_or_default();
        format!("https://raw.githubusercontent.com/{}", path.replacen("/blob/", "/", 1))
    })
}

/// The paths that Gemini CLI may take `named` for: a leading `@` goes away when no such file exists.
fn file_places(named: &str, cwd: &Path) -> Vec<String> {
    let mut all = places(named, cwd);
    if let Some(rest) = named.strip_prefix('@') {
        all.extend(places(rest, cwd));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mapped(tool: &str, input: &Value) -> Result<Mapped, FaultKind> {
        map(&Fields { tool, input: input.as_object().unwrap() }, None, Path::new("/w"))
    }

    fn calls(tool: &str, input: Value) -> Vec<String> {
        let mapped = mapped(tool, &input).unwrap();
        let line = |call: &crate::Call| format!("{} {} in {}", call.tool, call.input, call.cwd.display());
        mapped.calls.iter().map(line).collect()
    }

    #[test]
    fn every_tool_has_its_name_in_rules() {
        insta::assert_snapshot!(
            [
                calls("run_shell_command", json!({"command": "ls", "is_background": true, "dir_path": "sub"})),
                calls("read_file", json!({"file_path": "a", "start_line": 3, "end_line": 5})),
                calls("read_file", json!({"file_path": "@a"})),
                calls("read_many_files", json!({"include": ["a", "src/*.rs"], "exclude": ["b"]})),
                calls("write_file", json!({"file_path": "a", "content": "x"})),
                calls("replace", json!({"file_path": "/w/a", "old_string": "x", "new_string": "y", "allow_multiple": true, "instruction": "i"})),
                calls("glob", json!({"pattern": "*.rs", "dir_path": "src"})),
                calls("grep_search", json!({"pattern": "x", "dir_path": "src", "include_pattern": "*.rs"})),
                calls("list_directory", json!({"dir_path": "src"})),
                calls("google_web_search", json!({"query": "q"})),
                calls("invoke_agent", json!({"agent_name": "a", "prompt": "p"})),
                calls("activate_skill", json!({"name": "s"})),
                calls("write_todos", json!({"todos": []})),
            ]
            .concat()
            .join("\n"),
            @r#"
        Bash {"command":"ls","dir_path":"sub","run_in_background":true} in /w/sub
        Read {"file_path":"/w/a","offset":3,"limit":3} in /w
        Read {"file_path":"/w/@a"} in /w
        Read {"file_path":"/w/a"} in /w
        Read {"file_path":"/w/a"} in /w
        Read {"file_path":"/w/src/*.rs"} in /w
        Write {"file_path":"/w/a","content":"x"} in /w
        Edit {"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":true} in /w
        Glob {"pattern":"*.rs","path":"/w/src"} in /w
        Grep {"pattern":"x","path":"/w/src","glob":"*.rs"} in /w
        Glob {"path":"/w/src","pattern":"*"} in /w
        WebSearch {"query":"q"} in /w
        Agent {"prompt":"p","subagent_type":"a"} in /w
        Skill {"skill":"s"} in /w
        write_todos {"todos":[]} in /w
        "#
        );
    }

    #[test]
    fn every_address_of_a_prompt_is_a_fetch() {
        let urls = |prompt: &str| -> Vec<String> {
            let mapped = mapped("web_fetch", &json!({"prompt": prompt})).unwrap();
            mapped.calls.iter().filter_map(|call| Some(call.input.get("url")?.as_str()?.to_owned())).collect()
        };
        assert_eq!(urls("see (HTTPS://a.test/x), http://b.test"), ["HTTPS://a.test/x),", "http://b.test"]);
        assert_eq!(urls("ftp://a.test and nothing"), Vec::<String>::new());
        let page = "https://github.com/o/r/blob/main/f";
        assert_eq!(urls(page), [page, "https://raw.githubusercontent.com/o/r/main/f"]);
    }

    #[test]
    fn what_is_withheld_is_a_doubt() {
        let doubts = |tool: &str, input: Value| -> Vec<When> {
            mapped(tool, &input).unwrap().doubts.into_iter().map(|doubt| doubt.when).collect()
        };
        let more = json!({"command": "ls", "additional_permissions": {"network": true}});
        assert_eq!(doubts("run_shell_command", more), [When::Always]);
        assert_eq!(doubts("run_shell_command", json!({"command": "ls", "additional_permissions": {}})), []);
        assert_eq!(doubts("mcp_fs_delete", json!({})), [When::McpRule]);
        assert_eq!(doubts("mcp_fs.x:y", json!({})), [When::Always]);
        let relative = json!({"file_path": "a", "old_string": "x", "new_string": "y"});
        assert_eq!(doubts("replace", relative), [When::MissingAndEditRule("/w/a".into())]);
    }

    #[test]
    fn a_server_and_a_tool_are_named_by_the_event_alone() {
        let input = json!({});
        let fields = Fields { tool: "mcp_x_y", input: input.as_object().unwrap() };
        let context = json!({"server_name": "my fs", "tool_name": "delete"});
        let mapped = map(&fields, Some(&context), Path::new("/w")).unwrap();
        assert_eq!(mapped.calls[0].tool, "mcp__my_fs__delete");
        assert!(map(&fields, Some(&json!({"server_name": "fs"})), Path::new("/w")).is_err());
    }

    #[test]
    fn a_built_in_name_with_a_server_is_both() {
        let context = json!({"server_name": "fs", "tool_name": "x"});
        let of = |tool: &str, input: Value| {
            let fields = Fields { tool, input: input.as_object().unwrap() };
            let mapped = map(&fields, Some(&context), Path::new("/w"))?;
            let names: Vec<String> = mapped.calls.into_iter().map(|call| call.tool).collect();
            Ok::<_, FaultKind>((names, mapped.is_unsure))
        };
        let both = |name: &str| (vec!["mcp__fs__x".to_owned(), name.to_owned()], true);
        assert_eq!(of("run_shell_command", json!({"command": "rm x"})).unwrap(), both("Bash"));
        assert_eq!(of("read_file", json!({"file_path": "k"})).unwrap(), both("Read"));
        assert_eq!(of("x", json!({})).unwrap(), both("x"));
        assert_eq!(of("mcp_fs_x", json!({})).unwrap(), (vec!["mcp__fs__x".to_owned()], false));
        assert_eq!(of("a.b", json!({})).unwrap(), (vec!["mcp__fs__x".to_owned()], false));
        assert!(of("run_shell_command", json!({"command": 1})).is_err());
    }

    #[test]
    fn an_input_that_cannot_be_read_is_refused() {
        for (tool, input) in [
            ("run_shell_command", json!({})),
            ("run_shell_command", json!({"command": "ls", "dir_path": 1})),
            ("read_many_files", json!({"include": [1]})),
            ("read_many_files", json!({})),
            ("web_fetch", json!({"prompt": 1})),
            ("glob", json!({})),
            ("grep_search", json!({"pattern": "x", "dir_path": []})),
            ("we ird", json!({})),
        ] {
            assert!(mapped(tool, &input).is_err(), "{tool} {input}");
        }
    }
}
