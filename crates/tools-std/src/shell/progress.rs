//! What people see of a command while it runs.

use super::output::Output;
use super::text::shown;
use pegboard_tool_core::Progress;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Time between two events.
pub(crate) const EVERY: Duration = Duration::from_millis(500);
/// Lines in an event.
const LINES: usize = 5;
/// Characters of a line in an event.
const LINE_CHARS: usize = 200;

/// One event: how far the command is. At most two a second, and only when somebody looks.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CommandProgress {
    /// The last lines that were printed, at most five, each cut at 200 characters.
    pub last_lines: Vec<String>,
    /// Bytes printed so far.
    pub bytes: u64,
    /// Whole seconds since the start.
    pub seconds: u64,
}

impl CommandProgress {
    fn of(output: &Output, began: Instant) -> Self {
        let text = shown(&output.last(4 * LINES * LINE_CHARS)).text;
        let mut last_lines: Vec<String> = text
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(LINES)
            .map(|line| line.chars().take(LINE_CHARS).collect())
            .collect();
        last_lines.reverse();
        Self { last_lines, bytes: output.bytes(), seconds: began.elapsed().as_secs() }
    }
}

/// Reports again and again; never ends. Costs nothing when nobody looks.
pub(crate) async fn report(progress: &Progress<CommandProgress>, output: &Output, began: Instant) {
    if !progress.is_watched() {
        return std::future::pending().await;
    }
    let mut before = None;
    loop {
        tokio::time::sleep(EVERY).await;
        let now = CommandProgress::of(output, began);
        if before.as_ref() != Some(&now) {
            progress.report(&now);
            before = Some(now);
        }
    }
}
