//! Tests of the crate as a user of it sees it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod answers;
mod data;
mod events;
mod properties;
