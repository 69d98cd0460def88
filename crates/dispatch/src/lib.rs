//! Takes one tool call through seven phases and answers it with exactly one result.
//!
//! [`Dispatcher`] implements [`ToolInvoker`](pegboard_tool_core::ports::ToolInvoker). Each phase is a file
//! of `phase` that takes the proof of the one before and gives the next; only `phase/permit.rs` can make
//! the proof without which nothing runs. Not in here: rules, hooks, tools, the order of several calls, a runtime.
//!
//! The proofs cannot be made, and not even be named, outside:
//!
//! ```compile_fail
//! let forged = pegboard_dispatch::phase::permit::Permitted { };
//! ```
//!
//! Start at `dispatcher.rs`, then read the phases in their order.

mod config;
mod dispatcher;
mod emit;
mod phase;
mod preview;
mod refusal;
mod wait;

pub use config::DispatchConfig;
pub use dispatcher::Dispatcher;
