//! Standard output as events, line by line, in bounded memory.

use crate::shell::Tasks;
use crate::shell::running::OutputWatcher;
use crate::shell::task_events::Events;
use crate::shell::text::shown;
use std::sync::Arc;

/// Bytes of a line that are kept.
const LINE_BYTES: usize = 4_000;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 1_000;

/// Cuts an output into lines.
#[derive(Debug)]
pub(super) struct LineFeed {
    events: Arc<Events>,
    id: String,
    description: String,
    /// The line that has no end yet, bounded.
    line: Vec<u8>,
    /// All of its bytes.
    bytes: usize,
}

impl LineFeed {
    pub(super) fn new(tasks: &Tasks, id: String, description: &str) -> Self {
        let events = Arc::clone(tasks.events());
        Self { events, id, description: description.to_owned(), line: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, part: &[u8]) {
        self.bytes += part.len();
        let room = LINE_BYTES - self.line.len();
        self.line.extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
    }

    fn emit(&mut self) {
        let line = bounded(&self.line, self.bytes);
        self.events.line(&self.id, &self.description, line);
        self.line.clear();
        self.bytes = 0;
    }
}

/// A line as it is shown; `bytes` is how long it was before it was bounded.
pub(super) fn bounded(line: &[u8], bytes: usize) -> String {
    let kept = line.get(..LINE_BYTES.min(line.len())).unwrap_or_default();
    let text = shown(kept).text;
    let text = text.trim_end_matches('\r');
    let cut: String = text.chars().take(LINE_CHARS).collect();
    if cut.len() < text.len() || bytes > kept.len() {
        format!("{cut} ... [{bytes} bytes in all]")
    } else {
        cut
    }
}

impl OutputWatcher for LineFeed {
    fn chunk(&mut self, chunk: &[u8]) {
        let mut parts = chunk.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            self.add(part);
            if parts.peek().is_some() {
                self.emit();
            }
        }
    }

    fn end(&mut self) {
        if self.bytes > 0 {
            self.emit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::TaskEvent;
    use proptest::prelude::*;

    fn fed(chunks: &[&[u8]]) -> Vec<String> {
        let tasks = Tasks::default();
        let mut feed = LineFeed::new(&tasks, "monitor_1".into(), "test");
        chunks.iter().for_each(|chunk| feed.chunk(chunk));
        feed.end();
        let events = tasks.take_events();
        events
            .into_iter()
            .flat_map(|event| match event {
                TaskEvent::Lines { lines, .. } => lines,
                TaskEvent::Ended(task) => panic!("{task:?}"),
            })
            .collect()
    }

    #[test]
    fn lines_are_cut_where_they_end() {
        assert_eq!(fed(&[b"one\ntw", b"o\n\nthr", b"ee"]), ["one", "two", "", "three"]);
        assert_eq!(fed(&[b"a\r\n\x1b[31mred\x1b[0m\n"]), ["a", "red"]);
        assert!(fed(&[]).is_empty());
        let long = "x".repeat(1_000_000);
        let lines = fed(&[long.as_bytes(), b"\nshort\n"]);
        assert_eq!(lines[0], format!("{} ... [1000000 bytes in all]", "x".repeat(1_000)));
        assert_eq!(lines[1], "short");
    }

    proptest! {
        #[test]
        fn chunking_changes_nothing(text in "[a-c\n]{0,80}", cuts in proptest::collection::vec(0..80usize, 0..6)) {
            let whole = fed(&[text.as_bytes()]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
            prop_assert_eq!(fed(&chunks), whole);
        }
    }
}
