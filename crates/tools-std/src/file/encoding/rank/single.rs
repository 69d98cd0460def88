//! What a text costs in encodings of one byte a character.

use super::ASCII;
use super::alphabets::{Language, PAGES, Words};
use encoding_rs::Encoding;
use std::sync::LazyLock;

/// A letter that the language has not.
const FOREIGN: u32 = 140;
/// A letter that follows the one before it in a list of letters.
const LISTED: u32 = 25;
/// A control character.
const CONTROL: u32 = 250;

/// What a character is, for its neighbours.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Space,
    Digit,
    Lower,
    Upper,
    /// A letter of an alphabet without capitals.
    Caseless,
    /// A line or a block of a frame.
    Frame,
    Sign,
    Control,
}

impl Kind {
    fn of(character: char) -> Self {
        match character {
            ' ' | '\t' | '\n' | '\r' | '\u{a0}' => Self::Space,
            '0'..='9' => Self::Digit,
            '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' => Self::Control,
            'ª' | 'º' | 'µ' | 'ƒ' | 'ˆ' | 'ˇ' => Self::Sign,
            '\u{e00}'..='\u{e7f}' => Self::Caseless,
            '\u{2500}'..='\u{259f}' => Self::Frame,
            _ if character.is_lowercase() => Self::Lower,
            _ if character.is_uppercase() => Self::Upper,
            _ if character.is_alphabetic() => Self::Caseless,
            _ => Self::Sign,
        }
    }

    fn is_letter(self) -> bool {
        matches!(self, Self::Lower | Self::Upper | Self::Caseless)
    }
}

/// One encoding with one language: what each byte from 0x80 on is.
#[derive(Debug)]
struct Table {
    page: &'static Encoding,
    language: &'static Language,
    rare: u32,
    bytes: Vec<Entry>,
}

/// What a byte is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    character: char,
    kind: Kind,
    /// What it costs as a letter.
    cost: u32,
    is_vowel: bool,
    is_word: bool,
}

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let tables = PAGES.iter().flat_map(|(page, rare, languages)| {
        languages.iter().map(move |language| Table::of(page, language, rare + language.rare))
    });
    tables.collect()
});

/// What `bytes` cost in the best language of each encoding that has all of them.
pub(super) fn costs(bytes: &[u8]) -> impl Iterator<Item = (u32, &'static Encoding)> {
    TABLES.iter().filter_map(|table| Some((table.cost(bytes)?, table.page)))
}

/// Whether a byte is a letter in KOI8-U and a frame in KOI8-R.
pub(super) fn is_ukrainian_in_koi8(byte: u8) -> bool {
    matches!(byte, 0xa4 | 0xa6 | 0xa7 | 0xad | 0xae | 0xb4 | 0xb6 | 0xb7 | 0xbd | 0xbe)
}

impl Table {
    fn of(page: &'static Encoding, language: &'static Language, rare: u32) -> Self {
        let entry = |byte: u8| {
            let text = page.decode_without_bom_handling(&[byte]).0.into_owned();
            let character = text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
            let lower: String = character.to_lowercase().collect();
            let among = |letters: &str| letters.contains(lower.as_str());
            let cost = language.letters.iter().find(|(_, letters)| among(letters)).map(|(cost, _)| *cost);
            let (vowels, alone) = match language.words {
                Words::Latin { alone, .. } => ("", alone),
                Words::Other { vowels } => (vowels, ""),
            };
            Entry {
                character,
                kind: Kind::of(character),
                cost: cost.unwrap_or(FOREIGN),
                is_vowel: among(vowels),
                is_word: among(alone),
            }
        };
        Self { page, language, rare, bytes: (0x80..=0xff).map(entry).collect() }
    }

    fn entry(&self, byte: u8) -> Option<&Entry> {
        self.bytes.get(usize::from(byte).checked_sub(0x80)?)
    }

    fn kind(&self, byte: Option<&u8>) -> Kind {
        let byte = byte.copied().unwrap_or(b'\n');
        self.entry(byte).map_or_else(|| Kind::of(char::from(byte)), |entry| entry.kind)
    }

    /// What `bytes` cost; nothing when one of them is no character.
    fn cost(&self, bytes: &[u8]) -> Option<u32> {
        let mut cost = self.rare;
        for (at, byte) in bytes.iter().enumerate() {
            let Some(entry) = self.entry(*byte) else {
                cost = cost.saturating_add(ASCII);
                continue;
            };
            if entry.character == char::REPLACEMENT_CHARACTER {
                return None;
            }
            let near = Near { bytes, at, table: self };
            let this = match entry.kind {
                kind if kind.is_letter() => near.letter(entry),
                Kind::Control => CONTROL,
                Kind::Frame if near.byte_before() == *byte => 20,
                Kind::Frame if near.before(1) == Kind::Frame || near.after() == Kind::Frame => 100,
                _ => sign(entry.character, near.before(1), near.after(), near.byte_before()),
            };
            cost = cost.saturating_add(this);
        }
        Some(cost)
    }
}

/// A byte among others.
#[derive(Clone, Copy, Debug)]
struct Near<'a> {
    bytes: &'a [u8],
    at: usize,
    table: &'a Table,
}

