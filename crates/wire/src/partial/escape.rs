//! The inside of a JSON text, piece by piece.

/// Where in an escape the text stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Escape {
    state: State,
    /// The first half of a pair, whose second half is to follow.
    high: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Plain,
    Backslash,
    /// In `\uXXXX`: how many digits, and their value.
    Unicode(u8, u16),
}

/// How far a piece went.
pub(super) enum Unescaped<'t> {
    /// The text goes on.
    All,
    /// It ended; this follows it.
    End(&'t str),
    /// It is no JSON text.
    Broken,
}

impl Escape {
    /// Appends what `piece` says to `target`.
    pub(super) fn read<'t>(&mut self, piece: &'t str, target: &mut String) -> Unescaped<'t> {
        let mut rest = piece;
        while let Some(byte) = rest.bytes().next() {
            match self.state {
                State::Plain if self.high.is_some() => {
                    if byte != b'\\' {
                        return Unescaped::Broken;
                    }
                    self.state = State::Backslash;
                }
                State::Plain => {
                    let special = |byte: u8| byte == b'"' || byte == b'\\' || byte < 0x20;
                    let at = rest.bytes().position(special).unwrap_or(rest.len());
                    let (plain, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
                    target.push_str(plain);
                    match after.bytes().next() {
                        None => return Unescaped::All,
                        Some(b'"') => return Unescaped::End(after.get(1..).unwrap_or_default()),
                        Some(b'\\') => self.state = State::Backslash,
                        Some(_) => return Unescaped::Broken,
                    }
                    rest = after;
                }
                State::Backslash => {
                    let Some(next) = self.escaped(byte, target) else { return Unescaped::Broken };
                    self.state = next;
                }
                State::Unicode(digits, value) => {
                    let Some(digit) =
                        char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok())
                    else {
                        return Unescaped::Broken;
                    };
                    let value = (value << 4) | digit;
                    self.state = State::Unicode(digits + 1, value);
                    if digits == 3 {
                        self.state = State::Plain;
                        if !self.unit(value, target) {
                            return Unescaped::Broken;
                        }
                    }
                }
            }
            rest = rest.get(1..).unwrap_or_default();
        }
        Unescaped::All
    }

    fn escaped(&self, byte: u8, target: &mut String) -> Option<State> {
        if byte == b'u' {
            return Some(State::Unicode(0, 0));
        }
        if self.high.is_some() {
            return None;
        }
        target.push(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => return None,
        });
        Some(State::Plain)
    }

    /// One UTF-16 unit; a lone half of a pair is a mistake.
    fn unit(&mut self, unit: u16, target: &mut String) -> bool {
        let character = match (self.high.take(), unit) {
            (None, 0xd800..=0xdbff) => {
                self.high = Some(unit);
                return true;
            }
            (Some(high), 0xdc00..=0xdfff) => {
                let pair = (u32::from(high - 0xd800) << 10) + u32::from(unit - 0xdc00) + 0x1_0000;
                char::from_u32(pair)
            }
            (None, unit) => char::from_u32(u32::from(unit)),
            (Some(_), _) => None,
        };
        character.map(|character| target.push(character)).is_some()
    }
}
