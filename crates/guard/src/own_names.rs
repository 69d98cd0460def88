//! The names that a host has for a tool that rules know under another one. Who wrote a rule under the host's name meant it.

use crate::request::Call;
use crate::tools::{checked_name, normal};
use serde_json::Value;

/// The names of `tool` that none of the `calls` has: the event's own, and for a tool of an MCP server the one that Gemini
/// CLI gives it. Characters that no rule can hold become `_`.
pub(crate) fn own_names(tool: &str, mcp_context: Option<&Value>, calls: &[Call]) -> Vec<String> {
    let mut names = vec![normal(tool)];
    let text = |field: &str| mcp_context?.get(field)?.as_str();
    if let (Some(server), Some(tool)) = (text("server_name"), text("tool_name")) {
        names.push(format!("mcp_{}_{}", normal(server), normal(tool)));
    }
    names.dedup();
    let is_judged = |name: &str| calls.iter().any(|call| call.tool == name || call.aliases.contains(&name));
    names.retain(|name| !is_judged(name) && checked_name(name).is_ok());
    names
}
