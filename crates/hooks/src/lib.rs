//! Runs what users attached to tool events, and reads their answers without ever failing open.
//!
//! [`HookConfig::from_sources`] reads the `hooks` objects of settings, plugins, skills and agents; [`Hooks`] runs them
//! as a [`HookRunner`](pegboard_tool_core::ports::HookRunner), and fires every event of the public documents
//! ([`events`]). All matching handlers of an event run at once and merge by strictness. A handler is anything that
//! implements [`HookHandler`]; [`CommandHandler`] is the kind that users write most.
//!
//! Not in here: which files hold settings, trust, permission rules (the `if` of a handler goes
//! through the injected `RuleCompiler`), and what the pipeline does with an answer.

mod answer;
mod background;
mod choose;
mod command;
mod condition;
mod config;
mod env_file;
mod event;
pub mod events;
mod fields;
mod handler;
#[cfg(feature = "http-hooks")]
mod http;
mod http_rules;
mod input;
mod json_in_text;
mod listed;
mod long_text;
mod matcher;
mod mcp_tool;
mod merge;
mod model_handler;
mod options;
mod outcome;
mod output;
mod parse;
mod reader;
mod runner;
mod source;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod tool_caller;
mod unavailable;
mod watcher;

pub use answer::{Answer, HandlerEnd};
pub use command::{CommandHandler, CommandLine};
pub use config::{HookConfig, HookProblem};
pub use fields::EventFields;
pub use handler::{HookHandler, HookInput};
pub use http_rules::HttpRules;
pub use input::CONTEXT_EXTENSION;
pub use listed::Listed;
pub use options::{HandlerFactory, HookOptions, OnFailure};
pub use outcome::EventOutcome;
pub use runner::Hooks;
pub use source::{HookFrom, HookSource, PluginPlace};
pub use tool_caller::{InvokerCaller, ToolCallError, ToolCaller};
pub use watcher::HookWatcher;
