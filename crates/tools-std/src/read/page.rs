//! Which lines of a text are shown, and what is said about the others.

use crate::file::ledger::Extent;
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
    /// Lines of the text.
    pub total: usize,
    /// Whether our limits ended the page.
    pub cut_by_us: bool,
    /// How much of the file this is.
    pub extent: Extent,
    /// Notices.
    pub notices: Vec<String>,
}

impl Page {
    /// The page of `text` that is `wanted`.
    ///
    /// # Errors
    /// When the lines asked for with a limit are more than may be shown.
    pub(super) fn of(text: &str, wanted: &Wanted) -> Result<Self, String> {
        let total = lines(text).count();
        let start = usize::try_from(wanted.offset.unwrap_or(1).max(1)).unwrap_or(usize::MAX);
        let mut page = Self {
            lines: Vec::new(),
            start,
            total,
            cut_by_us: false,
            extent: Extent::Range,
            notices: Vec::new(),
        };
        if total == 0 {
            page.notices.push("[the file is empty]".to_owned());
            page.extent = Extent::Whole;
        } else if start > total {
            page.notices.push(format!("[offset {start} is past the end: the file has {total} lines]"));
            page.extent = Extent::Partial;
        } else {
            page.fill(text, wanted)?;
        }
        Ok(page)
    }

    fn fill(&mut self, text: &str, wanted: &Wanted) -> Result<(), String> {
        let most = wanted.limit.map_or(MAX_LINES, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let (mut tokens, mut cut) = (0, 0);
        for line in lines(text).skip(self.start - 1).take(most) {
            let (line, was_cut) = cut_line(line, MAX_LINE_CHARS);
            tokens += estimate(&line);
            if tokens > wanted.max_tokens && !self.lines.is_empty() {
                self.cut_by_us = true;
                break;
            }
            cut += usize::from(was_cut);
            self.lines.push(line);
        }
        let last = self.start + self.lines.len() - 1;
        if self.cut_by_us && wanted.limit.is_some() {
            return Err(format!(
                "these lines are more than {} tokens; about {} lines fit from line {}: use a smaller limit, or find \
                 the part with Grep",
                wanted.max_tokens,
                self.lines.len(),
                self.start
            ));
        }
        self.cut_by_us |= wanted.limit.is_none() && last < self.total;
        if self.cut_by_us {
            self.notices.push(format!(
                "[PARTIAL view: lines {}-{last} of {}; go on with offset {}, or find the part with Grep]",
                self.start,
                self.total,
                last + 1
            ));
        }
        if cut > 0 {
            self.notices.push(format!("[{cut} long line(s) cut at {MAX_LINE_CHARS} characters]"));
        }
        self.extent = match () {
            () if self.cut_by_us => Extent::Partial,
            () if self.start == 1 && last == self.total && cut == 0 => Extent::Whole,
            () => Extent::Range,
        };
        Ok(())
    }
}

/// Tokens of a line with its number: four bytes each.
fn estimate(line: &str) -> usize {
    (line.len() + 8).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, offset: Option<u64>, limit: Option<u64>) -> Result<Page, String> {
        Page::of(text, &Wanted { offset, limit, max_tokens: 100 })
    }

    #[test]
    fn ranges_are_cut_out() {
        let page = page("a\nb\nc\n", Some(2), Some(1)).unwrap();
        assert_eq!(
            (page.lines, page.start, page.total, page.extent),
            (vec!["b".to_owned()], 2, 3, Extent::Range)
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
    fn nothing_to_show_is_a_notice() {
        assert_eq!(page("", None, None).unwrap().notices, ["[the file is empty]"]);
        assert_eq!(
            page("1\n2\n3\n", Some(99), None).unwrap().notices,
            ["[offset 99 is past the end: the file has 3 lines]"]
        );
    }
}
