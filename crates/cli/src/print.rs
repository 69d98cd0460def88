//! Where the command writes: results to stdout, everything else to stderr.

use crate::exit::{Exit, Fault, one_line};
use std::io::{self, Write};

/// Writes to both streams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    pub(crate) quiet: bool,
}

impl Printer {
    /// Writes `text` to stdout. A reader that went away ends the command quietly.
    #[expect(clippy::unused_self, reason = "whoever prints holds a printer")]
    pub(crate) fn out(&self, text: &str) -> Result<(), Fault> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| Fault {
            exit: Exit::Failed,
            text: one_line(format!("stdout cannot be written: {error}")),
        })
    }

    /// Writes a line to stderr, unless it is to be quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.error(text);
        }
    }

    /// Writes a line to stderr in any case.
    #[expect(clippy::unused_self, reason = "whoever prints holds a printer")]
    pub(crate) fn error(&self, text: &str) {
        // Nobody is left to tell when stderr is gone.
        let _ = writeln!(io::stderr(), "pegboard: {}", one_line(text));
    }
}
