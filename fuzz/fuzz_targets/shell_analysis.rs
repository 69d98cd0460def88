//! The shell analysis: no panic and no endless work on any line, the same report each time, and every place that it
//! names lies in the line. Whether the report is right is asked of bash: `cargo xtask fuzz-shell`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_tool_core::ports::{CommandAnalyzer as _, ShellStart};
use std::sync::Arc;

fuzz_target!(|line: &str| {
    let mut start = ShellStart::bash("/w", Some("/h".into()));
    let report = ShellAnalyzer::new().analyze(line, &start);
    assert_eq!(report, ShellAnalyzer::new().analyze(line, &start), "{line}");
    let count = report.commands.len();
    for (index, command) in report.commands.iter().enumerate() {
        assert!(command.at <= line.len(), "{line}");
        assert!(command.starter.is_none_or(|starter| starter < count && starter != index), "{line}");
    }
    assert!(report.opaque.iter().all(|part| part.at <= line.len()), "{line}");
    assert!(report.files.iter().all(|file| file.at <= line.len()), "{line}");
    assert!(report.files.iter().all(|file| file.command.is_none_or(|command| command < count)), "{line}");
    // A shell that is not bash, and a name that the start-up defines, never make more certain.
    start.shadowed = Arc::new(report.commands.iter().filter_map(|command| command.program.clone()).collect());
    let shadowed = ShellAnalyzer::new().analyze(line, &start);
    assert!(report.opaque.is_empty() || !shadowed.opaque.is_empty(), "{line}");
    start.is_bash = false;
    assert!(!ShellAnalyzer::new().analyze(line, &start).opaque.is_empty(), "{line}");
});
