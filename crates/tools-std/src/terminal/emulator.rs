//! What a program drew: the screen, and what was said beside it. Takes any bytes in bounded memory.

use super::charset::Charset;
use super::keys::CursorKeys;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Lines above the screen that are kept.
pub(crate) const MOST_HISTORY: usize = 1000;
/// Longest title that is kept, in characters.
const MOST_TITLE: usize = 200;
/// Most bytes of answers to a program between two looks.
const MOST_ANSWERS: usize = 4096;
/// Bytes that are taken at once, so that nobody waits long for a look.
pub(crate) const PIECE_BYTES: usize = 4096;

/// Rows and columns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Size {
    pub(crate) rows: u16,
    pub(crate) cols: u16,
}

/// What a program said that is not on the screen.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The title of the window.
    pub(crate) title: String,
    /// Answers to its questions that must be sent to it.
    answers: Vec<u8>,
    /// Lines that fell out of the history.
    pub(crate) dropped_lines: u64,
    /// How often it rang.
    pub(crate) bells: u64,
}

impl Said {
    fn answer(&mut self, bytes: &[u8]) {
        if self.answers.len() + bytes.len() <= MOST_ANSWERS {
            self.answers.extend_from_slice(bytes);
        }
    }
}

impl vt100::Callbacks for Said {
    fn audible_bell(&mut self, _screen: &mut vt100::Screen) {
        self.bells += 1;
    }

    fn set_window_title(&mut self, _screen: &mut vt100::Screen, title: &[u8]) {
        let title = String::from_utf8_lossy(title);
        self.title = title.chars().filter(|letter| !letter.is_control()).take(MOST_TITLE).collect();
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _second: Option<u8>,
        params: &[&[u16]],
        letter: char,
    ) {
        let param = params.first().and_then(|param| param.first()).copied().unwrap_or(0);
        match (first, letter, param) {
            (None, 'n', 5) => self.answer(b"\x1b[0n"),
            (None, 'n', 6) => {
                let (row, col) = screen.cursor_position();
                self.answer(format!("\x1b[{};{}R", row.saturating_add(1), col.saturating_add(1)).as_bytes());
            }
            // A VT100 with advanced video.
            (None, 'c', 0) => self.answer(b"\x1b[?1;2c"),
            (Some(b'>'), 'c', 0) => self.answer(b"\x1b[>0;10;0c"),
            _ => {}
        }
    }

    fn on_scroll(&mut self, _row: vt100::capture::RowContents<'_>, is_alternate: bool) {
        if !is_alternate {
            self.dropped_lines += 1;
        }
    }
}

/// The screen of one program.
pub(crate) struct Emulator {
    parser: vt100::Parser<Said>,
    charset: Charset,
    buffer: Vec<u8>,
    size: Size,
    /// Bytes so far.
    pub(crate) bytes: u64,
    /// How often the screen had to be made anew because its library failed.
    pub(crate) failures: u64,
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulator")
            .field("size", &self.size)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl Emulator {
    pub(crate) fn new(size: Size) -> Self {
        Self {
            parser: parser(size, Said::default()),
            charset: Charset::default(),
            buffer: Vec::new(),
            size,
            bytes: 0,
            failures: 0,
        }
    }

    /// Takes what the program printed, at most [`PIECE_BYTES`] at once; gives what must be sent to it.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.bytes += bytes.len() as u64;
        let translated = self.charset.translate(bytes, &mut self.buffer);
        let parser = &mut self.parser;
        if catch_unwind(AssertUnwindSafe(|| parser.process(translated))).is_err() {
            // No input of a program may end the terminal: the screen starts anew, and says so.
            self.failures += 1;
            self.parser = parser_after(self.size, &mut self.parser);
        }
        std::mem::take(&mut self.parser.callbacks_mut().answers)
    }

