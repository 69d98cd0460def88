//! Which lines of a text are shown, and what is said about the others.

use crate::file::ledger::{Extent, LineRanges};
use crate::file::lines::{MAX_LINE_CHARS, cut_line, lines};

/// Estimated tokens that are shown at most, unless the environment says otherwise.
pub(super) const MAX_TOKENS: usize = 25_000;
/// Lines that are shown at most when no limit is given.
const MAX_LINES: usize = 2_000;

/// What a call asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// First line, from 1.
    pub offset: Option<u64>,
    /// Lines.
    pub limit: Option<u64>,
    /// Estimated tokens at most.
    pub max_tokens: usize,
}

/// The lines that are shown.
#[derive(Debug)]
pub(super) struct Page {
    /// The lines, long ones cut.
    pub lines: Vec<String>,
    /// Number of the first, from 1.
    pub start: usize,
    /// Lines of the text, when they were counted.
    pub total: Option<usize>,
    /// Whether our limits ended the page.
    pub cut_by_us: bool,
    /// How much of the file this is.
    pub extent: Extent,
    /// The lines that are shown in full.
    pub in_full: LineRanges,
    /// Notices.
    pub notices: Vec<String>,
}

/// What is behind the page.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Rest {
    /// The text has so many lines.
    Counted(usize),
    /// There is more, and nobody counted it.
    More,
}

/// Whether a page takes another line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Room {
    Left,
    Full,
}

/// A page that is being filled line by line, from [`Filling::start`] on.
#[derive(Debug)]
pub(super) struct Filling {
    lines: Vec<String>,
    start: usize,
    most: usize,
    limited: bool,
    max_tokens: usize,
    tokens: usize,
    over: bool,
    long_lines: usize,
    in_full: LineRanges,
}

impl Page {
    /// The page of `text` that is `wanted`.
    ///
    /// # Errors
    /// When the lines asked for with a limit are more than may be shown.
    pub(super) fn of(text: &str, wanted: &Wanted) -> Result<Self, String> {
        let mut filling = Filling::new(wanted);
        for line in lines(text).skip(filling.start - 1) {
            let (line, was_cut) = cut_line(line, MAX_LINE_CHARS);
            if filling.push(line, was_cut) == Room::Full {
                break;
            }
        }
        filling.finish(Rest::Counted(lines(text).count()))
    }
}

impl Filling {
    /// An empty page.
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            lines: Vec::new(),
            start: usize::try_from(wanted.offset.unwrap_or(1).max(1)).unwrap_or(usize::MAX),
            most: wanted.limit.map_or(MAX_LINES, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            limited: wanted.limit.is_some(),
            max_tokens: wanted.max_tokens,
            tokens: 0,
            over: false,
            long_lines: 0,
            in_full: LineRanges::default(),
        }
    }

    /// Number of the first line, from 1.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Whether no line was taken yet.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Takes the next line, `was_cut` when it was longer than it may be. A line that does not fit is
    /// left out.
    pub(super) fn push(&mut self, line: String, was_cut: bool) -> Room {
        self.tokens += estimate(&line);
        if self.tokens > self.max_tokens && !self.lines.is_empty() {
            self.over = true;
            return Room::Full;
        }
        self.long_lines += usize::from(was_cut);
        if !was_cut {
            let number = self.start.saturating_add(self.lines.len());
            self.in_full.add(number, number);
        }
        self.lines.push(line);
        if self.lines.len() >= self.most { Room::Full } else { Room::Left }
    }

    /// The page.
    ///
    /// # Errors
    /// When the lines asked for with a limit are more than may be shown.
    pub(super) fn finish(self, rest: Rest) -> Result<Page, String> {
        let (start, count, max_tokens) = (self.start, self.lines.len(), self.max_tokens);
        if self.over && self.limited {
            return Err(format!(
                "these lines are more than {max_tokens} tokens; about {count} lines fit from line {start}: use a \
                 smaller limit, or find the part with Grep"
            ));
        }
        let last = start.saturating_add(count) - 1;
        let total = match rest {
            Rest::Counted(total) => Some(total),
            Rest::More => None,
        };
        let mut notices = Vec::new();
        let complete = total.is_some_and(|total| last >= total);
        let cut_by_us = count > 0 && (self.over || !self.limited && !complete);
        match total {
            Some(0) => notices.push("[the file is empty]".to_owned()),
            Some(total) if count == 0 => {
                notices.push(format!("[offset {start} is past the end: the file has {total} lines]"));
            }
            _ if cut_by_us => {
                let of = total.map_or_else(|| "a huge file".to_owned(), |total| total.to_string());
                let next = last + 1;
                notices.push(format!(
                    "[PARTIAL view: lines {start}-{last} of {of}; go on with offset {next}, or find the part with Grep]"
                ));
            }
            _ => {}
        }
        if self.long_lines > 0 {
            notices.push(format!("[{} long line(s) cut at {MAX_LINE_CHARS} characters]", self.long_lines));
        }
        let extent = match () {
            () if total == Some(0) => Extent::Whole,
            () if cut_by_us || count == 0 => Extent::Partial,
            () if start == 1 && complete && self.long_lines == 0 => Extent::Whole,
            () => Extent::Range,
        };
        let in_full = self.in_full;
        Ok(Page { lines: self.lines, start, total, cut_by_us, extent, in_full, notices })
    }
}

