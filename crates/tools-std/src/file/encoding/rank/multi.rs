//! What a text costs in the encodings of two and more bytes a character.

use super::ASCII;
use super::common::{self, How};
use crate::file::encoding::code_page;
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS};

/// Encodings of this kind and how rare they are.
pub(super) const PAGES: [(&Encoding, u32); 5] =
    [(GB18030, 30), (SHIFT_JIS, 30), (EUC_KR, 40), (BIG5, 40), (EUC_JP, 75)];

/// A character between letters of ASCII, and half width katakana alone.
const IN_A_WORD: u32 = 50;
/// A private character, or one that is written in a way that nobody uses.
const NEVER: u32 = 300;

/// Where an encoding has a character: the nearer to the front, the more it is used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    /// Signs, kana and other alphabets.
    Signs,
    /// The first level of the standard.
    First,
    /// Its second level.
    Second,
    /// What was added later.
    Added,
    /// Half width katakana of one byte.
    HalfWidth,
    Never,
}

/// What `bytes` cost in each encoding that they are valid in.
pub(super) fn costs(bytes: &[u8]) -> impl Iterator<Item = (u32, &'static Encoding)> {
    PAGES.into_iter().filter_map(move |(page, rare)| Some((rare.saturating_add(cost(page, bytes)?), page)))
}

fn cost(page: &'static Encoding, bytes: &[u8]) -> Option<u32> {
    let text = code_page::decode_beginning(page, bytes)?;
    let (mut rest, mut sum, mut before) = (bytes, 0_u32, '\n');
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii() {
            rest = rest.get(1..)?;
            sum = sum.saturating_add(ASCII);
        } else {
            let (place, length) = place(page, rest);
            rest = rest.get(length..)?;
            let after = characters.peek().copied().unwrap_or('\n');
            let in_a_word = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
            sum = sum.saturating_add(of(page, character, place));
            sum = sum.saturating_add(if in_a_word { IN_A_WORD } else { 0 });
            let alone = !is_half_width(before) && !is_half_width(after);
            sum = sum.saturating_add(if is_half_width(character) && alone { IN_A_WORD } else { 0 });
        }
        before = character;
    }
    Some(sum)
}

fn is_half_width(character: char) -> bool {
    matches!(character, '\u{ff61}'..='\u{ff9f}')
}

/// Where the first character of `bytes` is in an encoding, and its length.
fn place(page: &'static Encoding, bytes: &[u8]) -> (Place, usize) {
    let lead = bytes.first().copied().unwrap_or_default();
    let trail = bytes.get(1).copied().unwrap_or_default();
    if page == SHIFT_JIS {
        return match (lead, trail) {
            (0x80 | 0xa0 | 0xfd..=0xff, _) => (Place::Never, 1),
            (0xa1..=0xdf, _) => (Place::HalfWidth, 1),
            (0x81..=0x84, _) => (Place::Signs, 2),
            (0x87, _) => (Place::Added, 2),
            (0x88, 0x9f..) | (0x89..=0x97, _) | (0x98, ..=0x72) => (Place::First, 2),
            (0x98..=0x9f | 0xe0..=0xea, _) => (Place::Second, 2),
            (0xed | 0xee | 0xfa..=0xfc, _) => (Place::Added, 2),
            _ => (Place::Never, 2),
        };
    }
    if page == BIG5 {
        return match (lead, trail) {
            (0xa1..=0xa3, _) => (Place::Signs, 2),
            (0xa4..=0xc5, _) | (0xc6, ..=0x7e) => (Place::First, 2),
            (0xc9..=0xf9, _) => (Place::Second, 2),
            _ => (Place::Never, 2),
        };
    }
    if page == EUC_JP && lead == 0x8f {
        return (Place::Added, 3);
    }
    if page == EUC_JP && lead == 0x8e {
        return (Place::HalfWidth, 2);
    }
    if page == GB18030 && lead == 0x80 {
        return (Place::Never, 1);
    }
    if page == GB18030 && trail.is_ascii_digit() {
        return (Place::Never, 4);
    }
    if lead < 0xa1 || trail < 0xa1 {
        return (Place::Added, 2);
    }
    let first = if page == EUC_KR {
        0xb0..=0xc8
    } else if page == EUC_JP {
        0xb0..=0xcf
    } else {
        0xb0..=0xd7
    };
    match lead {
        0xa1..=0xa9 => (Place::Signs, 2),
        0xaa..=0xaf => (Place::Never, 2),
        _ if first.contains(&lead) => (Place::First, 2),
        0xf8.. if page == GB18030 => (Place::Never, 2),
        _ => (Place::Second, 2),
    }
}

/// What a character costs.
fn of(page: &'static Encoding, character: char, place: Place) -> u32 {
    if matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..) {
        return NEVER;
    }
    let japanese = page == SHIFT_JIS || page == EUC_JP;
    match (place, character) {
        (Place::Never, _) => NEVER,
        (Place::HalfWidth, _) => 85,
        (_, '、' | '。') if page != EUC_KR => 55,
        (_, '，') if !japanese && page != EUC_KR => 50,
        (_, '「' | '」' | '：' | '（' | '）') => 70,
        (
            _,
            '！' | '？' | '；' | '“' | '”' | '《' | '》' | '…' | '・' | '『' | '』' | '　' | '～' | '→' | '·',
        ) => 90,
        (_, 'ー') if japanese => 62,
        (_, 'ぁ'..='ん') if japanese => {
            if common::is_common_kana(character) {
                50
            } else {
                72
            }
        }
        (_, 'ァ'..='ヶ') if japanese => {
            if common::is_common_kana(character) {
                68
            } else {
                82
            }
        }
        (_, '\u{ff01}'..='\u{ff5e}') => 100,
        (
            Place::Signs,
            '─'..='▓'
            | '■'
            | '□'
            | '●'
            | '○'
            | '◎'
            | '★'
            | '☆'
            | '◆'
            | '※'
            | '①'..='⑳'
            | '×'
            | '℃'
            | '≪'
            | '≫',
        ) => 100,
        // Kana in Chinese and Korean, Greek and Cyrillic letters, odd signs.
        (Place::Signs, _) => 135,
        (place, _) => {
            let how = if japanese {
                common::kanji(character)
            } else if page == EUC_KR {
                common::hangul(character)
            } else {
                common::hanzi(character)
            };
            let base = match (place, how, page == EUC_KR) {
                (_, How::Most, _) => 78,
                (_, How::Common, _) => 100,
                (Place::First, How::Rare, true) => 128,
                (Place::First, How::Rare, false) => 145,
                (Place::Second, ..) => 190,
                _ => 210,
            };
            base + if place == Place::Added && how != How::Rare { 50 } else { 0 }
        }
    }
}
