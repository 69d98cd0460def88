//! An analyzer for those who have none: of no command line it says anything.

use pegboard_tool_core::ports::{CommandAnalyzer, CommandReport, ShellStart};
use std::sync::Arc;

/// Says of every command line that it cannot be told. No rule with a pattern lets a command run then, and every line
/// is held back by what could be meant.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpaqueAnalyzer;

impl OpaqueAnalyzer {
    /// An analyzer.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl CommandAnalyzer for OpaqueAnalyzer {
    fn analyze(&self, _line: &str, _start: &ShellStart) -> Arc<CommandReport> {
        Arc::new(CommandReport::opaque("command lines are not analysed", 0))
    }
}
