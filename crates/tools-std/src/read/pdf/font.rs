//! Fonts: from the codes of a string to characters and how far each moves the pen.

use super::cmap::ToUnicode;
use super::dingbats;
use super::widths::{Widths, deref};
use lopdf::{Dictionary, Document, Object};
use std::collections::HashMap;

/// Bytes of a map that are read.
const MAX_MAP_BYTES: usize = 4 * 1024 * 1024;

/// Encodings of composite fonts that say their characters by themselves.
const KNOWN: &[(&[u8], Codes)] = &[
    (b"UniGB-", Codes::Utf16),
    (b"UniCNS-", Codes::Utf16),
    (b"UniJIS", Codes::Utf16),
    (b"UniKS-", Codes::Utf16),
    (b"GBK", Codes::Legacy(encoding_rs::GBK)),
    (b"GB-EUC", Codes::Legacy(encoding_rs::GBK)),
    (b"90ms-RKSJ", Codes::Legacy(encoding_rs::SHIFT_JIS)),
    (b"90msp-RKSJ", Codes::Legacy(encoding_rs::SHIFT_JIS)),
    (b"EUC-", Codes::Legacy(encoding_rs::EUC_JP)),
    (b"KSC", Codes::Legacy(encoding_rs::EUC_KR)),
    (b"ETen-B5", Codes::Legacy(encoding_rs::BIG5)),
    (b"B5pc", Codes::Legacy(encoding_rs::BIG5)),
];

/// How the bytes of a string are codes.
#[derive(Clone, Copy, Debug)]
enum Codes {
    /// One byte each, with these characters.
    OneByte,
    /// Two bytes each.
    TwoBytes,
    /// Two bytes each, which are characters.
    Utf16,
    /// One or two bytes, which are characters.
    Legacy(&'static encoding_rs::Encoding),
}

/// One code of a string.
#[derive(Debug)]
pub(super) struct Sign {
    /// Its characters; nothing when the font does not say.
    pub text: Option<String>,
    /// How far it moves the pen, in parts of the font's size.
    pub width: f32,
    /// Whether it is the blank of one byte, which word spacing is for.
    pub blank: bool,
}

/// A font.
#[derive(Debug)]
pub(super) struct Font {
    codes: Codes,
    map: Option<ToUnicode>,
    table: HashMap<u8, String>,
    widths: Widths,
}

impl Font {
    /// Reads a font.
    pub(super) fn read(document: &Document, font: &Dictionary) -> Self {
        let map = deref(document, font, b"ToUnicode")
            .and_then(|found| found.as_stream().ok())
            .and_then(|stream| stream.get_plain_content_with_limit(MAX_MAP_BYTES).ok())
            .map(|text| ToUnicode::parse(&text));
        let kind = font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        if kind == b"Type0" {
            let name =
                deref(document, font, b"Encoding").and_then(|found| found.as_name().ok()).unwrap_or_default();
            let known = KNOWN.iter().find(|(start, _)| name.starts_with(start)).map(|(_, codes)| *codes);
            let one_byte = map.as_ref().is_some_and(ToUnicode::is_one_byte) && !name.starts_with(b"Identity");
            let codes = known.unwrap_or(if one_byte { Codes::OneByte } else { Codes::TwoBytes });
            return Self { codes, map, table: HashMap::new(), widths: Widths::composite(document, font) };
        }
        let table = table(document, font, kind);
        Self { codes: Codes::OneByte, map, table, widths: Widths::simple(document, font) }
    }

    /// The codes of a string.
    pub(super) fn signs<'a>(&'a self, mut bytes: &'a [u8]) -> impl Iterator<Item = Sign> + 'a {
        std::iter::from_fn(move || {
            let (first, after) = bytes.split_first()?;
            let length = match self.codes {
                Codes::OneByte => 1,
                Codes::TwoBytes => 2,
                Codes::Utf16 if (0xd8..0xdc).contains(first) => 4,
                Codes::Utf16 => 2,
                Codes::Legacy(_) if *first < 0x80 => 1,
                Codes::Legacy(_) => 2,
            };
            let length = length.min(after.len() + 1);
            let (own, rest) = bytes.split_at(length);
            bytes = rest;
            Some(self.sign(own))
        })
    }

