//! What a shell command line would run, read, write, remove and reach.
//!
//! Not in here: what may run. That is the permission engine's.

mod analyzer;
mod brace;
mod env;
mod expand;
mod limits;
mod parse;
mod program;
mod report;
mod second;
mod syntax;
mod walk;
mod word;

pub use analyzer::ShellAnalyzer;
