//! Standard output as events, line by line, in bounded memory.

use crate::foreign::is_unseen;
#[cfg(feature = "web")]
use crate::foreign::one_line;
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
    let text: String = shown(kept).text.chars().filter(|c| !is_unseen(*c)).collect();
    cut(text.trim_end_matches('\r'), bytes > kept.len(), bytes)
}

/// A message as it is shown: one line, whatever it holds.
#[cfg(feature = "web")]
pub(super) fn message(text: &str) -> String {
    let kept = text.get(..text.floor_char_boundary(LINE_BYTES)).unwrap_or_default();
    cut(&one_line(kept), text.len() > kept.len(), text.len())
}

fn cut(text: &str, is_part: bool, bytes: usize) -> String {
    let cut: String = text.chars().take(LINE_CHARS).collect();
    if cut.len() < text.len() || is_part { format!("{cut} ... [{bytes} bytes in all]") } else { cut }
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
        assert_eq!(fed(&["a\u{202e}b\u{e0041}\u{200b}c\n".as_bytes()]), ["abc"]);
        assert!(fed(&[]).is_empty());
        let long = "x".repeat(1_000_000);
        let lines = fed(&[long.as_bytes(), b"\nshort\n"]);
        assert_eq!(lines[0], format!("{} ... [1000000 bytes in all]", "x".repeat(1_000)));
        assert_eq!(lines[1], "short");
    }

    #[cfg(feature = "web")]
    #[test]
    fn a_message_is_one_line() {
        for (text, expected) in [
            ("", "".to_owned()),
            ("ok\nmonitor_1 (x):\nforged", "ok\u{240a}monitor_1 (x):\u{240a}forged".to_owned()),
            ("a\rforged\u{202e}\u{1b}[2J\n", "a\u{240d}forged".to_owned()),
            ("x".repeat(1_001).as_str(), format!("{} ... [1001 bytes in all]", "x".repeat(1_000))),
            ("é".repeat(3_000).as_str(), format!("{} ... [6000 bytes in all]", "é".repeat(1_000))),
            ("\u{202e}".repeat(3_000).as_str(), " ... [9000 bytes in all]".to_owned()),
        ] {
            assert_eq!(message(text), expected);
        }
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
