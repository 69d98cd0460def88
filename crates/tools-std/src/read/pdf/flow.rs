//! From characters at places to text: a gap is a blank, a jump is a new line. Keeps the order of the
//! document, which follows columns better than sorting by place does.

/// Gap that separates words, in parts of the font's size.
const WORD_GAP: f32 = 0.16;
/// Gap that separates columns of a table.
const COLUMN_GAP: f32 = 1.5;
/// Distance of two baselines that makes another line.
const LINE_GAP: f32 = 0.6;
/// Distance of two baselines that separates paragraphs.
const PARAGRAPH_GAP: f32 = 2.2;
/// Bytes of text of a page.
const MAX_BYTES: usize = 1_000_000;

/// A character on the page, in its coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Where it begins.
    pub start: (f32, f32),
    /// Where the pen is after it.
    pub end: (f32, f32),
    /// Size of its font.
    pub size: f32,
    /// Direction of its line, of length 1.
    pub along: (f32, f32),
}

/// The text of a page as far as it was seen.
#[derive(Debug, Default)]
pub(super) struct Flow {
    text: String,
    last: Option<Placed>,
}

impl Flow {
    /// Takes the next characters.
    pub(super) fn put(&mut self, text: &str, place: Placed) {
        if let Some(last) = self.last {
            self.separate(&last, &place);
        }
        for character in text.chars() {
            match character {
                '\u{fb00}' => self.text.push_str("ff"),
                '\u{fb01}' => self.text.push_str("fi"),
                '\u{fb02}' => self.text.push_str("fl"),
                '\u{fb03}' => self.text.push_str("ffi"),
                '\u{fb04}' => self.text.push_str("ffl"),
                '\u{a0}' | '\t' => self.blank(),
                ' ' => self.blank(),
                other if other.is_control() => {}
                other => self.text.push(other),
            }
        }
        self.last = Some(place);
    }

    /// Whether no more is taken.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() > MAX_BYTES
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        let lines: Vec<&str> = self.text.lines().map(str::trim_end).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    }

    fn separate(&mut self, last: &Placed, next: &Placed) {
        let size = last.size.max(next.size).max(0.01);
        let (dx, dy) = (next.start.0 - last.end.0, next.start.1 - last.end.1);
        let along = (dx * last.along.0 + dy * last.along.1) / size;
        let across = ((dy * last.along.0 - dx * last.along.1) / size).abs();
        let turned = last.along.0 * next.along.0 + last.along.1 * next.along.1 < 0.9;
        if turned || across > PARAGRAPH_GAP {
            self.lines(2);
        } else if across > LINE_GAP || along < -0.6 {
            self.lines(1);
        } else if along > COLUMN_GAP && !self.at_line_start() {
            while self.text.ends_with(' ') {
                self.text.pop();
            }
            self.text.push('\t');
        } else if along > WORD_GAP {
            self.blank();
        }
    }

    fn at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    fn blank(&mut self) {
        if !self.text.ends_with([' ', '\t', '\n']) && !self.text.is_empty() {
            self.text.push(' ');
        }
    }

    fn lines(&mut self, count: usize) {
        if self.text.is_empty() {
            return;
        }
        while self.text.ends_with([' ', '\t']) {
            self.text.pop();
        }
        let there = self.text.len() - self.text.trim_end_matches('\n').len();
        self.text.extend(std::iter::repeat_n('\n', count.saturating_sub(there)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(x: f32, y: f32, width: f32) -> Placed {
        Placed { start: (x, y), end: (x + width, y), size: 10.0, along: (1.0, 0.0) }
    }

    #[test]
    fn places_become_lines_and_words() {
        let mut flow = Flow::default();
        for (text, place) in [
            ("Two", place(0.0, 100.0, 15.0)),
            ("words", place(18.0, 100.0, 25.0)),
            ("!", place(43.2, 100.0, 3.0)),
            ("next", place(0.0, 88.0, 20.0)),
            ("column", place(60.0, 88.0, 30.0)),
            ("paragraph", place(0.0, 50.0, 50.0)),
            ("o\u{fb03}ce", place(0.0, 38.0, 20.0)),
        ] {
            flow.put(text, place);
        }
        assert_eq!(flow.finish(), "Two words!\nnext\tcolumn\n\nparagraph\noffice");
    }

    #[test]
    fn lines_may_run_upwards() {
        let mut flow = Flow::default();
        let up = |y: f32| Placed { start: (5.0, y), end: (5.0, y + 5.0), size: 10.0, along: (0.0, 1.0) };
        flow.put("a", up(0.0));
        flow.put("b", up(5.0));
        flow.put("c", up(13.0));
        flow.put("d", place(0.0, 0.0, 5.0));
        assert_eq!(flow.finish(), "ab c\n\nd");
    }
}
