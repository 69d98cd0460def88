//! How the command ends: the codes of the contract, and a fault with its code.

use std::fmt;
use std::process::ExitCode;

/// Exit codes. Scripts rely on them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Exit {
    /// Done. A refused or failed call is a result, not a failure of the command.
    Done = 0,
    /// Failed.
    Failed = 1,
    /// Bad arguments or unreadable input.
    Usage = 2,
    /// A hook stopped the turn.
    HookStopped = 3,
    /// A check found problems.
    Problems = 4,
    /// A person interrupted it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The command cannot go on: one line for stderr, and its code.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) exit: Exit,
    pub(crate) text: String,
}

impl Fault {
    /// The person who called has to change something.
    pub(crate) fn usage(text: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, text: one_line(text) }
    }

    /// Something failed that was asked for correctly.
    pub(crate) fn failed(text: impl fmt::Display) -> Self {
        Self { exit: Exit::Failed, text: one_line(text) }
    }
}

/// An error with its causes, on one line.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Control characters, line ends among them, become visible: hostile input must not write to the terminal.
pub(crate) fn one_line(text: impl fmt::Display) -> String {
    let text = text.to_string();
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || crate::terminal::reorders(character) {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}
