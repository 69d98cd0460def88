//! What was found in one file.

use std::path::PathBuf;
use std::time::SystemTime;

/// One line of output of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Line {
    /// A line, or a part of one, that matches.
    Match(Option<u64>, String),
    /// A line near one.
    Context(Option<u64>, String),
    /// Lines were left out here.
    Break,
    /// The file is binary; what matches is not shown.
    Binary,
}

/// A file with a match.
#[derive(Debug)]
pub(super) struct FileHits {
    /// Where it is, below the canonical root.
    pub path: PathBuf,
    /// Lines that match; matches when they may span lines.
    pub matches: u64,
    /// Lines of output that it has.
    pub total_lines: usize,
    /// The first of these; nothing when they were not kept and must be searched again.
    pub lines: Option<Vec<Line>>,
    /// When it was changed, where the order asks for it.
    pub modified: Option<SystemTime>,
}

impl Line {
    /// Memory that its text takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Match(_, text) | Self::Context(_, text) => text.len() + 32,
            Self::Break | Self::Binary => 32,
        }
    }

    /// The line behind its path.
    pub(super) fn show(&self, path: &str) -> String {
        match self {
            Self::Match(Some(number), text) => format!("{path}:{number}:{text}"),
            Self::Match(None, text) => format!("{path}:{text}"),
            Self::Context(Some(number), text) => format!("{path}-{number}-{text}"),
            Self::Context(None, text) => format!("{path}-{text}"),
            Self::Break => "--".to_owned(),
            Self::Binary => format!("{path}: binary file matches"),
        }
    }
}
