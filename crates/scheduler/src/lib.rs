//! Runs the calls of one message: batches, cancellation, one result per call in order.
//!
//! [`Batches`] drives a `ToolInvoker`. Calls go in order; shared calls that follow each other run
//! together, everything else runs alone; changes of the context take effect between batches only.
//! All calls of a turn are polled in the task that awaits the turn: dropping it cancels them.
//!
//! Not in here: what a call does, whether it may run, and where its events come from. No runtime is
//! started and nothing is spawned.

mod batches;
mod call;
mod collect;

pub use batches::{Batches, DEFAULT_MAX_CONCURRENCY};
