//! Settings of WebFetch and WebSearch.

use serde::Deserialize;

/// Settings of WebFetch and WebSearch.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct WebSettings {}
