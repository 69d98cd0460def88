//! The standard tools of pegboard: files, searches, command lines and what they leave running, terminals, the web,
//! language servers, work trees, and small ones.
//!
//! [`all`] makes them from [`Services`]; each is a type of its own too. They act on the paths that
//! were judged (`Grant`), keep what they know of files in the session (`ReadLedger`), and leave
//! what the injected `AccessPolicy` denies out of their results.
//!
//! Not in here: rules, prompts, schemas' validation, time limits of calls, and the size budget of
//! results; those are other layers. The tools need a tokio runtime to be called in.

#[cfg(unix)]
pub mod bash;
mod blocking;
mod change;
mod child;
mod closed;
#[cfg(any(unix, feature = "lsp", feature = "web"))]
mod confined;
pub mod edit;
mod file;
#[cfg(any(unix, feature = "web"))]
mod foreign;
#[cfg(feature = "search")]
pub mod glob;
#[cfg(feature = "search")]
pub mod grep;
mod history;
#[cfg(feature = "search")]
pub mod ignore_file;
mod input;
pub mod notebook_edit;
#[cfg(unix)]
pub mod powershell;
#[cfg(any(unix, feature = "web"))]
mod printed;
mod program;
pub mod read;
mod safe_name;
#[cfg(feature = "search")]
mod search;
mod services;
mod session_file;
pub mod settings;
#[cfg(any(unix, feature = "web"))]
mod shown_text;
pub mod write;

mod families;
#[cfg(feature = "lsp")]
pub mod lsp;
#[cfg(unix)]
pub mod monitor;
#[cfg(all(unix, feature = "terminal"))]
pub mod repl;
#[cfg(unix)]
pub mod shell;
pub mod simple;
#[cfg(unix)]
pub mod task_output;
#[cfg(unix)]
pub mod task_stop;
#[cfg(feature = "terminal")]
pub mod terminal;
#[cfg(all(unix, feature = "terminal"))]
pub mod terminal_capture;
#[cfg(all(unix, feature = "terminal"))]
pub mod tungsten;
#[cfg(feature = "web")]
pub mod web;
pub mod worktree;

pub use families::all;
pub use file::ledger::ReadLedger;
#[cfg(feature = "search")]
pub use ignore_file::IgnorePolicy;
pub use services::{ReadBeforeEdit, Services};
