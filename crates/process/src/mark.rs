//! The environment variable by which children are recognised after they left group and session.

use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Variable that every started process inherits: the marks of all trees that it belongs to, joined by `:`.
pub const MARK: &str = "PEGBOARD_PROCESS_TREE";

/// A mark that no other tree of this machine has.
pub(crate) fn fresh() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{:x}-{count}", std::process::id(), since.as_nanos())
}

/// The value for a child: the marks so far and its own.
pub(crate) fn joined(outer: Option<&OsStr>, own: &str) -> OsString {
    let Some(outer) = outer.filter(|outer| !outer.is_empty()) else { return own.into() };
    let mut joined = outer.to_owned();
    joined.push(":");
    joined.push(own);
    joined
}
