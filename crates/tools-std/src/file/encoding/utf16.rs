//! UTF-16, with its byte order mark and without.

use super::{Encoding, TextFile};

/// Bytes that are looked at to recognise it without a mark.
const SAMPLE_BYTES: usize = 64 * 1024;
/// Fewer units are too few to recognise it without a mark.
const FEWEST_UNITS: usize = 4;
/// So few are enough where one of them ends a line.
const FEWEST_UNITS_OF_A_LINE: usize = 3;
/// Of so many units one may be of a rare block.
const UNITS_FOR_A_RARE_ONE: usize = 20;

/// Whether the file begins with a byte order mark.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mark {
    Present,
    Absent,
}

/// The byte order that the mark says.
pub(super) fn by_mark(bytes: &[u8]) -> Option<(Encoding, &'static [u8])> {
    match bytes {
        [0xff, 0xfe, ..] => Some((Encoding::Utf16Le, b"\xff\xfe")),
        [0xfe, 0xff, ..] => Some((Encoding::Utf16Be, b"\xfe\xff")),
        _ => None,
    }
}

/// The byte order of bytes that hold NUL bytes and have no mark, when they are plainly UTF-16. Texts of one byte a letter
/// that NUL bytes part, such as lists of names, look like UTF-16 too when they are even: pairs of their letters are Chinese
/// signs. So at least one unit in eight is ASCII; the others are of blocks that are met, and at most half of them are
/// what two ASCII letters would be; and what is valid as UTF-8 with NUL bytes has nothing but ASCII.
pub(super) fn without_mark(bytes: &[u8]) -> Option<Encoding> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let pairs = pairs.get(..SAMPLE_BYTES / 2).unwrap_or(pairs);
    let could_be_names = is_utf8_with_nul(pairs.as_flattened());
    let ascii = |unit: fn([u8; 2]) -> u16| {
        let counts = Counts::of(pairs.iter().map(|pair| unit(*pair)))?;
        let fewest = if counts.line_ends > 0 { FEWEST_UNITS_OF_A_LINE } else { FEWEST_UNITS };
        let fits = pairs.len() >= fewest
            && counts.ascii * 8 >= pairs.len()
            && counts.rare * UNITS_FOR_A_RARE_ONE <= pairs.len()
            && counts.like_two_letters * 2 <= pairs.len() - counts.ascii
            && (counts.ascii == pairs.len() || !could_be_names);
        fits.then_some(counts.ascii)
    };
    match (ascii(u16::from_le_bytes), ascii(u16::from_be_bytes)) {
        (Some(little), big) if big.is_none_or(|big| little > big) => Some(Encoding::Utf16Le),
        (little, Some(big)) if little.is_none_or(|little| big > little) => Some(Encoding::Utf16Be),
        _ => None,
    }
}

/// What the units of a text are.
#[derive(Default)]
struct Counts {
    ascii: usize,
    line_ends: usize,
    /// Those of blocks that texts seldom have.
    rare: usize,
    /// Those whose two bytes are ASCII letters.
    like_two_letters: usize,
}

impl Counts {
    /// Nothing of what is no text.
    fn of(units: impl Iterator<Item = u16>) -> Option<Self> {
        let mut counts = Self::default();
        for unit in units {
            match unit {
                0x0a => (counts.ascii, counts.line_ends) = (counts.ascii + 1, counts.line_ends + 1),
                0x09 | 0x0d | 0x20..=0x7e => counts.ascii += 1,
                0x00..=0x1f | 0x7f..=0x9f | 0xe000..=0xf8ff | 0xfffe | 0xffff => return None,
                _ => {
                    let [high, low] = unit.to_be_bytes();
                    let is_letter = |byte: u8| matches!(byte, b' '..=b'~');
                    let is_blank = matches!(low, b'\t' | b'\n' | b'\r');
                    let is_hiragana = matches!(unit, 0x3041..=0x3096);
                    let is_like = is_letter(high) && (is_letter(low) || is_blank) && !is_hiragana;
                    counts.like_two_letters += usize::from(is_like);
                    counts.rare += usize::from(!is_common(unit));
                }
            }
        }
        Some(counts)
    }
}

/// Whether a unit is of a block that texts are written in: alphabets, marks, kana, Chinese signs, Hangul, emoji.
fn is_common(unit: u16) -> bool {
    matches!(
        unit,
        0xa0..=0x52f
            | 0x531..=0x6ff
            | 0x900..=0x10ff
            | 0x1e00..=0x27bf
            | 0x3000..=0x30ff
            | 0x4e00..=0x9fff
            | 0xac00..=0xd7a3
            | 0xd83c..=0xd87f
            | 0xdc00..=0xdfff
            | 0xfe0f
            | 0xfeff
            | 0xff00..=0xffee
    )
}

/// Whether bytes are UTF-8 with NUL bytes and without other control characters. The end may be cut.
fn is_utf8_with_nul(bytes: &[u8]) -> bool {
    let is_valid = std::str::from_utf8(bytes).err().is_none_or(|error| error.error_len().is_none());
    is_valid && !bytes.iter().any(|byte| matches!(byte, 1..=8 | 11 | 12 | 14..=31 | 127))
}

/// The text of the bytes after the mark.
///
/// # Errors
/// What they are instead.
pub(super) fn decode(bytes: &[u8], encoding: Encoding, mark: Mark) -> Result<TextFile, &'static str> {
    let unit: fn([u8; 2]) -> u16 =
        if encoding == Encoding::Utf16Be { u16::from_be_bytes } else { u16::from_le_bytes };
    let (pairs, rest) = bytes.as_chunks::<2>();
    if pairs.contains(&[0, 0]) {
        return Err("UTF-32, or UTF-16 with NUL characters");
    }
    let text = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<String, _>>();
    match text {
        Ok(text) if rest.is_empty() => Ok(TextFile { text, encoding, bom: mark == Mark::Present }),
        _ => Err("broken UTF-16"),
    }
}

/// The text of a part, for showing.
pub(super) fn lossy(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
