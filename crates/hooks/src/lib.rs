//! Runs what users attached to tool events, and reads their answers without ever failing open.
//!
//! [`HookConfig::from_layers`] reads the `hooks` objects of settings; [`Hooks`] runs them as a
//! [`HookRunner`](pegboard_tool_core::ports::HookRunner). All matching handlers of an event run at
//! once and merge by strictness. A handler is anything that implements [`HookHandler`];
//! [`CommandHandler`] is the kind that users write most.
//!
//! Not in here: which files hold settings, trust, permission rules (the `if` of a handler goes
//! through the injected `RuleCompiler`), and what the pipeline does with an answer.

mod answer;
mod command;
mod condition;
mod config;
mod event;
mod handler;
mod input;
mod json_in_text;
mod long_text;
mod matcher;
mod merge;
mod output;
mod parse;
mod runner;
#[cfg(feature = "testing")]
pub mod testing;

pub use answer::{Answer, HandlerEnd};
pub use command::{CommandHandler, CommandLine};
pub use config::{HandlerFactory, HookConfig, HookOptions, HookProblem, OnFailure};
pub use handler::{HookHandler, HookInput};
pub use runner::Hooks;
