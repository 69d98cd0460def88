//! Settings of the LSP tool.

use serde::Deserialize;

/// Settings of the LSP tool.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct LspSettings {}
