//! UTF-16, with its byte order mark and without.

use super::{Encoding, TextFile};

/// Bytes that are looked at to recognise it without a mark.
const SAMPLE_BYTES: usize = 64 * 1024;
/// Fewer units are too few to recognise it without a mark.
const FEWEST_UNITS: usize = 4;

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

/// The byte order of bytes that hold NUL bytes and have no mark, when they are plainly UTF-16: pairs
/// without a NUL character, control characters or lone surrogates, at least one in eight ASCII.
pub(super) fn without_mark(bytes: &[u8]) -> Option<Encoding> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let pairs = pairs.get(..SAMPLE_BYTES / 2).unwrap_or(pairs);
    if !rest.is_empty() || pairs.len() < FEWEST_UNITS {
        return None;
    }
    let ascii = |unit: fn([u8; 2]) -> u16| {
        let mut count = 0;
        for pair in pairs {
            match unit(*pair) {
                0x09 | 0x0a | 0x0d | 0x20..=0x7e => count += 1,
                0x00..=0x1f | 0x7f | 0xe000..=0xf8ff | 0xfffe | 0xffff => return None,
                _ => {}
            }
        }
        (count * 8 >= pairs.len()).then_some(count)
    };
    match (ascii(u16::from_le_bytes), ascii(u16::from_be_bytes)) {
        (Some(little), big) if big.is_none_or(|big| little > big) => Some(Encoding::Utf16Le),
        (little, Some(big)) if little.is_none_or(|little| big > little) => Some(Encoding::Utf16Be),
        _ => None,
    }
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
