//! What kind of thing a call does, and whether a tool is there at all.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// Whether a call may run beside others.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "schedulers must handle each case")]
pub enum Concurrency {
    /// Overlaps nothing.
    Exclusive,
    /// May run beside other shared calls.
    Shared,
}

/// The worst that a call may do to the world.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "gates must handle each case")]
pub enum Effects {
    /// Nothing changes.
    ReadOnly,
    /// Changes that are confined to what `accesses` names.
    Writes,
    /// Anything, including what cannot be undone.
    Destructive,
}

/// Whether a tool can work here.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a tool is there or it is not")]
pub enum Availability {
    /// It can.
    Here,
    /// It cannot, and why, in words for the operator.
    Absent(String),
}

/// What the machine and the session offer, as far as gates and tools may ask. Values, looked up by
/// whoever assembles the pool: no layer reads the environment by itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolEnv {
    /// Flags that are on.
    pub flags: BTreeSet<String>,
    /// Environment variables that gates may test.
    pub vars: std::collections::BTreeMap<String, String>,
    /// Operating system, as in [`std::env::consts::OS`].
    pub os: String,
    /// Folders where programs are looked for, in order.
    pub path: Vec<PathBuf>,
    /// Keys that are configured, such as `web_search.backend`.
    pub configured: BTreeSet<String>,
}

impl ToolEnv {
    /// An environment without flags, variables, programs or configuration, for this system.
    #[must_use]
    pub fn new() -> Self {
        Self { os: std::env::consts::OS.to_owned(), ..Self::default() }
    }
}
