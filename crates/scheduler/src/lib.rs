//! Runs the calls of one message: order, concurrency, cancellation, one result per call in order.
//!
//! [`Scheduler`] drives a `ToolInvoker`. [`Schedule`] says which calls may run beside each other, [`Start`] when
//! a call of a message that still arrives may begin. Changes of the context take effect between calls that run
//! alone. All calls of a turn are polled in the task that awaits the turn: dropping it cancels them.
//!
//! Not in here: what a call does, whether it may run, and where its events come from. No runtime is
//! started and nothing is spawned.

mod attempt;
mod call;
mod order;
mod outcome;
mod paint;
mod scheduler;
mod slot;
mod turn;

pub use scheduler::{DEFAULT_MAX_CONCURRENCY, Schedule, Scheduler, Siblings, Start};
