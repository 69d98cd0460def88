//! Hooks with real processes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod cases;
mod command;
mod configuration;
#[cfg(feature = "testing")]
mod conformance;
mod runner_conformance;
mod support;