impl Near<'_> {
    fn byte_before(&self) -> u8 {
        self.at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied().unwrap_or(b'\n')
    }

    fn before(&self, steps: usize) -> Kind {
        self.table.kind(self.at.checked_sub(steps).and_then(|at| self.bytes.get(at)))
    }

    fn after(&self) -> Kind {
        self.table.kind(self.bytes.get(self.at + 1))
    }

    fn entry_before(&self, steps: usize) -> Option<&Entry> {
        self.table.entry(*self.bytes.get(self.at.checked_sub(steps)?)?).filter(|entry| entry.kind.is_letter())
    }

    /// Whether a letter follows the one before it in a list of letters.
    fn is_listed(&self, entry: &Entry) -> bool {
        let Words::Latin { listed, .. } = self.table.language.words else { return false };
        let Some(before) = self.entry_before(1) else { return false };
        let lower = |entry: &Entry| entry.character.to_lowercase();
        listed.contains(&lower(before).chain(lower(entry)).collect::<String>())
    }

    /// What a letter costs in its word.
    fn letter(&self, entry: &Entry) -> u32 {
        let (before, after) = (self.before(1), self.after());
        let mut cost = if self.is_listed(entry) { LISTED } else { entry.cost };
        let capitals = before == Kind::Upper && self.before(2) == Kind::Upper;
        cost += match (entry.kind, before) {
            (Kind::Upper, Kind::Lower) => 85,
            (Kind::Upper, Kind::Upper) => 8,
            (Kind::Upper, _) => 28,
            (Kind::Lower, Kind::Upper) if capitals => 40,
            _ => 0,
        };
        if before == Kind::Digit || after == Kind::Digit {
            cost += 30;
        }
        // Hebrew letters that end words, and those that these stand for there.
        cost += match entry.character {
            'ך' | 'ם' | 'ן' | 'ף' | 'ץ' if after.is_letter() => 80,
            'כ' | 'מ' | 'נ' | 'פ' | 'צ' if !after.is_letter() => 60,
            _ => 0,
        };
        let next_to_ascii = self.byte_before().is_ascii_alphabetic();
        let ascii_next = self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_alphabetic);
        match self.table.language.words {
            Words::Latin { pair, .. } => {
                if self.entry_before(1).is_some() {
                    cost += if self.is_listed(entry) { 0 } else { pair };
                } else if !before.is_letter() && !after.is_letter() && !entry.is_word {
                    cost += 30;
                }
            }
            Words::Other { vowels } => {
                cost += 90 * (u32::from(next_to_ascii) + u32::from(ascii_next));
                match (self.entry_before(1), self.entry_before(2)) {
                    // A letter alone is no word of most languages.
                    (None, _) => cost += if after.is_letter() { 15 } else { 65 },
                    _ if vowels.is_empty() => {}
                    (Some(one), _) if one.is_vowel && entry.is_vowel => cost += 10,
                    (Some(one), Some(two)) if !one.is_vowel && !two.is_vowel && !entry.is_vowel => cost += 20,
                    _ => {}
                }
            }
        }
        cost
    }
}

/// What a sign costs between its neighbours.
fn sign(character: char, before: Kind, after: Kind, byte_before: u8) -> u32 {
    let in_word = before.is_letter() && after.is_letter();
    let at_number = before == Kind::Digit || after == Kind::Digit;
    let (fits, usual, odd) = match character {
        '’' => (before.is_letter(), 50, 80),
        '‘' | '“' | '„' => (!before.is_letter() && after != Kind::Space, 50, 110),
        '”' => (before != Kind::Space && !after.is_letter(), 50, 110),
        '–' | '—' => (before == Kind::Space && after == Kind::Space, 50, if at_number { 60 } else { 80 }),
        '…' => (before != Kind::Space, 60, 80),
        '•' | '·' => (after == Kind::Space, 60, 100),
        '«' => (!before.is_letter(), 55, 110),
        '»' => (!after.is_letter(), 55, 110),
        '¿' | '¡' => (!before.is_letter() && after.is_letter(), 55, 140),
        '°' => (before == Kind::Digit || before == Kind::Space, 60, 110),
        'º' | 'ª' => {
            (matches!(byte_before, b'0'..=b'9' | b'.' | b'n' | b'N') && !after.is_letter(), 62, 130)
        }
        '€' | '£' | '¥' | '¢' => {
            (at_number, 60, if before.is_letter() || after.is_letter() { 120 } else { 80 })
        }
        '©' | '§' | '±' | '×' | '÷' | 'µ' | '№' => (!before.is_letter(), 75, 130),
        '®' | '™' | '†' | '‡' | '‰' => (!in_word, 75, 130),
        '\u{a0}' => (!in_word, 70, 80),
        '²' | '³' | '½' | '¼' | '¾' => {
            (matches!(byte_before, b'0'..=b'9' | b'm' | b' ' | b'x' | b'n') && !after.is_letter(), 80, 140)
        }
        _ => (false, 130, 130),
    };
    if fits { usual } else { odd }
}
