//! What a session remembers of the work tree it is in: a value of the context.

use pegboard_tool_core::{ContextChange, ContextSnapshot};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// Name of the context's extension; its value is an [`Entered`].
pub const EXTENSION: &str = "worktree";

/// The work tree that a session is in.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Entered {
    /// The work tree, absolute.
    pub path: PathBuf,
    /// The checkout it was entered from, absolute.
    pub checkout: PathBuf,
    /// Working directory before, absolute.
    pub from: PathBuf,
    /// The branch that was checked out when it was entered.
    #[serde(default)]
    pub branch: Option<String>,
    /// The name, for those in our folder; only these can be removed, and only when they were made here.
    #[serde(default)]
    pub name: Option<String>,
}

impl Entered {
    /// The one that `ctx` is in; a value that is none counts as nothing.
    #[must_use]
    pub fn of(ctx: &ContextSnapshot) -> Option<Self> {
        serde_json::from_value(ctx.extensions.get(EXTENSION)?.clone()).ok()
    }

    /// The change that moves into it, to `cwd`.
    pub(super) fn enter(&self, cwd: PathBuf) -> ContextChange {
        let value = serde_json::to_value(self).unwrap_or(Value::Null);
        moved(cwd, value)
    }
}

/// The change that leaves a work tree for `cwd`.
pub(super) fn leave(cwd: PathBuf) -> ContextChange {
    moved(cwd, Value::Null)
}

fn moved(cwd: PathBuf, value: Value) -> ContextChange {
    ContextChange::All(vec![
        ContextChange::Cwd(cwd),
        ContextChange::Extension { name: EXTENSION.to_owned(), value },
    ])
}
