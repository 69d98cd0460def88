//! How calls are put together: the mapping's result, paths as a host would take them, names of MCP tools.

use crate::doubt::{Doubt, When};
use crate::fault::FaultKind;
use crate::request::Call;
use pegboard_tool_core::{ToolName, ToolOrigin};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What an event means.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapped {
    pub(crate) calls: Vec<Call>,
    pub(crate) doubts: Vec<Doubt>,
    /// Something about it is ambiguous, so that no allow may be passed on.
    pub(crate) is_unsure: bool,
}

impl Mapped {
    /// One call of a built-in tool in `cwd`.
    pub(crate) fn one(tool: &str, input: Map<String, Value>, cwd: &Path) -> Self {
        Self { calls: vec![call(tool, input, cwd)], ..Self::default() }
    }

    /// A doubt more.
    pub(crate) fn doubt(&mut self, when: When, reason: impl Into<String>) {
        self.doubts.push(Doubt::new(when, reason));
    }
}

/// A call of a built-in tool in `cwd`.
pub(crate) fn call(tool: &str, input: Map<String, Value>, cwd: &Path) -> Call {
    let (tool, aliases): (&str, &'static [&'static str]) = match tool {
        "Agent" | "Task" => ("Agent", &["Task"]),
        other => (other, &[]),
    };
    Call {
        tool: tool.to_owned(),
        aliases,
        origin: ToolOrigin::BuiltIn,
        input: Value::Object(input),
        cwd: cwd.to_path_buf(),
    }
}

/// One call for each value of `field`.
pub(crate) fn each(
    tool: &str,
    input: &Map<String, Value>,
    field: &str,
    values: impl IntoIterator<Item = String>,
    cwd: &Path,
) -> Vec<Call> {
    let with = |value: String| {
        let mut input = input.clone();
        input.insert(field.to_owned(), Value::String(value));
        call(tool, input, cwd)
    };
    values.into_iter().map(with).collect()
}

/// The paths that a host may take `named` for: joined to its working directory, and as a path of the home directory.
pub(crate) fn places(named: &str, cwd: &Path) -> Vec<String> {
    let mut places = vec![joined(cwd, named).to_string_lossy().into_owned()];
    if named.starts_with('~') {
        places.push(named.to_owned());
    }
    places
}

/// `named` in `cwd`; NULs, which no path has, are left out.
pub(crate) fn joined(cwd: &Path, named: &str) -> PathBuf {
    if named.contains('\0') { cwd.join(named.replace('\0', "")) } else { cwd.join(named) }
}

/// Checks that rules can name the tool.
pub(crate) fn checked_name(name: &str) -> Result<(), FaultKind> {
    match ToolName::new(name) {
        Ok(_) => Ok(()),
        Err(_) => Err(FaultKind::ToolName { name: crate::reason::shortened(name, 64) }),
    }
}

/// The part of a name of an MCP tool that `text` becomes in rules.
pub(crate) fn normal(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).collect()
}

/// An MCP tool by its name in rules. Where server and tool meet cannot be told from a name with more than one joint: then
/// every server that it could be is looked at, and no allow is passed on.
pub(crate) fn mcp(name: &str, input: Map<String, Value>, cwd: &Path) -> Mapped {
    let joints = name.get("mcp__".len()..).unwrap_or_default().matches("__").count();
    Mapped { is_unsure: joints != 1, ..Mapped::one(name, input, cwd) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_at_wherever_the_host_may_find_it() {
        assert_eq!(places("a/b", Path::new("/w")), ["/w/a/b"]);
        assert_eq!(places("/x", Path::new("/w")), ["/x"]);
        assert_eq!(places("se\0cret", Path::new("/w")), ["/w/secret"]);
        assert_eq!(places("~/x", Path::new("/w")), ["/w/~/x", "~/x"]);
    }

    #[test]
    fn a_name_with_two_joints_is_unsure() {
        let of = |name| mcp(name, Map::new(), Path::new("/w")).is_unsure;
        assert!(!of("mcp__fs__delete") && of("mcp__fs__a__b") && of("mcp__fs"));
    }
}
