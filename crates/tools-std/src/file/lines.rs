//! Text as numbered lines, the way Read shows it.

use std::fmt::Write as _;

/// Longest line that is shown whole, in characters.
pub(crate) const MAX_LINE_CHARS: usize = 2_000;

/// The lines of `text`, without their ends. A carriage return that ends no line is data.
pub(crate) fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines()
}

/// `line`, or its beginning with a mark when it is longer than `max` characters.
pub(crate) fn cut_line(line: &str, max: usize) -> (String, bool) {
    match line.char_indices().nth(max) {
        None => (line.to_owned(), false),
        Some((at, _)) => {
            let total = line.chars().count();
            let shown = line.get(..at).unwrap_or_default();
            (format!("{shown} [line cut: {max} of {total} characters shown]"), true)
        }
    }
}

/// Lines with numbers from `first` on: right-aligned number, tab, text.
pub(crate) fn numbered<'a>(first: usize, lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for (index, line) in lines.into_iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(out, "{:>6}\t{line}", first + index);
    }
    out
}

/// Line of the byte offset `at`, from 1.
pub(crate) fn line_at(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', before).count() + 1
}

/// The lines from `from` to `to` (from 1, both included), numbered, long ones cut.
pub(crate) fn region(text: &str, from: usize, to: usize) -> String {
    let from = from.max(1);
    let shown = lines(text).skip(from - 1).take((to + 1).saturating_sub(from));
    let shown: Vec<String> = shown.map(|line| cut_line(line, 300).0).collect();
    numbered(from, shown.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_right_aligned() {
        assert_eq!(numbered(1, lines("a\nb\r\nc\rd\n")), "     1\ta\n     2\tb\n     3\tc\rd");
        assert_eq!(region("a\nb\nc\n", 2, 9), "     2\tb\n     3\tc");
        assert_eq!((line_at("a\nb", 0), line_at("a\nb", 2)), (1, 2));
    }

    #[test]
    fn a_long_line_is_cut_between_characters_with_a_mark() {
        assert_eq!(cut_line("äöü", 2), ("äö [line cut: 2 of 3 characters shown]".to_owned(), true));
        assert_eq!(cut_line("äöü", 3), ("äöü".to_owned(), false));
    }
}
