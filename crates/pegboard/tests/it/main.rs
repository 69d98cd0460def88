//! The facade with its real layers.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod builder;
mod loaded;
mod place;
mod stack;
