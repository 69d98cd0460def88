//! The tools as the layers above use them: prepared, granted, called.
#![cfg(all(unix, feature = "search"))]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod bash;
mod bash_ends;
mod bash_output;
mod bash_start;
#[cfg(all(feature = "images", feature = "pdf"))]
mod cases;
mod changes;
mod definitions;
#[cfg(all(feature = "images", feature = "pdf"))]
mod documents;
mod editing;
mod faults;
mod folders;
mod harness;
mod history;
mod huge;
mod ignoring;
#[cfg(feature = "lsp")]
mod language_servers;
mod legacy_text;
mod names;
mod notebooks;
mod policy;
mod powershell;
#[cfg(unix)]
mod races;
mod read;
mod reads_in_parts;
mod reads_kept;
mod search;
mod shell_limits;
mod simple;
mod tasks;
mod tasks_monitor;
mod tasks_order;
#[cfg(feature = "web")]
mod tasks_sockets;
mod tasks_tools;
#[cfg(feature = "terminal")]
mod terminals;
#[cfg(feature = "web")]
mod web;
mod worktrees;
