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
    let mut shown = Shown { text: String::with_capacity(raw.len()), overwritten: 0 };
    let mut letters = raw.chars().peekable();
    // Where the line began that is written now.
    let mut line = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_sequence(&mut letters),
            '\u{9b}' => skip_control_sequence(&mut letters),
            '\n' => {
                shown.text.push('\n');
                line = shown.text.len();
            }
            '\r' => carriage_return(&mut shown, &mut letters, line),
            '\t' => shown.text.push('\t'),
            '\u{7f}' => shown.text.push('\u{2421}'),
            letter @ '\0'..='\u{1f}' => {
                shown.text.extend(char::from_u32(0x2400 + u32::from(letter)));
            }
            '\u{80}'..='\u{9f}' => shown.text.push(char::REPLACEMENT_CHARACTER),
            letter => shown.text.push(letter),
        }
    }
    shown
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// At the end of a line it stays, as in files of Windows; at the end of the text it says nothing;
/// anywhere else what follows is written over the line.
fn carriage_return(shown: &mut Shown, letters: &mut Letters<'_>, line: usize) {
    let mut rest = letters.clone();
    while rest.next_if(|letter| *letter == '\r').is_some() {}
    match rest.peek() {
        None => {}
        Some('\n') => shown.text.push('\r'),
        Some(_) if shown.text.len() > line => {
            shown.text.truncate(line);
            shown.overwritten += 1;
        }
        Some(_) => {}
    }
    *letters = rest;
}

/// Skips what follows an escape character.
fn skip_sequence(letters: &mut Letters<'_>) {
    match letters.peek() {
        Some('[') => {
            letters.next();
            skip_control_sequence(letters);
        }
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
        fn plain_text_stays_as_it_is(text in "[a-z \n\té中]{0,200}") {
            prop_assert_eq!(shown(text.as_bytes()).text, text);
        }
    }
}
