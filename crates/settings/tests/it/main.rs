//! Settings of whole folders: layers, hostile files, trust and write-back, each in a temporary world of its own.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod compat;
mod conformance;
mod hostile;
mod hostile_repository;
mod layers;
mod live;
mod modes;
mod trust;
#[cfg(feature = "watch")]
mod watch;
mod world;
mod write_back;