/// Tokens of a line with its number: four bytes each.
fn estimate(line: &str) -> usize {
    (line.len() + 8).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(text: &str, offset: Option<u64>, limit: Option<u64>) -> Result<Page, String> {
        Page::of(text, &Wanted { offset, limit, max_tokens: 100 })
    }

    #[test]
    fn ranges_are_cut_out() {
        let page = page("a\nb\nc\n", Some(2), Some(1)).unwrap();
        assert_eq!(
            (page.lines, page.start, page.total, page.extent),
            (vec!["b".to_owned()], 2, Some(3), Extent::Range)
        );
    }

    #[test]
    fn a_whole_file_counts_as_whole_however_it_was_asked_for() {
        assert_eq!(page("a\nb", None, None).unwrap().extent, Extent::Whole);
        assert_eq!(page("a\nb", Some(1), Some(9)).unwrap().extent, Extent::Whole);
        assert_eq!(page("", None, None).unwrap().extent, Extent::Whole);
        assert_eq!(page(&"x".repeat(3_000), None, None).unwrap().extent, Extent::Range);
    }

    #[test]
    fn too_much_is_a_first_page_or_an_error() {
        let text = "0123456789\n".repeat(50);
        let first = page(&text, None, None).unwrap();
        assert_eq!((first.lines.len(), first.cut_by_us, first.extent), (20, true, Extent::Partial));
        insta::assert_snapshot!(first.notices.join("\n"), @"[PARTIAL view: lines 1-20 of 50; go on with offset 21, or find the part with Grep]");
        insta::assert_snapshot!(page(&text, None, Some(1_000_000)).unwrap_err(), @"these lines are more than 100 tokens; about 20 lines fit from line 1: use a smaller limit, or find the part with Grep");
    }

    #[test]
    fn what_was_not_counted_is_not_called_complete() {
        let mut filling = Filling::new(&Wanted { offset: None, limit: None, max_tokens: 100 });
        filling.push("a".to_owned(), false);
        let page = filling.finish(Rest::More).unwrap();
        assert_eq!((page.total, page.extent), (None, Extent::Partial));
        insta::assert_snapshot!(page.notices.join("\n"), @"[PARTIAL view: lines 1-1 of a huge file; go on with offset 2, or find the part with Grep]");
    }

    proptest! {
        #[test]
        fn ranges_piece_together_to_the_whole(text in "([a-c\u{e9}\r]{0,4}\n){0,20}[a-c]{0,3}", size in 1u64..7) {
            let whole: Vec<String> = page(&text, None, Some(1_000)).map(|page| page.lines).unwrap_or_default();
            let mut pieces = Vec::new();
            while let Some(piece) = page(&text, Some(pieces.len() as u64 + 1), Some(size)).ok().filter(|piece| !piece.lines.is_empty()) {
                pieces.extend(piece.lines);
            }
            prop_assert_eq!(pieces, whole.clone());
            let expected: Vec<&str> = lines(&text).collect();
            prop_assert_eq!(whole, expected);
        }
    }

    #[test]
    fn nothing_to_show_is_a_notice() {
        assert_eq!(page("", None, None).unwrap().notices, ["[the file is empty]"]);
        assert_eq!(
            page("1\n2\n3\n", Some(99), None).unwrap().notices,
            ["[offset 99 is past the end: the file has 3 lines]"]
        );
    }
}
