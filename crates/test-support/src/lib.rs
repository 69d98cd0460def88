//! Fakes and conformance suites for the ports of pegboard.
//!
//! Fakes do what a test tells them and write down what happened. Not in here: anything of the engines
//! themselves; only `pegboard-tool-core` is needed.

mod behaviour;
mod clock;
mod invoker;

pub use behaviour::Behaviour;
pub use clock::ManualClock;
pub use invoker::{FakeCall, FakeInvoker, FakeRun, FakeVerdict};
