//! The oracle of the shell analysis: real bash. A command line is run in a private root in which every program
//! records how it was started, and what ran is compared with what an analyzer foresaw.
//!
//! ```text
//!  generate ──► line ──┬──► CommandAnalyzer ──► report ──┐
//!                      └──► Shell (bash in Root) ► Ran ──┴──► contained? ──► shrink, print
//! ```
//!
//! Start with [`Campaign`]. Not in here: any judgement about whether a line should run.

mod campaign;
mod contained;
mod environment;
mod generate;
mod kept;
mod programs;
mod ran;
mod random;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod runner;
mod shell;
mod shrink;
mod tree;

pub use campaign::{Campaign, Figures, Unsound};
pub use contained::{Missing, is_untold, missing};
pub use environment::{World, cleaned, hostile, start};
pub use generate::{Profile, line};
pub use kept::{KeptLine, kept_lines};
pub use ran::{Change, Ending, Exec, Ran};
pub use random::Random;
#[cfg(target_os = "linux")]
pub use runner::serve;
pub use shell::{Oracle, OracleError, Shell};
pub use shrink::shrunk;
