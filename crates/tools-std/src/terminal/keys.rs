//! What a model writes for keys, as the bytes that a terminal sends: `ls -l<Enter>`, `<C-c>`, `<S-Tab>`.

use std::fmt::Write as _;

/// How the program wants its arrow keys.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CursorKeys {
    /// `ESC [ A`.
    Normal,
    /// `ESC O A`, asked for by most full-screen programs.
    Application,
}

/// Text as it is typed: a line end is the Enter key.
pub(crate) fn of_text(text: &str) -> Vec<u8> {
    text.replace("\r\n", "\r").replace('\n', "\r").into_bytes()
}

/// Text in which `<Name>` is a key.
///
/// # Errors
/// When a name is none; the text says which are known.
pub(crate) fn of_keys(text: &str, cursor_keys: CursorKeys) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        bytes.extend(of_text(before));
        match name_of(from) {
            Some(name) => {
                let key = key(name, cursor_keys).ok_or_else(|| unknown(name))?;
                bytes.extend(key);
                rest = from.get(name.len() + 2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'<');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    bytes.extend(of_text(rest));
    Ok(bytes)
}

/// The name between `<` and `>`, when it could be one: no blanks, no second `<`.
fn name_of(from: &str) -> Option<&str> {
    let (name, _) = from.strip_prefix('<')?.split_once('>')?;
    let is_sound = |letter: char| !letter.is_whitespace() && letter != '<';
    (!name.is_empty() && name.len() <= 20 && name.chars().all(is_sound)).then_some(name)
}

fn unknown(name: &str) -> String {
    format!(
        "`<{name}>` is no key; known are <Enter> <Tab> <Esc> <Space> <BS> <Del> <Insert> <Up> <Down> <Left> <Right> \
         <Home> <End> <PageUp> <PageDown> <F1> to <F12>, with C- (control), M- (alt) or S- (shift) before the \
         name as in <C-c> <M-x> <S-Tab> <C-Left>. Write `<lt>` for a plain `<`, or use `text`, where nothing is special"
    )
}

/// Modifiers in front of a name.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    control: bool,
    alt: bool,
    shift: bool,
}

impl Held {
    /// The number that xterm puts into its sequences; 1 is none.
    fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.control)
    }
}

/// The bytes of a named key.
fn key(name: &str, cursor_keys: CursorKeys) -> Option<Vec<u8>> {
    let mut held = Held::default();
    let mut base = name;
    loop {
        let flag = match base.get(..2).filter(|_| base.len() > 2).map(str::to_ascii_uppercase).as_deref() {
            Some("C-") => &mut held.control,
            Some("M-" | "A-") => &mut held.alt,
            Some("S-") => &mut held.shift,
            _ => break,
        };
        *flag = true;
        base = base.get(2..)?;
    }
    let lower = base.to_ascii_lowercase();
    if let Some(bytes) = special(&lower, held, cursor_keys) {
        return Some(bytes);
    }
    let mut letters = base.chars();
    let letter = letters.next().filter(|_| letters.next().is_none())?;
    // A bare letter between brackets is more likely text, such as a tag.
    if held.number() == 1 {
        return None;
    }
    let letter = if held.shift { letter.to_ascii_uppercase() } else { letter };
    let mut bytes = if held.alt { vec![0x1b] } else { Vec::new() };
    if held.control {
        bytes.push(control(letter)?);
    } else {
        bytes.extend(letter.to_string().into_bytes());
    }
    Some(bytes)
}

/// The byte of a letter with control held.
fn control(letter: char) -> Option<u8> {
    match letter.to_ascii_uppercase() {
        letter @ '@'..='_' => u8::try_from(letter).ok().map(|byte| byte & 0x1f),
        ' ' | '2' => Some(0),
        '/' => Some(0x1f),
        '?' | '8' => Some(0x7f),
        _ => None,
    }
}

