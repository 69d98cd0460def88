//! Output as text for a model: valid UTF-8 without escape sequences, without what was overwritten on
//! its line, and with control characters made visible.

/// A text and what was left out of it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// Pieces of lines that a carriage return overwrote, as progress bars do.
    pub(crate) overwritten: usize,
}

/// Makes bytes readable. What is no UTF-8 becomes the replacement character.
pub(crate) fn shown(bytes: &[u8]) -> Shown {
    let raw = String::from_utf8_lossy(bytes);
    let mut screen = Screen { text: String::with_capacity(raw.len()), ..Screen::default() };
    let mut letters = raw.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => screen.sequence(&mut letters),
            '\u{9b}' => screen.control_sequence(&mut letters),
            '\n' => screen.end_line(),
            '\r' => screen.carriage_return(&mut letters),
            '\t' => screen.put('\t'),
            '\u{7f}' => screen.put('\u{2421}'),
            letter @ '\0'..='\u{1f}' => {
                screen.put(char::from_u32(0x2400 + u32::from(letter)).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            '\u{80}'..='\u{9f}' => screen.put(char::REPLACEMENT_CHARACTER),
            letter => screen.put(letter),
        }
    }
    screen.leave_line();
    Shown { text: screen.text, overwritten: screen.overwritten }
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// A text that is written as on a terminal of endless lines.
#[derive(Debug, Default)]
struct Screen {
    text: String,
    /// Where the line begins in `text` that is written now.
    line: usize,
    /// The line, once a carriage return led back into it.
    returned: Option<Line>,
    overwritten: usize,
}

/// A line that is written again.
#[derive(Debug)]
struct Line {
    letters: Vec<char>,
    /// The next letter goes there.
    at: usize,
    /// Whether something was lost since the last carriage return.
    has_lost: bool,
    /// Whether blanks in it may stand for nothing.
    is_erased: bool,
}

impl Screen {
    fn put(&mut self, letter: char) {
        let Some(line) = &mut self.returned else { return self.text.push(letter) };
        match line.letters.get_mut(line.at) {
            Some(old) => {
                // A blank that stands for nothing is no loss.
                line.has_lost |= !(line.is_erased && *old == ' ');
                *old = letter;
            }
            None => line.letters.push(letter),
        }
        line.at += 1;
    }

    fn end_line(&mut self) {
        self.leave_line();
        self.text.push('\n');
        self.line = self.text.len();
    }

    /// Nothing is written again in the line.
    fn leave_line(&mut self) {
        self.count();
        let Some(mut line) = self.returned.take() else { return };
        while line.is_erased && line.letters.pop_if(|letter| *letter == ' ').is_some() {}
        self.text.extend(line.letters);
    }

    fn count(&mut self) {
        self.overwritten += usize::from(self.returned.as_ref().is_some_and(|line| line.has_lost));
    }

    /// At the end of a line it stays, as in files of Windows; at the end of the text it says nothing; anywhere else
    /// what follows is written over the line.
    fn carriage_return(&mut self, letters: &mut Letters<'_>) {
        while letters.next_if(|letter| *letter == '\r').is_some() {}
        match letters.peek() {
            None => {}
            Some('\n') => {
                self.leave_line();
                self.text.push('\r');
            }
            Some(_) => {
                self.count();
                let line = self.rewritten();
                (line.at, line.has_lost) = (0, false);
            }
        }
    }

    /// The line as letters that can be replaced.
    fn rewritten(&mut self) -> &mut Line {
        let (text, from) = (&mut self.text, self.line);
        self.returned.get_or_insert_with(|| {
            let letters: Vec<char> = text.get(from..).unwrap_or_default().chars().collect();
            text.truncate(from);
            Line { at: letters.len(), letters, has_lost: false, is_erased: false }
        })
    }

    /// What follows an escape character. Only what takes letters of the line away counts.
    fn sequence(&mut self, letters: &mut Letters<'_>) {
        if letters.next_if_eq(&'[').is_some() {
            self.control_sequence(letters);
        } else {
            skip_sequence(letters);
        }
    }

    fn control_sequence(&mut self, letters: &mut Letters<'_>) {
        let mut ahead = letters.clone();
        let parameters: String = std::iter::from_fn(|| ahead.next_if(char::is_ascii_digit)).take(4).collect();
        let erases = ahead.next() == Some('K');
        skip_control_sequence(letters);
        match parameters.as_str() {
            "" | "0" if erases => {
                let Some(line) = &mut self.returned else { return };
                line.has_lost |= line.at < line.letters.len();
                line.letters.truncate(line.at);
            }
            "2" if erases => {
                let line = self.rewritten();
                line.has_lost |= line.letters.iter().any(|letter| *letter != ' ');
                line.letters.truncate(line.at);
                line.letters.fill(' ');
                line.is_erased = true;
            }
            _ => {}
        }
    }
}

/// Skips what follows an escape character and is no control sequence.
fn skip_sequence(letters: &mut Letters<'_>) {
    match letters.peek() {
        // Titles, links and such: up to a bell or `ESC \`.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            letters.next();
            skip_string(letters);
        }
        // Character sets: `ESC ( B`.
        Some(' '..='/') => {
            while letters.next_if(|letter| (' '..='/').contains(letter)).is_some() {}
            letters.next_if(|letter| ('0'..='~').contains(letter));
        }
        Some('0'..='~') => {
            letters.next();
        }
        _ => {}
    }
}

