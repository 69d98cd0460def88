//! What a call may change for the calls after it. Data, not a closure: it can be kept and replayed.

use crate::PermissionMode;
use serde_json::Value;
use std::path::PathBuf;

/// A change of the context, honoured only from an exclusive call and applied between batches.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextChange {
    /// The working directory moves to this absolute path.
    Cwd(PathBuf),
    /// Variables for later child processes; `None` removes one.
    Env(Vec<(String, Option<String>)>),
    /// A value under a name, for tools of one family.
    Extension {
        /// Whose it is.
        name: String,
        /// The value; `null` removes it.
        value: Value,
    },
    /// One more working directory. Only from built-in tools, and the gate is asked.
    AddDirectory(PathBuf),
    /// Another permission mode. Only from built-in tools, and the gate is asked.
    Mode(PermissionMode),
    /// Several changes, in order.
    All(Vec<ContextChange>),
}
