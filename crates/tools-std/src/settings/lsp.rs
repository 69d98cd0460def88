//! Settings of the LSP tool.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Settings of the LSP tool: `tools.lsp` in a settings file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct LspSettings {
    /// Servers by name. A name of a built-in server changes that one, any other adds one.
    pub servers: BTreeMap<String, LspServerSettings>,
    /// Seconds that a server may take to start; 60 when it is not given or 0.
    pub start_timeout_seconds: Option<u64>,
    /// Seconds that a server may take for an answer; 30 when it is not given or 0.
    pub request_timeout_seconds: Option<u64>,
    /// Seconds that an answer waits for a server that is still reading the project; 60 when it is not given or 0.
    pub indexing_timeout_seconds: Option<u64>,
}

/// Settings of one language server. What is not given stays as it is built in.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct LspServerSettings {
    /// The program: an absolute path, or a name that is looked for on PATH.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Ends of the names of its files, without the dot.
    pub extensions: Option<Vec<String>>,
    /// Files that mark the root of a project.
    pub root_markers: Option<Vec<String>>,
    /// Passed on in the handshake.
    pub initialization_options: Option<Value>,
    /// What the server is told when it asks for its configuration, by section.
    pub settings: Option<Value>,
    /// Whether it is left out.
    pub disabled: bool,
}
