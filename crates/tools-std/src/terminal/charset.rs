//! The line drawing letters of old terminals: after `ESC ( 0` an `x` is a vertical line. The screen knows
//! no such mode, so its input is translated.

/// Translates a stream of bytes, which may be cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Charset {
    state: State,
    /// Whether each of the two sets is the drawing one.
    drawing: [bool; 2],
    /// Which of them is in use.
    used: usize,
}

/// Where in a sequence the stream is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum State {
    #[default]
    Ground,
    Escape,
    /// After `ESC (` or `ESC )`.
    Designates(usize),
    /// `ESC [`, until its final byte.
    Control,
    /// A string for the terminal, until BEL or `ESC \`.
    Text,
    /// An `ESC` inside such a string.
    TextEscape,
    /// Another sequence with bytes in between.
    Other,
}

impl Charset {
    /// Whether nothing would be changed now, so that most streams cost one look.
    fn is_idle(&self, bytes: &[u8]) -> bool {
        self.state == State::Ground
            && !self.drawing.iter().any(|drawing| *drawing)
            && self.used == 0
            && !bytes.iter().any(|byte| matches!(byte, 0x0e | 0x0f | 0x1b))
    }

    /// The same stream without the mode.
    pub(crate) fn translate<'b>(&mut self, bytes: &'b [u8], buffer: &'b mut Vec<u8>) -> &'b [u8] {
        if self.is_idle(bytes) {
            return bytes;
        }
        buffer.clear();
        for byte in bytes {
            self.one(*byte, buffer);
        }
        buffer
    }

    fn one(&mut self, byte: u8, out: &mut Vec<u8>) {
        let was = self.state;
        self.state = self.next(byte);
        match was {
            State::Ground if self.state == State::Ground => match byte {
                0x0e => self.used = 1,
                0x0f => self.used = 0,
                0x5f..=0x7e if self.drawing.get(self.used) == Some(&true) => {
                    let mut utf8 = [0; 4];
                    out.extend_from_slice(drawn(byte).encode_utf8(&mut utf8).as_bytes());
                }
                _ => out.push(byte),
            },
            State::Designates(set) => {
                if let Some(drawing) = self.drawing.get_mut(set) {
                    *drawing = byte == b'0';
                }
                out.push(byte);
            }
            _ => {
                // A full reset forgets the sets.
                if was == State::Escape && byte == b'c' {
                    (self.drawing, self.used) = ([false; 2], 0);
                }
                out.push(byte);
            }
        }
    }

    fn next(&self, byte: u8) -> State {
        match (self.state, byte) {
            (State::Text, 0x1b) => State::TextEscape,
            (State::Text, 0x07) => State::Ground,
            (State::Text, _) => State::Text,
            (State::TextEscape, b'\\') => State::Ground,
            (_, 0x18 | 0x1a) => State::Ground,
            (_, 0x1b) => State::Escape,
            (State::Escape | State::TextEscape, byte) => match byte {
                b'[' => State::Control,
                b']' | b'P' | b'X' | b'^' | b'_' => State::Text,
                b'(' => State::Designates(0),
                b')' => State::Designates(1),
                0x20..=0x2f => State::Other,
                _ => State::Ground,
            },
            (State::Control, 0x40..=0x7e) | (State::Other, 0x30..=0x7e) => State::Ground,
            (State::Designates(_) | State::Ground, _) => State::Ground,
            (state, _) => state,
        }
    }
}

/// The letter of the DEC drawing set.
fn drawn(byte: u8) -> char {
    const DRAWN: [char; 32] = [
        ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼',
        '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
    ];
    DRAWN.get(usize::from(byte) - 0x5f).copied().unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(bytes: &[u8]) -> Vec<u8> {
        Charset::default().translate(bytes, &mut Vec::new()).to_vec()
    }

    #[test]
    fn drawing_letters_are_drawn_and_nothing_else() {
        for (stream, expected) in [
            ("plain x q", "plain x q"),
            ("\x1b(0lqk\x1b(Bx", "\x1b(0┌─┐\x1b(Bx"),
            ("\x1b)0a\x0ex\x0fx", "\x1b)0a│x"),
            ("\x1b(0\x1b[31mx\x1b]0;xq\x07x", "\x1b(0\x1b[31m│\x1b]0;xq\x07│"),
            ("\x1b(0\x1bcx", "\x1b(0\x1bcx"),
            ("\x1b(0é", "\x1b(0é"),
        ] {
            assert_eq!(String::from_utf8(whole(stream.as_bytes())).unwrap(), expected, "{stream:?}");
        }
    }

    proptest! {
        #[test]
        fn where_a_stream_is_cut_does_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..60), at in 0usize..60) {
            let at = at.min(bytes.len());
            let (mut charset, mut buffer) = (Charset::default(), Vec::new());
            let mut parts = charset.translate(&bytes[..at], &mut buffer).to_vec();
            parts.extend_from_slice(charset.translate(&bytes[at..], &mut buffer));
            prop_assert_eq!(parts, whole(&bytes));
        }
    }
}
