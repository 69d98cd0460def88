//! How far the codes of a font move the pen, in parts of its size.

use super::matrix::number;
use lopdf::{Dictionary, Document, Object};
use std::collections::HashMap;

/// Widths that are read at most.
const MAX_ENTRIES: usize = 100_000;

/// The widths of a font.
#[derive(Debug)]
pub(super) struct Widths {
    known: HashMap<u32, f32>,
    /// For the others; without one the character says.
    missing: Option<f32>,
    monospace: bool,
}

impl Widths {
    /// The widths of a font whose codes have one byte.
    pub(super) fn simple(document: &Document, font: &Dictionary) -> Self {
        // The units of Type 3 fonts are their own, all others' are thousandths.
        let scale = match deref(document, font, b"FontMatrix") {
            Some(Object::Array(matrix)) => matrix.first().and_then(number).unwrap_or(0.001),
            _ => 0.001,
        };
        let first = font.get(b"FirstChar").ok().and_then(number).unwrap_or(0.0) as u32;
        let mut known = HashMap::new();
        if let Some(Object::Array(widths)) = deref(document, font, b"Widths") {
            for (code, width) in (first..).zip(widths.iter().take(256)) {
                known.extend(resolve(document, width).and_then(number).map(|width| (code, width * scale)));
            }
        }
        let descriptor = deref(document, font, b"FontDescriptor").and_then(|found| found.as_dict().ok());
        let missing = descriptor.and_then(|found| found.get(b"MissingWidth").ok()).and_then(number);
        let name = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
        Self {
            missing: missing.filter(|width| *width > 0.0 && !known.is_empty()).map(|width| width * scale),
            known,
            monospace: name.windows(7).any(|part| part.eq_ignore_ascii_case(b"courier")),
        }
    }

    /// The widths of a font whose codes have several bytes.
    pub(super) fn composite(document: &Document, font: &Dictionary) -> Self {
        let descendants = deref(document, font, b"DescendantFonts").and_then(|found| found.as_array().ok());
        let descendant = descendants.and_then(|all| all.first()).and_then(|first| resolve(document, first));
        let mut widths = Self { known: HashMap::new(), missing: Some(1.0), monospace: false };
        let Some(descendant) = descendant.and_then(|found| found.as_dict().ok()) else { return widths };
        widths.missing = Some(descendant.get(b"DW").ok().and_then(number).unwrap_or(1_000.0) / 1_000.0);
        if let Some(Object::Array(entries)) = deref(document, descendant, b"W") {
            widths.read(document, entries);
        }
        widths
    }

    /// Reads `first [width ..]` and `first last width`.
    fn read(&mut self, document: &Document, entries: &[Object]) {
        let mut entries = entries.iter().filter_map(|entry| resolve(document, entry));
        while let Some(first) = entries.next().and_then(number) {
            let first = first as u32;
            match entries.next() {
                Some(Object::Array(list)) => {
                    let widths = list.iter().filter_map(|width| resolve(document, width).and_then(number));
                    self.known.extend((first..).zip(widths.take(MAX_ENTRIES).map(|width| width / 1_000.0)));
                }
                Some(last) => {
                    let (Some(last), Some(width)) = (number(last), entries.next().and_then(number)) else {
                        return;
                    };
                    let codes = (first..=last as u32).take(0x1_0000);
                    self.known.extend(codes.map(|code| (code, width / 1_000.0)));
                }
                None => return,
            }
            if self.known.len() > MAX_ENTRIES {
                return;
            }
        }
    }

    /// How far `code`, which shows `text`, moves the pen.
    pub(super) fn of(&self, code: u32, text: &str) -> f32 {
        let width = self.known.get(&code).copied().or(self.missing);
        width.unwrap_or_else(|| if self.monospace { 0.6 } else { text.chars().map(usual).sum() })
    }
}

/// The width of a character in the usual fonts, which need not give theirs.
fn usual(character: char) -> f32 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' => 0.22,
        ' ' | 'f' | 't' | 'I' | '.' | ',' | ':' | ';' | '!' | '/' | '\\' | '[' | ']' => 0.28,
        'r' | '(' | ')' | '-' | '`' | '"' => 0.34,
        'm' | 'M' | 'W' | '%' | '@' => 0.86,
        'w' | 'C' | 'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | 'R' | 'U' => 0.73,
        'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' | '&' => 0.67,
        _ => 0.54,
    }
}

/// What `object` refers to.
pub(super) fn resolve<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Object> {
    document.dereference(object).ok().map(|(_, object)| object)
}

/// The entry of a dictionary, or what it refers to.
pub(super) fn deref<'a>(
    document: &'a Document,
    dictionary: &'a Dictionary,
    key: &[u8],
) -> Option<&'a Object> {
    dictionary.get(key).ok().and_then(|object| resolve(document, object))
}
