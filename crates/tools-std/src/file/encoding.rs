//! Text and its encoding. Decoding is strict and reversible: encoding the text again gives the same
//! bytes, so that an edit changes nothing but what it replaces.

use super::error::FileError;
use super::kind;
#[cfg(feature = "search")]
use std::borrow::Cow;

/// Encodings that we recognise.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Encoding {
    /// The usual.
    Utf8,
    /// By its byte order mark.
    Utf16Le,
    /// By its byte order mark.
    Utf16Be,
    /// Whatever is not UTF-8: Latin-1 as it is met, which is Windows-1252. Each byte is a character,
    /// so files in other code pages survive too.
    Latin1,
}

/// A file's text, without its byte order mark.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct TextFile {
    /// The text.
    pub text: String,
    /// How it is stored.
    pub encoding: Encoding,
    /// Whether it begins with a byte order mark.
    pub bom: bool,
}

impl Encoding {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Latin1 => "Latin-1 (Windows-1252)",
        }
    }
}

/// Finds the encoding of `bytes` and decodes them.
///
/// # Errors
/// When they are no text, with what they are instead.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<TextFile, FileError> {
    let size = bytes.len();
    let binary = |kind| FileError::Binary { kind, size };
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes, Encoding::Utf16Le).ok_or(binary("broken UTF-16"));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes, Encoding::Utf16Be).ok_or(binary("broken UTF-16"));
    }
    if let Some(kind) = kind::by_magic(&bytes) {
        return Err(binary(kind));
    }
    if memchr::memchr(0, &bytes).is_some() {
        return Err(binary("it holds NUL bytes"));
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            let bom = text.starts_with('\u{feff}');
            if bom {
                text.drain(..3);
            }
            Ok(TextFile { text, encoding: Encoding::Utf8, bom })
        }
        Err(error) if kind::is_noise(error.as_bytes()) => Err(binary("of unknown kind")),
        Err(error) => {
            let text = error.as_bytes().iter().map(|&byte| latin1_char(byte)).collect();
            Ok(TextFile { text, encoding: Encoding::Latin1, bom: false })
        }
    }
}

impl TextFile {
    /// The bytes of `text` in this file's encoding, with its byte order mark.
    ///
    /// # Errors
    /// When the encoding has not every character of it.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u8>, FileError> {
        let mark = if self.bom { "\u{feff}" } else { "" };
        Ok(match self.encoding {
            Encoding::Utf8 => [mark.as_bytes(), text.as_bytes()].concat(),
            Encoding::Utf16Le => {
                mark.encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
            }
            Encoding::Utf16Be => {
                mark.encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
            }
            Encoding::Latin1 => latin1_bytes(text)?,
        })
    }
}

#[cfg(feature = "search")]
/// One line of bytes as text, for showing: UTF-8 or else Latin-1.
pub(crate) fn lossless(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| latin1_char(byte)).collect()),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, encoding: Encoding) -> Option<TextFile> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let text =
        char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<String, _>>().ok()?;
    Some(TextFile { text, encoding, bom: true })
}

/// Windows-1252 from 0x80 to 0x9F; a byte that it does not define is the control character.
const UPPER: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn latin1_char(byte: u8) -> char {
    match byte {
        0x80..=0x9f => UPPER.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{fffd}'),
        _ => char::from(byte),
    }
}

fn latin1_bytes(text: &str) -> Result<Vec<u8>, FileError> {
    let byte = |character: char| {
        if let Some(at) = UPPER.iter().position(|upper| *upper == character) {
            return Ok(0x80 + at as u8);
        }
        match u8::try_from(u32::from(character)) {
            Ok(byte) if !(0x80..=0x9f).contains(&byte) => Ok(byte),
            _ => Err(FileError::Unencodable { encoding: Encoding::Latin1.name(), character }),
        }
    };
    text.chars()
        .map(|character| if character.is_ascii() { Ok(character as u8) } else { byte(character) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn encodings_are_recognised() {
        let of = |bytes: &[u8]| decode(bytes.to_vec()).map(|file| (file.text, file.encoding, file.bom)).ok();
        assert_eq!(of(b"a"), Some(("a".into(), Encoding::Utf8, false)));
        assert_eq!(of(b"\xef\xbb\xbfa"), Some(("a".into(), Encoding::Utf8, true)));
        assert_eq!(of(b"\xff\xfea\0"), Some(("a".into(), Encoding::Utf16Le, true)));
        assert_eq!(of(b"\xfe\xff\0a"), Some(("a".into(), Encoding::Utf16Be, true)));
        assert_eq!(of(b"caf\xe9 \x80"), Some(("café €".into(), Encoding::Latin1, false)));
        assert_eq!(of(b"a\0b"), None);
        assert_eq!(of(b"\xff\xfea"), None);
    }

    #[test]
    fn what_an_encoding_has_not_is_an_error() {
        let file = decode(b"caf\xe9".to_vec()).unwrap();
        assert!(matches!(file.encode("日"), Err(FileError::Unencodable { character: '日', .. })));
        assert_eq!(file.encode("é€").unwrap(), b"\xe9\x80");
    }

    proptest! {
        #[test]
        fn decoding_then_encoding_gives_the_same_bytes(bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..60),
            proptest::collection::vec(0x20u8..=0xff, 0..60),
            ".{0,30}".prop_map(String::into_bytes),
            ".{0,20}".prop_map(|text| [&b"\xff\xfe"[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat()),
        ]) {
            if let Ok(file) = decode(bytes.clone()) {
                prop_assert_eq!(file.encode(&file.text).unwrap(), bytes);
            }
        }
    }
}
