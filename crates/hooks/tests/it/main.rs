//! Hooks with real processes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod background;
mod cases;
mod command;
mod configuration;
#[cfg(feature = "testing")]
mod conformance;
mod firing;
mod handlers;
#[cfg(feature = "http-hooks")]
mod http;
mod listing;
mod runner_conformance;
mod scripts;
mod statements;
mod support;
