//! Latin-1 as it is met: Windows-1252, where a byte that it does not define is the control character,
//! so that each byte is one character and back.

/// Windows-1252 from 0x80 to 0x9F.
const UPPER: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The characters of `bytes`.
pub(super) fn decode(bytes: &[u8]) -> String {
    let character = |byte: u8| match byte {
        0x80..=0x9f => UPPER.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{fffd}'),
        _ => char::from(byte),
    };
    bytes.iter().map(|&byte| character(byte)).collect()
}

/// The bytes of `text`, or the first character that has none.
pub(super) fn encode(text: &str) -> Result<Vec<u8>, char> {
    let byte = |character: char| {
        if let Some(at) = UPPER.iter().position(|upper| *upper == character) {
            return Ok(0x80 + at as u8);
        }
        match u8::try_from(u32::from(character)) {
            Ok(byte) if !(0x80..=0x9f).contains(&byte) => Ok(byte),
            _ => Err(character),
        }
    };
    text.chars()
        .map(|character| if character.is_ascii() { Ok(character as u8) } else { byte(character) })
        .collect()
}
