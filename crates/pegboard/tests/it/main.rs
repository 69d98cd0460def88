//! The facade with its real layers.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod builder;
#[cfg(unix)]
mod gated_tools;
#[cfg(unix)]
mod hook_statements;
mod live;
mod loaded;
mod other_names;
mod place;
mod stack;
mod streams;
