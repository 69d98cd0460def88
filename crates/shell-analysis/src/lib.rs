//! What a shell command line would run, read, write, remove and reach.
//!
//! Not in here: what may run. That is the permission engine's.

mod program;
mod word;
