//! Analyzers that are wrong on purpose: the oracle must see it.

use pegboard_tool_core::ports::{CommandAnalyzer, CommandReport, CommandUse, ShellStart};
use std::sync::Arc;

/// Splits at operators and spaces, and knows nothing else.
#[derive(Debug)]
pub(crate) struct Naive;

impl CommandAnalyzer for Naive {
    fn analyze(&self, line: &str, _start: &ShellStart) -> Arc<CommandReport> {
        let mut report = CommandReport::default();
        for part in line.split([';', '&', '|', '\n']) {
            let words: Vec<Option<String>> =
                part.split_whitespace().map(|word| Some(word.to_owned())).collect();
            if !words.is_empty() {
                report.commands.push(CommandUse::new(words, 0, part));
            }
        }
        Arc::new(report)
    }
}

/// Says opaque to everything.
#[derive(Debug)]
pub(crate) struct Blind;

impl CommandAnalyzer for Blind {
    fn analyze(&self, _line: &str, _start: &ShellStart) -> Arc<CommandReport> {
        Arc::new(CommandReport::opaque("blind", 0))
    }
}
