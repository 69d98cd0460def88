//! The analyzer: what is refused before anything is read, then reading and walking.

use std::sync::Arc;

use pegboard_tool_core::ports::{CommandAnalyzer, CommandReport, ShellStart};

use crate::limits::{Budget, MAX_CHARS, MAX_STEPS};
use crate::walk::Walker;

/// Tells what a command line would run, for bash.
///
/// It keeps nothing between lines and may be shared freely.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ShellAnalyzer;

impl ShellAnalyzer {
    /// An analyzer.
    pub fn new() -> Self {
        Self
    }
}

impl CommandAnalyzer for ShellAnalyzer {
    fn analyze(&self, line: &str, start: &ShellStart) -> Arc<CommandReport> {
        Arc::new(report(line, start))
    }
}

fn report(line: &str, start: &ShellStart) -> CommandReport {
    if !start.is_bash {
        return CommandReport::opaque("a shell that is not bash", 0);
    }
    if line.len() > MAX_CHARS && line.chars().count() > MAX_CHARS {
        return CommandReport::opaque("a line of more than 10,000 characters", 0);
    }
    if let Some(at) = line.find('\0') {
        return CommandReport::opaque("a zero byte", at);
    }
    // Bash marks quoted characters with these two, and does not always tell its marks from the text's.
    if let Some(at) = line.find(['\u{1}', '\u{7f}']) {
        return CommandReport::opaque("a control character that bash uses itself", at);
    }
    let budget = Budget::new(MAX_STEPS);
    let mut walker = Walker::new(start, &budget);
    walker.line(line);
    walker.report.finish()
}
