//! Settings of command lines and background tasks.

use serde::Deserialize;

/// Settings of command lines and background tasks.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct ShellSettings {}
