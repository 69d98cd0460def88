//! What a host sets about the tools: plain values, as they stand under `tools` in a settings file.

mod lsp;
pub(crate) mod number;
mod shell;
mod web;

pub use lsp::LspSettings;
pub use number::variable_problems;
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

impl ToolSettings {
    /// What in these settings does not count as it stands or cannot work, in words for the operator.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let Self { shell, lsp, .. } = self;
        let numbers = [
            (number::MAX_OUTPUT_BYTES, shell.max_output_bytes),
            (number::LSP_START_SECONDS, lsp.start_timeout_seconds),
            (number::LSP_REQUEST_SECONDS, lsp.request_timeout_seconds),
            (number::LSP_INDEXING_SECONDS, lsp.indexing_timeout_seconds),
        ];
        let problems = numbers.into_iter().filter_map(|(number, given)| number.problem(given));
        #[cfg(feature = "web")]
        let problems = problems.chain(self.web.problems());
        problems.collect()
    }
}
