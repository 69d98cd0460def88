//! Tests of the built command, as a user would start it.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod bad_input;
mod check;
mod run;
mod settings;
mod tools;
mod world;
