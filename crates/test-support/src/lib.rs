//! Fakes and conformance suites for the ports of pegboard.
//!
//! Fakes do what a test tells them and write down what happened; the suites in [`conformance`] run our
//! cases against anybody's implementation of a port and panic at the first that fails. Not in here:
//! anything of the engines themselves; only `pegboard-tool-core` is needed.
//!
//! ```
//! use pegboard_test_support::{AllowAll, conformance::gate_conformance};
//!
//! # async fn run() {
//! gate_conformance(|| AllowAll).await;
//! # }
//! ```

mod approver;
mod behaviour;
mod clock;
pub mod conformance;
mod gate;
mod hooks;
mod invoker;
mod left_out;
mod lookup;
mod observer;
mod store;
mod tool;

pub use approver::ScriptedApprover;
pub use behaviour::Behaviour;
pub use clock::ManualClock;
pub use gate::{AllowAll, DenyAll, ScriptedGate};
pub use hooks::ScriptedHooks;
pub use invoker::{FakeCall, FakeInvoker, FakeRun, FakeVerdict};
pub use left_out::left_out;
pub use lookup::{FakeLookup, FakeSchema};
pub use observer::{RecordedEvent, RecordingObserver};
pub use store::{MemoryStore, RefusingStore};
pub use tool::{FakeTool, ToolLog};
