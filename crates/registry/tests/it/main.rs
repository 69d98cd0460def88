//! Behaviour of catalog and pool as their users see it.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod catalog;
mod conformance;
mod dynamic;
mod gates;
mod lookup;
mod pool;
mod tool;
