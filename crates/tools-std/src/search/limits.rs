//! Time limits and switches of searches, from the environment of the session. A value that is none is left out of
//! account, and that is said once a session.

use pegboard_tool_core::ToolContext;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Reads the variables of one search.
#[derive(Debug)]
pub(crate) struct Variables<'a> {
    ctx: &'a ToolContext,
    notices: Vec<String>,
}

/// What this session was told already.
#[derive(Debug, Default)]
struct Told(Mutex<BTreeSet<&'static str>>);

impl<'a> Variables<'a> {
    /// The variables of `ctx`.
    pub(crate) fn of(ctx: &'a ToolContext) -> Self {
        Self { ctx, notices: Vec::new() }
    }

    /// Whether the variable `name` switches something off that is on by default.
    pub(crate) fn is_off(&mut self, name: &'static str) -> bool {
        let Some(value) = self.ctx.env.get(name) else { return false };
        match value.trim().to_ascii_lowercase().as_str() {
            "false" | "0" | "no" | "off" => true,
            "" | "true" | "1" | "yes" | "on" => false,
            _ => {
                self.tell(name, format!("[{name} is neither true nor false and does not count]"));
                false
            }
        }
    }

    /// How many seconds a search may take.
    pub(crate) fn seconds(&mut self, name: &'static str, usual: u64) -> Duration {
        let Some(value) = self.ctx.env.get(name).filter(|value| !value.is_empty()) else {
            return Duration::from_secs(usual);
        };
        let given = value.trim().parse().ok().filter(|seconds| *seconds > 0);
        if given.is_none() {
            self.tell(name, format!("[{name} is no number of seconds; {usual} counts]"));
        }
        Duration::from_secs(given.unwrap_or(usual))
    }

    /// Whether this is a Linux inside Windows, where files are slow.
    pub(crate) fn is_wsl(&self) -> bool {
        ["WSL_DISTRO_NAME", "WSL_INTEROP"].iter().any(|name| self.ctx.env.contains_key(*name))
    }

    /// Says something about a variable, once a session.
    pub(crate) fn tell(&mut self, name: &'static str, text: String) {
        let told = self.ctx.session.of::<Told>();
        if told.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name) {
            self.notices.push(text);
        }
    }

    /// What the reader must know about the variables.
    pub(crate) fn notices(self) -> Vec<String> {
        self.notices
    }
}