/// Keys that have a name, in lower case.
fn special(name: &str, held: Held, cursor_keys: CursorKeys) -> Option<Vec<u8>> {
    let plain = |byte: u8| {
        let mut bytes = if held.alt { vec![0x1b] } else { Vec::new() };
        bytes.push(byte);
        Some(bytes)
    };
    match name {
        "lt" => return plain(b'<'),
        "gt" => return plain(b'>'),
        "enter" | "return" | "cr" => return plain(b'\r'),
        "nl" | "lf" => return plain(b'\n'),
        "tab" if held.shift => return Some(b"\x1b[Z".to_vec()),
        "tab" => return plain(b'\t'),
        "esc" | "escape" => return plain(0x1b),
        "space" if held.control => return plain(0),
        "space" => return plain(b' '),
        "bs" | "backspace" if held.control => return plain(0x08),
        "bs" | "backspace" => return plain(0x7f),
        "nul" => return plain(0),
        _ => {}
    }
    if let Some(letter) = match name {
        "up" => Some('A'),
        "down" => Some('B'),
        "right" => Some('C'),
        "left" => Some('D'),
        "home" => Some('H'),
        "end" => Some('F'),
        _ => None,
    } {
        return Some(lettered(letter, held, cursor_keys == CursorKeys::Application));
    }
    let function = name.strip_prefix('f').and_then(|number| number.parse::<usize>().ok());
    if let Some(number @ 1..=4) = function {
        let letter = ['P', 'Q', 'R', 'S'].get(number - 1)?;
        return Some(lettered(*letter, held, true));
    }
    let number = match (name, function) {
        ("insert" | "ins", _) => 2,
        ("del" | "delete", _) => 3,
        ("pageup" | "pgup", _) => 5,
        ("pagedown" | "pgdn", _) => 6,
        (_, Some(number @ 5..=12)) => *[15, 17, 18, 19, 20, 21, 23, 24].get(number - 5)?,
        _ => return None,
    };
    let mut sequence = format!("\x1b[{number}");
    if held.number() > 1 {
        let _written = write!(sequence, ";{}", held.number());
    }
    sequence.push('~');
    Some(sequence.into_bytes())
}

/// A key whose sequence ends in a letter. `single_shift` is how it starts when nothing is held.
fn lettered(letter: char, held: Held, single_shift: bool) -> Vec<u8> {
    match held.number() {
        1 if single_shift => format!("\x1bO{letter}"),
        1 => format!("\x1b[{letter}"),
        number => format!("\x1b[1;{number}{letter}"),
    }
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_become_what_a_terminal_sends() {
        for (text, expected) in [
            ("ls -l<Enter>", &b"ls -l\r"[..]),
            ("a\nb\r\nc", b"a\rb\rc"),
            ("<C-c><c-D><C-[><C-Space><C-@>", b"\x03\x04\x1b\0\0"),
            ("<M-x><A-b><M-C-a>", b"\x1bx\x1bb\x1b\x01"),
            ("<Up><down><C-Left><S-Tab><Home>", b"\x1b[A\x1b[B\x1b[1;5D\x1b[Z\x1b[H"),
            ("<F1><F5><F12><C-F1><S-F5>", b"\x1bOP\x1b[15~\x1b[24~\x1b[1;5P\x1b[15;2~"),
            ("<Del><PgUp><C-PageDown><BS><Esc>:wq<CR>", b"\x1b[3~\x1b[5~\x1b[6;5~\x7f\x1b:wq\r"),
            ("cat < in > out", b"cat < in > out"),
            ("a<lt>b", b"a<b"),
            ("1<2", b"1<2"),
            ("<", b"<"),
            ("é<Tab>", "é\t".as_bytes()),
        ] {
            assert_eq!(of_keys(text, CursorKeys::Normal).unwrap(), expected, "{text}");
        }
        assert_eq!(of_keys("<Up><F1><C-Up>", CursorKeys::Application).unwrap(), b"\x1bOA\x1bOP\x1b[1;5A");
        for text in ["<b>", "<Entre>", "<vector>", "<C-é>", "<F13>", "<C->"] {
            assert!(of_keys(text, CursorKeys::Normal).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_text_without_brackets_is_typed_as_it_is(text in ".{0,40}") {
            let typed = of_keys(&text, CursorKeys::Normal);
            if !text.contains('<') {
                prop_assert_eq!(typed.unwrap(), of_text(&text));
            }
        }
    }
}
