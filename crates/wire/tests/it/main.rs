//! Messages and streams in, results and definitions out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod decoding;
mod encoding;
mod partial;
mod recorded;
