//! A small analyzer and its tables, until a real one is plugged in.

mod analyzer;
mod facts;
mod read_only;
mod words;
mod wrappers;

pub use analyzer::PlainAnalyzer;
