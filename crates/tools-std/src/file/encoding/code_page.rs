//! Legacy encodings with many bytes a character or another alphabet: told by what their text looks like,
//! and believed only when they give back every byte.

use super::rank;
use encoding_rs::{DecoderResult, EncoderResult, Encoding, GB18030};

/// Bytes at the beginning of a file that tell its encoding. Whoever has at least these comes to the same
/// answer, however much of the file it reads.
const HEAD_BYTES: usize = 256 * 1024;
/// Bytes that are looked at, when the first one that is not ASCII comes later than that.
const LATE_BYTES: usize = 64 * 1024;
/// Bytes that are encoded at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Bytes that a character has at most.
const CHARACTER_BYTES: usize = 4;

/// Its name as people write it.
pub(super) fn name(page: &'static Encoding) -> &'static str {
    if page == GB18030 { "GB18030" } else { page.name() }
}

/// The encoding that `bytes`, which are no UTF-8, look like; nothing for Windows-1252, which is read
/// byte by byte, and for what would not be given back.
pub(super) fn guess(bytes: &[u8]) -> Option<&'static Encoding> {
    let from = bytes.iter().position(|byte| !byte.is_ascii())?;
    let until = if from < HEAD_BYTES { HEAD_BYTES } else { from + LATE_BYTES };
    // Nobody knows what comes behind, even if nothing does.
    let complete = bytes.len() < until;
    // A word or two before it may belong to it.
    let sample = bytes.get(from.saturating_sub(64)..until.min(bytes.len()))?;
    rank::best(sample, complete).filter(|page| gives_back(page, sample))
}

/// Whether `bytes` are characters of an encoding; the last one may be cut if they are not complete.
pub(super) fn is_valid(page: &'static Encoding, bytes: &[u8], complete: bool) -> bool {
    let mut decoder = page.new_decoder_without_bom_handling();
    let (mut rest, mut chunk) = (bytes, vec![0; CHUNK_BYTES]);
    loop {
        let (result, read, _) = decoder.decode_to_utf8_without_replacement(rest, &mut chunk, complete);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            DecoderResult::InputEmpty => return true,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => return false,
        }
    }
}

/// The text of `bytes`, of which the last character may be cut; nothing when they are no characters.
pub(super) fn decode_beginning(page: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let mut decoder = page.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(decoder.max_utf8_buffer_length_without_replacement(bytes.len())?);
    let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, false);
    (result == DecoderResult::InputEmpty).then_some(text)
}

/// Whether encoding the text of `bytes` gives them back, but for a last character that is cut.
fn gives_back(page: &'static Encoding, bytes: &[u8]) -> bool {
    let again = decode_beginning(page, bytes).and_then(|text| encode(page, &text).ok());
    again.is_some_and(|again| bytes.starts_with(&again) && bytes.len() - again.len() < CHARACTER_BYTES)
}

/// The text of `bytes`, when encoding it gives them back.
pub(super) fn decode(page: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let text = page.decode_without_bom_handling_and_without_replacement(bytes)?.into_owned();
    (encode(page, &text).ok()? == bytes).then_some(text)
}

/// The bytes of `text`, or the first character that has none.
pub(super) fn encode(page: &'static Encoding, text: &str) -> Result<Vec<u8>, char> {
    let mut encoder = page.new_encoder();
    let (mut bytes, mut chunk, mut rest) = (Vec::with_capacity(text.len()), vec![0; CHUNK_BYTES], text);
    loop {
        let (result, read, written) = encoder.encode_from_utf8_without_replacement(rest, &mut chunk, true);
        bytes.extend_from_slice(chunk.get(..written).unwrap_or_default());
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Ok(bytes),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => return Err(character),
        }
    }
}
