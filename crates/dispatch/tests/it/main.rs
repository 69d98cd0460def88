//! Calls through the whole pipeline, with fake layers around it.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod approvals;
mod cancellation;
mod cases;
mod changes;
mod hooks;
mod proofs;
mod properties;
mod results;
mod world;
