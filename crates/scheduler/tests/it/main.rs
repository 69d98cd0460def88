//! Tests of the scheduler over an invoker whose calls follow a script, in paused time.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod conflicts;
mod fake;
mod order;
mod properties;
mod stops;
mod stream;
