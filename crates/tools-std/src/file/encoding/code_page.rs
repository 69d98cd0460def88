//! Legacy encodings with many bytes a character or another alphabet: guessed by what their text looks
//! like, and believed only when they give back every byte.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, Encoding, GB18030, GBK, UTF_8, WINDOWS_1252};

/// Bytes that the guess is made from at most, from the first one on that is not ASCII.
const SAMPLE_BYTES: usize = 1024 * 1024;
/// Bytes that are encoded at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Its name as people write it.
pub(super) fn name(page: &'static Encoding) -> &'static str {
    if page == GB18030 { "GB18030" } else { page.name() }
}

/// The encoding that `bytes`, which are no UTF-8, look like; nothing for Windows-1252, which is read
/// byte by byte.
pub(super) fn guess(bytes: &[u8]) -> Option<&'static Encoding> {
    let from = bytes.iter().position(|byte| !byte.is_ascii())?;
    // A letter or two before it may belong to the same word.
    let sample = bytes.get(from.saturating_sub(64)..)?;
    let sample = sample.get(..SAMPLE_BYTES).unwrap_or(sample);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() < SAMPLE_BYTES);
    match detector.guess(None, Utf8Detection::Deny) {
        // GB18030 holds all of GBK.
        page if page == GBK => Some(GB18030),
        page if page == WINDOWS_1252 || page == UTF_8 => None,
        page => Some(page),
    }
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
