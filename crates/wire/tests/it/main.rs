//! Messages in, results out.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod decoding;
mod encoding;
