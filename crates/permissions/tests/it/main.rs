//! Tests of the gate as its callers use it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod agreement;
mod cases;
mod conformance;
mod decision_table;
mod everyday;
mod gate_conformance;
mod live;
mod modes;
mod modes_in_detail;
mod naive;
mod offers;
mod path_rules;
mod properties;
mod shell_rules;
mod spellings;
mod targets;
mod world;
