//! UTF-8 with a few bytes that are none. Each of these is a private character, so that the rest reads as it
//! was meant and every byte is kept.

/// What is added to an invalid byte: no text has characters of this corner.
const BASE: u32 = 0x10_fe00;
/// Valid characters beyond ASCII that there must be for each byte that is invalid: other encodings hold few
/// by chance.
const VALID_FOR_EACH: usize = 2;
/// And where the letters are in several alphabets.
const VALID_BEYOND_DOUBT: usize = 16;

/// What invalid bytes are shown as.
pub(super) const SHOWN_AS: &str = "U+10FE80 to U+10FEFF (U+10FE00 + byte)";

/// Whether `bytes`, which are no UTF-8, are plainly meant to be: most characters are valid, and where there are few,
/// they are in one alphabet beside Latin. Two bytes of something else may be a letter of any.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    let mut alphabets = [0_usize; ALPHABETS];
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\0'..='\x7f' => {}
                // Control characters that nobody writes: two bytes of something else.
                '\u{80}'..='\u{9f}' => invalid += 2,
                _ if byte_of(character).is_some() => return false,
                _ => match alphabet(character).and_then(|alphabet| alphabets.get_mut(alphabet)) {
                    Some(count) => *count += 1,
                    None => valid += 1,
                },
            }
        }
        invalid += chunk.invalid().len();
    }
    let all = alphabets.iter().sum::<usize>();
    let others = all - alphabets.iter().copied().max().unwrap_or_default();
    let outweighs = |valid: usize, invalid: usize, times| valid > 0 && valid >= invalid.saturating_mul(times);
    outweighs(valid + all, invalid, VALID_BEYOND_DOUBT)
        || outweighs(valid + all - others, invalid + others, VALID_FOR_EACH)
}

const ALPHABETS: usize = 9;

/// The alphabet of a letter that has two bytes, but for those of Latin-1 and its neighbour.
fn alphabet(character: char) -> Option<usize> {
    match character {
        // Rare letters of Latin, phonetic letters and accents.
        '\u{180}'..='\u{36f}' => Some(0),
        'Ͱ'..='Ͽ' => Some(1),
        'Ѐ'..='ԯ' => Some(2),
        '\u{530}'..='\u{58f}' => Some(3),
        '\u{590}'..='\u{5ff}' => Some(4),
        // Arabic.
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Some(5),
        // Syriac, Thaana, N'Ko.
        '\u{700}'..='\u{74f}' => Some(6),
        '\u{780}'..='\u{7bf}' => Some(7),
        '\u{7c0}'..='\u{7ff}' => Some(8),
        _ => None,
    }
}

/// The text of `bytes`.
pub(super) fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(
            chunk.invalid().iter().map(|byte| char::from_u32(BASE + u32::from(*byte)).unwrap_or('\u{fffd}')),
        );
    }
    text
}

/// The bytes of `text`.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// How many invalid bytes `text` holds.
pub(super) fn count(text: &str) -> usize {
    text.chars().filter(|character| byte_of(*character).is_some()).count()
}

/// The invalid byte that a character stands for.
fn byte_of(character: char) -> Option<u8> {
    let byte = u32::from(character).checked_sub(BASE)?;
    u8::try_from(byte).ok().filter(|byte| !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::encoding::{self, Encoding};

    #[test]
    fn utf_8_with_a_few_stray_bytes_stays_utf_8() {
        let mut long = "log line é ok\n".repeat(20_000).into_bytes();
        long.extend(b"\xff\n");
        for bytes in [b"caf\xc3\xa9 \xc3\xbcn\xc3\xaf\nbad \xff\n".to_vec(), long] {
            let file = encoding::decode(bytes.clone()).unwrap();
            assert_eq!(file.encoding, Encoding::Utf8Damaged);
            assert!(file.text.contains('é') && file.text.ends_with("\u{10feff}\n"));
            assert_eq!(file.encode(&file.text).unwrap(), bytes);
            assert_eq!(encoding::recognise(&bytes).unwrap(), (Encoding::Utf8Damaged, 0));
            let told = format!("[encoding: UTF-8 with 1 invalid bytes, shown as {SHOWN_AS}]");
            assert_eq!(file.notice(), Some(told));
        }
        let marked = b"\xef\xbb\xbf\xc3\xa9\xc3\xa9\xff".to_vec();
        let file = encoding::decode(marked.clone()).unwrap();
        assert_eq!((file.text.as_str(), file.bom), ("éé\u{10feff}", true));
        assert_eq!(file.encode(&file.text).unwrap(), marked);
        assert_eq!(encoding::recognise(&marked).unwrap(), (Encoding::Utf8Damaged, 3));
    }

    #[test]
    fn what_is_not_plainly_utf_8_is_not_taken_for_it() {
        assert!(!is_plain(b"caf\xe9 na\xefve \xc3\xa9"));
        assert!(!is_plain(b"\xc2\x81\xc2\x82\xff"));
        // The file itself holds the characters that would stand for bytes.
        assert!(!is_plain("éééé\u{10fe80}\n".as_bytes()));
        for text in ["联通", "中文", "简体中文", "移动电话", "你好,世界"] {
            assert!(!is_plain(&encoding_rs::GB18030.encode(text).0), "{text}");
        }
        for text in ["これは日本語です", "テスト", "ﾃｽﾄ", "ｱｲｳｴｵ", "設定"] {
            assert!(!is_plain(&encoding_rs::SHIFT_JIS.encode(text).0), "{text}");
            assert!(!is_plain(&encoding_rs::EUC_JP.encode(text).0), "{text}");
        }
        // Letters of three alphabets and one invalid byte.
        assert!(!is_plain(&encoding_rs::BIG5.encode("檔案管理").0));
    }

    #[test]
    fn each_alphabet_may_have_a_stray_byte() {
        for text in [
            "ɪmˈɔːtəl",
            "Việt Nữ ơi",
            "λόγος é",
            "слово",
            "բառ",
            "מילה",
            "كلمة",
            "ܡܠܬܐ",
            "ދިވެހި",
            "ߒߞߏ",
            "日本語 é",
        ] {
            for stray in [&b"\xff"[..], b"\xe9 x"] {
                assert!(is_plain(&[text.as_bytes(), b" ", stray].concat()), "{text}");
            }
        }
    }
}
