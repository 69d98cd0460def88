//! Tests of the gate as its callers use it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod cases;
mod conformance;
mod decision_table;
mod gate_conformance;
mod live;
mod modes;
mod properties;
mod targets;
mod world;
