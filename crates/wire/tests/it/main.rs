//! Messages and streams in, results and definitions out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod broken;
mod carrier;
mod damaged;
mod decoding;
mod definitions;
mod encoding;
mod forms;
mod partial;
mod recorded;