    fn sign(&self, bytes: &[u8]) -> Sign {
        let code = bytes.iter().fold(0u32, |code, byte| code << 8 | u32::from(*byte));
        let mapped = self.map.as_ref().and_then(|map| map.characters(bytes.len(), code));
        let text = match (mapped, self.codes) {
            (Some(text), _) => Some(text.to_owned()),
            (None, Codes::OneByte) => u8::try_from(code).ok().and_then(|code| self.table.get(&code).cloned()),
            (None, Codes::TwoBytes) => None,
            (None, Codes::Utf16) => {
                let units = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair));
                Some(
                    char::decode_utf16(units)
                        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                        .collect(),
                )
            }
            (None, Codes::Legacy(encoding)) => {
                Some(encoding.decode_without_bom_handling(bytes).0.into_owned())
            }
        };
        let width = self.widths.of(code, text.as_deref().unwrap_or("x"));
        Sign { text, width, blank: bytes == b" " }
    }
}

/// The characters of the codes of a font with one byte a code.
fn table(document: &Document, font: &Dictionary, kind: &[u8]) -> HashMap<u8, String> {
    let usual: &[u8] = if kind == b"TrueType" { b"WinAnsiEncoding" } else { b"StandardEncoding" };
    let encoding = deref(document, font, b"Encoding");
    let differences = encoding.and_then(|found| found.as_dict().ok());
    let base = match (encoding, differences) {
        (Some(Object::Name(name)), _) => name.as_slice(),
        (_, Some(dictionary)) => dictionary.get(b"BaseEncoding").and_then(Object::as_name).unwrap_or(usual),
        _ => usual,
    };
    let name = deref(document, font, b"BaseFont").and_then(|found| found.as_name().ok());
    // It keeps its own encoding whatever a document says.
    let is_dingbats = name.is_some_and(dingbats::is_it);
    let mut table = if is_dingbats { dingbats::table() } else { base_table(document, base) };
    if let Some(Object::Array(differences)) =
        differences.and_then(|found| deref(document, found, b"Differences"))
    {
        let mut code = 0u8;
        for difference in differences.iter().take(1_024) {
            match difference {
                Object::Integer(number) => code = u8::try_from(*number).unwrap_or(0),
                Object::Name(name) => {
                    let sign = is_dingbats.then(|| dingbats::named(name)).flatten().map(String::from);
                    match sign.or_else(|| character(document, name)) {
                        Some(character) => table.insert(code, character),
                        None => table.remove(&code),
                    };
                    code = code.wrapping_add(1);
                }
                _ => {}
            }
        }
    }
    table
}

/// One of the encodings that have a name.
fn base_table(document: &Document, name: &[u8]) -> HashMap<u8, String> {
    let name = match name {
        b"MacRomanEncoding" | b"MacExpertEncoding" | b"WinAnsiEncoding" => name,
        _ => b"StandardEncoding",
    };
    let mut font = Dictionary::new();
    font.set("Type", Object::Name(b"Font".to_vec()));
    font.set("Encoding", Object::Name(name.to_vec()));
    let Ok(encoding) = font.get_font_encoding(document) else { return HashMap::new() };
    let text = |code: u8| encoding.bytes_to_string(&[code]).ok().filter(|text| !text.is_empty());
    (0..=u8::MAX).filter_map(|code| text(code).map(|text| (code, text))).collect()
}

/// The character of a glyph by its name.
fn character(document: &Document, name: &[u8]) -> Option<String> {
    let name = name.split(|byte| *byte == b'.').next().filter(|name| !name.is_empty())?;
    let hex = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok().filter(|digits| (4..=6).contains(&digits.len()))?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(String::from)
    };
    let by_number = match name {
        [b'u', b'n', b'i', digits @ ..] => hex(digits.get(..4).unwrap_or_default()),
        [b'u', digits @ ..] => hex(digits),
        _ => None,
    };
    by_number.or_else(|| {
        // The library keeps its list of names to itself, but an encoding of one name tells.
        let mut encoding = Dictionary::new();
        encoding.set("Differences", Object::Array(vec![Object::Integer(0), Object::Name(name.to_vec())]));
        let mut font = Dictionary::new();
        font.set("Type", Object::Name(b"Font".to_vec()));
        font.set("Encoding", Object::Dictionary(encoding));
        match font.get_font_encoding(document) {
            Ok(encoding @ lopdf::Encoding::Differences(_)) => {
                encoding.bytes_to_string(&[0]).ok().filter(|text| !text.is_empty())
            }
            _ => None,
        }
    })
}
