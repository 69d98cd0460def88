//! The signs of the font ZapfDingbats: it has an encoding of its own, and names that are numbers (`a73`).

use std::collections::HashMap;

/// Numbers of the names from code 0x21 on.
#[rustfmt::skip]
const LOWER: [u8; 94] = [
    1, 2, 202, 3, 4, 5, 119, 118, 117, 11, 12, 13, 14, 15, 16, 105, 17, 18, 19, 20, 21, 22, 23, 24,
    25, 26, 27, 28, 6, 7, 8, 9, 10, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67,
    68, 69, 70, 71, 72, 73, 74, 203, 75, 204, 76, 77, 78, 79, 81, 82, 83, 84, 97, 98, 99, 100,
];
/// Numbers of the names from code 0xa1 on; 0 is none.
#[rustfmt::skip]
const UPPER: [u8; 94] = [
    101, 102, 103, 104, 106, 107, 108, 112, 111, 110, 109, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132,
    133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156,
    157, 158, 159, 160, 161, 163, 164, 196, 165, 192, 166, 167, 168, 169, 170, 171, 172, 173, 162, 174, 175, 176, 177, 178,
    179, 193, 180, 199, 181, 200, 182, 0, 201, 183, 184, 197, 185, 194, 198, 186, 195, 187, 188, 189, 190, 191,
];

/// Whether the font that is called `name` is this one. In front of it may stand the six letters of a part of a font.
pub(super) fn is_it(name: &[u8]) -> bool {
    let own = match name.get(6) {
        Some(b'+') => name.get(7..).unwrap_or_default(),
        _ => name,
    };
    own == b"ZapfDingbats" || own == b"ITCZapfDingbats" || own.starts_with(b"ZapfDingbatsITC")
}

/// The character of each code.
pub(super) fn table() -> HashMap<u8, String> {
    (0x20..=0xfe).filter_map(|code| character(code).map(|character| (code, character.to_string()))).collect()
}

/// The character of a name.
pub(super) fn named(name: &[u8]) -> Option<char> {
    let number: u8 = std::str::from_utf8(name.strip_prefix(b"a")?).ok()?.parse().ok().filter(|n| *n > 0)?;
    let place = |table: &[u8; 94], first: u8| {
        let at = table.iter().position(|own| *own == number)?;
        u8::try_from(at).ok().map(|at| first + at)
    };
    character(place(&LOWER, 0x21).or_else(|| place(&UPPER, 0xa1))?)
}

/// Unicode has the signs in the order of the codes, but for those that it had before.
fn character(code: u8) -> Option<char> {
    let own = u32::from(code);
    let place = match code {
        0x20 => 0x20,
        0x25 => 0x260e,
        0x2a => 0x261b,
        0x2b => 0x261e,
        0x48 => 0x2605,
        0x6c => 0x25cf,
        0x6e => 0x25a0,
        0x73 => 0x25b2,
        0x74 => 0x25bc,
        0x75 => 0x25c6,
        0x77 => 0x25d7,
        0x21..=0x7e => 0x2701 + (own - 0x21),
        0x80..=0x8d => 0x2768 + (own - 0x80),
        0xa8 => 0x2663,
        0xa9 => 0x2666,
        0xaa => 0x2665,
        0xab => 0x2660,
        0xac..=0xb5 => 0x2460 + (own - 0xac),
        0xd5 => 0x2192,
        0xd6 => 0x2194,
        0xd7 => 0x2195,
        0xa1..=0xef | 0xf1..=0xfe => 0x2761 + (own - 0xa1),
        _ => return None,
    };
    char::from_u32(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_signs() {
        for (name, code, sign) in [
            ("a1", 0x21, '\u{2701}'),
            ("a4", 0x25, '\u{260e}'),
            ("a20", 0x34, '\u{2714}'),
            ("a35", 0x48, '\u{2605}'),
            ("a71", 0x6c, '\u{25cf}'),
            ("a73", 0x6e, '\u{25a0}'),
            ("a100", 0x7e, '\u{275e}'),
            ("a110", 0xaa, '\u{2665}'),
            ("a120", 0xac, '\u{2460}'),
            ("a161", 0xd5, '\u{2192}'),
            ("a182", 0xef, '\u{27af}'),
            ("a191", 0xfe, '\u{27be}'),
        ] {
            assert_eq!((named(name.as_bytes()), character(code)), (Some(sign), Some(sign)), "{name}");
        }
        for none in ["a", "a0", "a999", "b1", "a-1", "space"] {
            assert_eq!(named(none.as_bytes()), None, "{none}");
        }
        assert!(is_it(b"ABCDEF+ZapfDingbats") && is_it(b"ZapfDingbats") && !is_it(b"Zapf"));
        // No sign stands twice.
        let signs: std::collections::HashSet<_> = table().into_values().collect();
        assert_eq!(signs.len(), table().len());
    }
}
