//! Tests of the built command, as a user would start it.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod bad_input;
mod check;
mod guard;
mod guard_properties;
mod hooks;
mod ignoring;
mod names;
mod permissions;
mod run;
mod settings;
mod shell;
mod stream;
#[cfg(unix)]
mod tasks;
mod tools;
mod undo;
mod world;
