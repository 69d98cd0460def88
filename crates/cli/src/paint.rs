//! Colours for reports that people read: only on a terminal, and never when `NO_COLOR` is set.

use std::io::{IsTerminal, stdout};

/// Adds colours, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// As stdout and the environment ask for.
    pub(crate) fn for_stdout() -> Self {
        let asked_not = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { on: stdout().is_terminal() && !asked_not }
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