/// Skips parameters and the final letter of a control sequence; stops at what cannot be part of one.
fn skip_control_sequence(letters: &mut Letters<'_>) {
    while letters.next_if(|letter| (' '..='?').contains(letter)).is_some() {}
    letters.next_if(|letter| ('@'..='~').contains(letter));
}

/// Skips to the end of a string sequence; one that is not closed on its line was none, and only its
/// start is left out.
fn skip_string(letters: &mut Letters<'_>) {
    let mut ahead = letters.clone();
    while let Some(letter) = ahead.peek() {
        match letter {
            '\u{7}' | '\u{9c}' => {
                ahead.next();
                *letters = ahead;
                return;
            }
            '\u{1b}' => {
                let mut after = ahead.clone();
                after.next();
                // Another sequence ends this one too, and is read next.
                *letters = if after.next_if_eq(&'\\').is_some() { after } else { ahead };
                return;
            }
            '\n' => return,
            _ => {
                ahead.next();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_go_and_letters_stay() {
        for (bytes, expected, overwritten) in [
            (&b"plain\ttext\n"[..], "plain\ttext\n", 0),
            (b"\x1b[1mbold\x1b[0m", "bold", 0),
            (b"\x1b[38;5;196mred\x1b[m", "red", 0),
            (b"A\x1b]0;title\x07B", "AB", 0),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link", 0),
            (b"\x1b(Bset", "set", 0),
            (b"\x1bcreset", "reset", 0),
            (b"open \x1b]0;title\nnext", "open 0;title\nnext", 0),
            (b"A\x1b]0;cut\x1b[1mB", "AB", 0),
            (b"end \x1b[", "end ", 0),
            (b"end \x1b", "end ", 0),
            (b"a\0b\xffc\x08\x7f", "a\u{2400}b\u{fffd}c\u{2408}\u{2421}", 0),
            (b"a\r\nb\r\n", "a\r\nb\r\n", 0),
            (b"10%\r50%\r100%\ndone", "100%\ndone", 2),
            (b"10%\r", "10%", 0),
            (b"\r10%\r20%", "20%", 1),
            (b"hello\rJ", "Jello", 1),
            (b"hello\rJ\nnext", "Jello\nnext", 1),
            (b"hello\rJ\r\n", "Jello\r\n", 1),
            (b"one\rtwo\rthree\n", "three\n", 2),
            (b"ab\rXYZ\rQ", "QYZ", 2),
            (b"50% of it\r\x1b[Kdone\n", "done\n", 1),
            (b"50% of it\r\x1b[2Kdone", "done", 1),
            (b"50% of it\x1b[2K\rdone\n", "done\n", 1),
            (b"50%\x1b[2K\r70%\x1b[2K\rdone", "done", 2),
            (b"50% of it\rdone\x1b[0K", "done", 1),
            (b"50% of it\r\x1b[32mdo\x1b[0m", "do% of it", 1),
            (b"gone\r\x1b[K\n", "\n", 1),
            (b"kept\x1b[K", "kept", 0),
            ("caf\u{e9}!\rth\u{e9}".as_bytes(), "th\u{e9}\u{e9}!", 1),
            (b"kept\r\r\nx", "kept\r\nx", 0),
            ("\x1b[1m第一步\x1b[0m".as_bytes(), "第一步", 0),
        ] {
            let shown = shown(bytes);
            assert_eq!((shown.text.as_str(), shown.overwritten), (expected, overwritten), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn no_control_character_is_left(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let shown = shown(&bytes);
            prop_assert!(!shown.text.contains(|c: char| c.is_control() && !"\n\t\r".contains(c)));
        }

        #[test]
        fn a_line_that_is_written_again_is_what_was_written_last(
            parts in proptest::collection::vec("[a-z\u{e9}]{1,8}", 1..5),
        ) {
            let mut line: Vec<char> = Vec::new();
            for part in &parts {
                let part: Vec<char> = part.chars().collect();
                line.splice(..part.len().min(line.len()), part);
            }
            let shown = shown(parts.join("\r").as_bytes());
            prop_assert_eq!(shown.text, line.into_iter().collect::<String>());
            prop_assert_eq!(shown.overwritten, parts.len() - 1);
        }

        #[test]
        fn plain_text_stays_as_it_is(text in "[a-z \n\té中]{0,200}") {
            prop_assert_eq!(shown(text.as_bytes()).text, text);
        }
    }
}
