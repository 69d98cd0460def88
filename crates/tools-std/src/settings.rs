//! What a host sets about the tools: plain values, as they stand under `tools` in a settings file.

mod lsp;
mod shell;
mod web;

pub use lsp::LspSettings;
pub use shell::ShellSettings;
pub use web::{SearchBackend, SearchSettings, WebSettings};

use serde::Deserialize;

/// Settings of all families. Unknown keys are kept by the files and mean nothing here.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolSettings {
    /// Command lines and background tasks.
    pub shell: ShellSettings,
    /// WebFetch and WebSearch.
    pub web: WebSettings,
    /// Language servers.
    pub lsp: LspSettings,
}
