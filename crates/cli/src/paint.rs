//! Colours for reports that people read: only on a terminal, and never when `NO_COLOR` is set.

use std::io::{IsTerminal, stderr, stdout};

/// Adds colours, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// As stdout and the environment ask for.
    pub(crate) fn for_stdout() -> Self {
        Self { on: stdout().is_terminal() && !asked_not() }
    }

    /// As stderr and the environment ask for.
    pub(crate) fn for_stderr() -> Self {
        Self { on: stderr().is_terminal() && !asked_not() }
    }

    /// As the environment asks for, on what is known to be a terminal.
    pub(crate) fn for_terminal() -> Self {
        Self { on: !asked_not() }
    }

    /// No colours.
    #[cfg(test)]
    pub(crate) fn off() -> Self {
        Self { on: false }
    }

    /// A line of a change: what comes is green, what goes is red.
    pub(crate) fn change(self, line: &str) -> String {
        // A number or blanks may stand before the mark.
        match line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').chars().next() {
            Some('+') => self.green(line),
            Some('-') => self.red(line),
            _ => line.to_owned(),
        }
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

fn asked_not() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