    pub(crate) fn resize(&mut self, size: Size) {
        self.size = size;
        let parser = &mut self.parser;
        let resized = catch_unwind(AssertUnwindSafe(|| {
            parser.set_size(at_least_one(size.rows), at_least_one(size.cols))
        }));
        if resized.is_err() {
            self.failures += 1;
            self.parser = parser_after(size, &mut self.parser);
        }
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub(crate) fn said(&self) -> &Said {
        self.parser.callbacks()
    }

    pub(crate) fn cursor_keys(&self) -> CursorKeys {
        if self.screen().application_cursor() { CursorKeys::Application } else { CursorKeys::Normal }
    }

    /// The lines of the screen without blanks at their ends, empty ones at the bottom left out.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = lines_of(self.screen(), self.size.cols);
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// Lines above the screen.
    pub(crate) fn history_len(&self) -> usize {
        self.screen().scrollback_len()
    }

    /// Looks at the screen as it was `lines` lines ago, as often as it takes to see all of them, oldest first.
    /// `look` gets the screen and how many of its rows, from the top, were not there at the look before.
    pub(crate) fn look_back(&mut self, lines: usize, mut look: impl FnMut(&vt100::Screen, u16)) {
        let rows = self.size.rows;
        let mut above = lines.min(self.history_len());
        while above > 0 {
            let new = usize::from(rows).min(above);
            self.parser.screen_mut().set_scrollback(above);
            look(self.parser.screen(), u16::try_from(new).unwrap_or(rows));
            above -= new;
        }
        self.parser.screen_mut().set_scrollback(0);
    }

    /// The last `lines` lines above the screen.
    pub(crate) fn history(&mut self, lines: usize) -> Vec<String> {
        let cols = self.size.cols;
        let mut all = Vec::new();
        self.look_back(lines, |screen, new| {
            all.extend(lines_of(screen, cols).into_iter().take(usize::from(new)));
        });
        all
    }
}

fn lines_of(screen: &vt100::Screen, cols: u16) -> Vec<String> {
    screen.rows(0, cols).map(|row| row.trim_end().to_owned()).collect()
}

fn parser(size: Size, said: Said) -> vt100::Parser<Said> {
    vt100::Parser::new_with_callbacks(at_least_one(size.rows), at_least_one(size.cols), MOST_HISTORY, said)
}

fn parser_after(size: Size, broken: &mut vt100::Parser<Said>) -> vt100::Parser<Said> {
    parser(size, std::mem::take(broken.callbacks_mut()))
}

fn at_least_one(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fed(bytes: &[u8]) -> Emulator {
        let mut emulator = Emulator::new(Size { rows: 4, cols: 10 });
        emulator.feed(bytes);
        emulator
    }

    #[test]
    fn the_screen_and_what_scrolled_off_it_are_kept() {
        let mut emulator = fed(b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7");
        assert_eq!(emulator.lines(), ["4", "5", "6", "7"]);
        assert_eq!(emulator.history(2), ["2", "3"]);
        assert_eq!(emulator.history(99), ["1", "2", "3"]);
        assert_eq!(emulator.lines(), ["4", "5", "6", "7"]);
        // More history than the screen has rows.
        for _ in 0..3000 {
            emulator.feed(b"\r\nmore");
        }
        assert_eq!(emulator.history(50), vec!["more"; 50]);
        assert_eq!((emulator.history_len(), emulator.said().dropped_lines), (MOST_HISTORY, 2003));
    }

    #[test]
    fn letters_of_all_kinds_have_their_cells() {
        // Cut inside a letter; two cells wide; a combining mark; what is no UTF-8; NUL.
        let mut emulator = fed(b"\xe6\x97");
        emulator.feed(b"\xa5e\xcc\x81\xff\0|");
        assert_eq!(emulator.lines(), ["日e\u{301}|"]);
        assert_eq!(emulator.screen().cursor_position(), (0, 4));
    }

    #[test]
    fn questions_of_programs_are_answered() {
        let mut emulator = Emulator::new(Size { rows: 4, cols: 10 });
        assert_eq!(emulator.feed(b"ab\x1b[6n\x1b[c\x1b[5n"), b"\x1b[1;3R\x1b[?1;2c\x1b[0n");
        assert_eq!(emulator.feed(b"x"), b"");
        assert!(emulator.feed(&b"\x1b[6n".repeat(100_000)).len() <= MOST_ANSWERS);
        emulator.feed("\x1b]2;a title\x07\x07".as_bytes());
        assert_eq!((emulator.said().title.as_str(), emulator.said().bells), ("a title", 1));
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_screen(
            parts in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..12),
                    "\\x1b\\[[?>]?[0-9;]{0,8}[@A-Za-z]".prop_map(String::into_bytes),
                    "[日é\u{301}\u{fe0f}❤a-c\r\n\t]{0,6}".prop_map(String::into_bytes),
                ],
                0..40,
            ),
            sizes in prop::collection::vec((1u16..12, 1u16..12), 1..4),
        ) {
            let mut emulator = Emulator::new(Size { rows: 3, cols: 5 });
            for (rows, cols) in sizes {
                for part in &parts {
                    emulator.feed(part);
                }
                emulator.resize(Size { rows, cols });
                prop_assert!(emulator.lines().len() <= usize::from(rows));
                emulator.history(50);
            }
        }
    }
}
