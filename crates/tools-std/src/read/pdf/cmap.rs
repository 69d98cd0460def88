//! `ToUnicode` maps: which characters the codes of a font stand for.

use std::collections::HashMap;

/// Entries that are read at most.
const MAX_ENTRIES: usize = 200_000;
/// Characters of one entry.
const MAX_UNITS: usize = 16;

/// A map from codes, with their length in bytes, to characters.
#[derive(Debug, Default)]
pub(super) struct ToUnicode {
    characters: HashMap<(usize, u32), String>,
    lengths: [bool; 5],
}

/// What the file of a map is made of, as far as it matters.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Hex(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

impl ToUnicode {
    /// Reads a map; what is not understood is passed over.
    pub(super) fn parse(mut text: &[u8]) -> Self {
        let mut map = Self::default();
        let mut section: &[u8] = b"";
        let mut waiting: Vec<Vec<u8>> = Vec::new();
        let mut list: Option<Vec<Vec<u8>>> = None;
        while let Some(token) = next(&mut text) {
            if map.characters.len() > MAX_ENTRIES {
                break;
            }
            match token {
                Token::Word(word) => {
                    if matches!(word, b"begincodespacerange" | b"beginbfchar" | b"beginbfrange") {
                        section = word;
                    } else if word.starts_with(b"end") {
                        section = b"";
                    }
                    waiting.clear();
                    list = None;
                }
                Token::Open => list = Some(Vec::new()),
                Token::Close => {
                    if let ([from, _], Some(list)) = (waiting.as_slice(), list.take()) {
                        for (index, target) in list.iter().enumerate() {
                            let code = code(from).wrapping_add(u32::try_from(index).unwrap_or(u32::MAX));
                            map.put(from.len(), code, characters(target));
                        }
                    }
                    waiting.clear();
                }
                Token::Hex(bytes) => match &mut list {
                    Some(list) => list.push(bytes),
                    None => {
                        waiting.push(bytes);
                        map.take(section, &mut waiting);
                    }
                },
            }
        }
        map
    }

    /// Takes an entry that is complete.
    fn take(&mut self, section: &[u8], waiting: &mut Vec<Vec<u8>>) {
        match (section, waiting.as_slice()) {
            (b"begincodespacerange", [from, _]) => {
                if let Some(length) = self.lengths.get_mut(from.len()) {
                    *length = true;
                }
            }
            (b"beginbfchar", [from, to]) => self.put(from.len(), code(from), characters(to)),
            (b"beginbfrange", [from, to, first]) => {
                let (low, high) = (code(from), code(to));
                let units = units(first);
                for step in 0..=high.saturating_sub(low).min(0xffff) {
                    let mut units = units.clone();
                    if let Some(last) = units.last_mut() {
                        *last = last.wrapping_add(step as u16);
                    }
                    self.put(from.len(), low.wrapping_add(step), String::from_utf16_lossy(&units));
                }
            }
            (b"beginbfrange", _) if waiting.len() < 3 => return,
            (b"beginbfchar" | b"begincodespacerange", _) if waiting.len() < 2 => return,
            _ => {}
        }
        waiting.clear();
    }

    fn put(&mut self, length: usize, code: u32, characters: String) {
        if self.characters.len() <= MAX_ENTRIES {
            self.characters.insert((length, code), characters);
        }
    }

    /// The characters of a code of `length` bytes.
    pub(super) fn characters(&self, length: usize, code: u32) -> Option<&str> {
        self.characters.get(&(length, code)).map(String::as_str)
    }

    /// Whether all codes have one byte.
    pub(super) fn is_one_byte(&self) -> bool {
        self.lengths == [false, true, false, false, false]
    }
}

fn code(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |code, byte| code << 8 | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [byte] => vec![u16::from(*byte)],
        _ => bytes.as_chunks::<2>().0.iter().take(MAX_UNITS).map(|pair| u16::from_be_bytes(*pair)).collect(),
    }
}

fn characters(bytes: &[u8]) -> String {
    String::from_utf16_lossy(&units(bytes))
}

/// The next token of `text`, which moves on.
fn next<'a>(text: &mut &'a [u8]) -> Option<Token<'a>> {
    loop {
        let (first, rest) = text.split_first()?;
        match first {
            b'%' => {
                let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                *text = rest.get(end..).unwrap_or_default();
            }
            b'[' | b']' => {
                *text = rest;
                return Some(if *first == b'[' { Token::Open } else { Token::Close });
            }
            b'<' if rest.first() != Some(&b'<') => {
                let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
                let (digits, after) = rest.split_at(end);
                *text = after.get(1..).unwrap_or_default();
                return Some(Token::Hex(hex(digits)));
            }
            byte if byte.is_ascii_alphabetic() => {
                let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(text.len());
                let (word, after) = text.split_at(end);
                *text = after;
                return Some(Token::Word(word));
            }
            _ => *text = rest,
        }
    }
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let values: Vec<u8> = digits
        .iter()
        .filter_map(|digit| char::from(*digit).to_digit(16))
        .map(|digit| digit as u8)
        .take(128)
        .collect();
    values.chunks(2).map(|pair| pair.first().unwrap_or(&0) << 4 | pair.get(1).unwrap_or(&0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_ranges_and_lists_are_read() {
        let map = ToUnicode::parse(
            b"/CIDInit /ProcSet findresource begin % <00> no\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
              2 beginbfchar <0001> <0041> <0002> <D83DDE00> endbfchar\n\
              2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<00660069> <007A>] endbfrange end",
        );
        let of = |code| map.characters(2, code);
        assert_eq!((of(1), of(2), of(0x12)), (Some("A"), Some("\u{1f600}"), Some("c")));
        assert_eq!((of(0x20), of(0x21), of(0x22)), (Some("fi"), Some("z"), None));
        assert!(!map.is_one_byte() && map.characters(1, 1).is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_map(bytes in proptest::collection::vec(any::<u8>(), 0..99), text in "(beginbfrange|<[0-9a-f]{0,9}>|\\[|\\]|endbfrange| ){0,20}") {
            drop(ToUnicode::parse(&bytes));
            drop(ToUnicode::parse(text.as_bytes()));
        }
    }
}
