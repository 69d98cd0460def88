//! What the analysis says of command lines.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod lines;
mod robust;
