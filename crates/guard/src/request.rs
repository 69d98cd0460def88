//! What a host wants to know: calls under the names that rules use.

use crate::doubt::Doubt;
use crate::host::{Gate, Host};
use pegboard_tool_core::{PermissionMode, ToolOrigin};
use serde_json::Value;
use std::path::PathBuf;

/// One event of a host, to be judged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// Who asks.
    pub host: Host,
    /// At which point.
    pub gate: Gate,
    /// The host's working directory, absolute.
    pub cwd: PathBuf,
    /// The host's permission mode; `default` when it says none.
    pub mode: PermissionMode,
    /// What would happen. One event may be several calls: the strictest verdict counts.
    pub calls: Vec<Call>,
    /// The call as the host names it. Deny and ask rules under those names hold too; nothing is allowed by them.
    pub own: OwnCall,
    /// What the event does not tell. Each that holds is an ask of its own.
    pub doubts: Vec<Doubt>,
    /// Whether everything about the event is known, so that an allow may be passed on.
    pub may_allow: bool,
}

/// A call under the names that the host has for its tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OwnCall {
    /// The host's names, beside those of the request's calls. Each is a tool name.
    pub names: Vec<String>,
    /// The input, as the host sent it; empty when there are no names.
    pub input: Value,
}

/// One call, under the tool's name in rules.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The tool's name in rules.
    pub tool: String,
    /// Other names of the tool in rules.
    pub aliases: &'static [&'static str],
    /// Where the tool comes from.
    pub origin: ToolOrigin,
    /// Its input, under the field names that rules use.
    pub input: Value,
    /// Where it runs, absolute.
    pub cwd: PathBuf,
}
