//! The tools as the layers above use them: prepared, granted, called.
#![cfg(all(unix, feature = "search"))]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod bash;
mod cases;
mod changes;
mod definitions;
mod harness;
mod history;
mod policy;
#[cfg(unix)]
mod races;
mod read;
mod search;
