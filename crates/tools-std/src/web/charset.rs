//! Bytes of a page as text: by byte order mark, by what the server says, by what the page says, else by
//! what they look like.

use crate::file::encoding::{self, damaged};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// How far a page may say its encoding.
const DECLARED_WITHIN: usize = 2048;
/// How much is looked at to find an encoding.
const LOOKED_AT: usize = 200_000;

/// Decodes `bytes`. `charset` is what the server says. Never fails: what is no text in its encoding is replaced.
pub(crate) fn decode(bytes: &[u8], charset: Option<&str>) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0.into_owned();
    }
    let encoding = charset
        .and_then(|charset| Encoding::for_label_no_replacement(charset.trim().as_bytes()))
        .or_else(|| declared(bytes))
        .unwrap_or_else(|| looks_like(bytes));
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// The `charset` of a content type.
pub(crate) fn charset_of(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// What a page says in `<meta charset=..>`, `<meta http-equiv .. content="..; charset=..">` or `<?xml encoding=..?>`.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARED_WITHIN).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let label = if head.trim_start().starts_with("<?xml") {
        let end = head.find("?>").unwrap_or(head.len());
        head.get(..end).and_then(|line| value_of(line, "encoding"))
    } else {
        head.match_indices("<meta").find_map(|(at, _)| {
            let tag = head.get(at..)?;
            let tag = tag.get(..tag.find('>').unwrap_or(tag.len()))?;
            value_of(tag, "charset").filter(|_| says_charset(tag))
        })
    };
    let encoding = Encoding::for_label_no_replacement(label?.as_bytes())?;
    // What could be read so far is no UTF-16.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// Whether `charset` in a tag of `<meta` is about the page: by itself, or in `content` of an `http-equiv`. It may also
/// stand in a description of what the page is about.
fn says_charset(tag: &str) -> bool {
    let before = tag.find("charset").and_then(|at| tag.get(..at)).unwrap_or(tag);
    let is_closed = |quote| before.matches(quote).count().is_multiple_of(2);
    tag.contains("http-equiv") || is_closed('"') && is_closed('\'')
}

/// The value behind `name=` in a tag.
fn value_of<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.match_indices(name).find_map(|(at, _)| {
        let rest = tag.get(at + name.len()..)?.trim_start().strip_prefix('=')?.trim_start();
        let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
        let end = rest.find(['"', '\'', ';', ' ', '/', '?', '\t', '\n']).unwrap_or(rest.len());
        rest.get(..end).filter(|value| !value.is_empty())
    })
}

fn looks_like(bytes: &[u8]) -> &'static Encoding {
    let sample = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let is_complete = sample.len() == bytes.len();
    // The only one that is all ASCII.
    if sample.contains(&0x1b) {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(sample, is_complete);
        let guess = detector.guess(None, Utf8Detection::Allow);
        if guess == ISO_2022_JP {
            return guess;
        }
    }
    let is_utf8 = match std::str::from_utf8(sample) {
        Ok(_) => true,
        // The sample may end within a character.
        Err(error) => error.error_len().is_none() && !is_complete,
    };
    if is_utf8 || damaged::is_plain(sample) { UTF_8 } else { encoding::legacy_page(sample, is_complete) }
}

/// Whether bytes of which nobody says what they are could be text.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    could_be_text(bytes, |odd, all| odd * 200 <= all)
}

/// Whether bytes could be the text that the server says they are: only NUL and much noise speak against it.
pub(crate) fn is_declared_text(bytes: &[u8]) -> bool {
    could_be_text(bytes, |odd, all| odd * 2 <= all + 2)
}

/// Whether bytes could be text; `is_little` judges how many of how many are odd.
fn could_be_text(bytes: &[u8], is_little: fn(usize, usize) -> bool) -> bool {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding != UTF_8 || !bytes.contains(&0);
    }
    let sample = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let odd = sample.iter().filter(|byte| matches!(byte, 0..=8 | 0xe..=0x1a | 0x1c..=0x1f | 0x7f)).count();
    !sample.contains(&0) && is_little(odd, sample.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_JP, GB18030, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use proptest::prelude::*;

    #[test]
    fn encodings_are_found() {
        let japanese = "日本語のページです。これは文字コードの自動判定の例です。ひらがなとカタカナ。";
        let russian = "Это страница на русском языке, и её кодировка нигде не указана.";
        let chinese = "这是一个中文网页，用来测试字符编码的自动检测，内容没有什么特别的意思。";
        let meta = |label: &str, text: &str| format!("<html><head><meta charset=\"{label}\"></head>{text}");
        let of = |encoding: &'static Encoding, text: &str| encoding.encode(text).0.into_owned();
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for (bytes, charset, expected) in [
            (b"caf\xc3\xa9".to_vec(), None, "café".to_owned()),
            (b"caf\xe9".to_vec(), Some("ISO-8859-1"), "café".to_owned()),
            (b"caf\xe9 au lait, d\xe9j\xe0 vu".to_vec(), None, "café au lait, déjà vu".to_owned()),
            (b"\xef\xbb\xbfcaf\xc3\xa9".to_vec(), Some("windows-1251"), "café".to_owned()),
            ([&b"\xff\xfe"[..], &utf16("aé")].concat(), Some("utf-8"), "aé".to_owned()),
            (utf16("aé"), Some("utf-16le"), "aé".to_owned()),
            (of(SHIFT_JIS, japanese), None, japanese.to_owned()),
            (of(EUC_JP, japanese), None, japanese.to_owned()),
            (of(ISO_2022_JP, japanese), None, japanese.to_owned()),
            (of(GB18030, chinese), None, chinese.to_owned()),
            (of(WINDOWS_1251, russian), None, russian.to_owned()),
            // A few letters between tags.
            (of(SHIFT_JIS, "<p>設定</p>"), None, "<p>設定</p>".to_owned()),
            (of(BIG5, "<h1>檔案管理</h1><p class=a>x"), None, "<h1>檔案管理</h1><p class=a>x".to_owned()),
            (of(WINDOWS_1251, "<b>Привет</b>"), None, "<b>Привет</b>".to_owned()),
            (of(WINDOWS_1252, "<b>Größe</b>"), None, "<b>Größe</b>".to_owned()),
            // UTF-8 with a fault in it.
            (b"<b>\xc3\xa9t\xc3\xa9</b>\xff".to_vec(), None, "<b>été</b>\u{fffd}".to_owned()),
            (of(SHIFT_JIS, &meta("shift_jis", "カ")), None, meta("shift_jis", "カ")),
            (of(WINDOWS_1252, &meta("utf-16", "a")), None, meta("utf-16", "a")),
            (
                of(WINDOWS_1251, "<?xml version='1.0' encoding='windows-1251'?><a>Ж</a>"),
                None,
                "<?xml version='1.0' encoding='windows-1251'?><a>Ж</a>".to_owned(),
            ),
            (
                of(WINDOWS_1251, "<META http-equiv=x content='text/html; charset=windows-1251'>Ж"),
                None,
                "<META http-equiv=x content='text/html; charset=windows-1251'>Ж".to_owned(),
            ),
            (b"a\xffb".to_vec(), Some("utf-8"), "a\u{fffd}b".to_owned()),
            (b"abc".to_vec(), Some("no-such-charset"), "abc".to_owned()),
            // A mark before the server, the server before the page.
            (
                [&b"\xef\xbb\xbf"[..], meta("koi8-r", "\u{436}").as_bytes()].concat(),
                None,
                meta("koi8-r", "ж"),
            ),
            ([&b"\xfe\xff"[..], b"\0a\0b\0"].concat(), Some("utf-8"), "ab\u{fffd}".to_owned()),
            (of(WINDOWS_1251, &meta("shift_jis", "Ж")), Some(" Windows-1251 "), meta("shift_jis", "Ж")),
            // What nobody knows, or nobody may use, says nothing.
            (of(WINDOWS_1251, &meta("windows-1251", "Ж")), Some("none"), meta("windows-1251", "Ж")),
            (of(WINDOWS_1251, &meta("windows-1251", "Ж")), Some("hz-gb-2312"), meta("windows-1251", "Ж")),
            (meta("iso-2022-kr", "ж").into_bytes(), Some(""), meta("iso-2022-kr", "ж")),
            (meta("no-such", "ж").into_bytes(), Some("\u{0}utf-8\u{ff}"), meta("no-such", "ж")),
            // A wrong one gives wrong letters, and no more.
            (b"a\xe9\0".to_vec(), Some("utf-16be"), "\u{61e9}\u{fffd}".to_owned()),
            (b"\xe9".to_vec(), Some("shift_jis"), "\u{fffd}".to_owned()),
            (
                "<meta name=description content='all about charset=koi8-r'><meta charset=utf-8>ж".into(),
                None,
                "<meta name=description content='all about charset=koi8-r'><meta charset=utf-8>ж".to_owned(),
            ),
            ("<meta charset=koi8-r".repeat(200).into_bytes(), None, "<meta charset=koi8-r".repeat(200)),
        ] {
            assert_eq!(decode(&bytes, charset), expected, "{charset:?} {bytes:?}");
        }
        assert_eq!(charset_of("text/html; a=b; Charset=\"UTF-8\""), Some("UTF-8"));
        for (content_type, expected) in [
            ("text/html", None),
            ("text/html; charset", None),
            ("text/html; charset=", Some("")),
            ("text/html; charset='koi8-r", Some("koi8-r")),
            ("text/html;charset = utf-8 ; charset=koi8-r", Some("utf-8")),
            ("; charset=\u{fffd}", Some("\u{fffd}")),
        ] {
            assert_eq!(charset_of(content_type), expected, "{content_type}");
        }
    }

    #[test]
    fn binary_is_no_text() {
        assert!(is_text(b"a\tb\r\n") && is_text(b"caf\xe9") && is_text(b"") && is_text(b"\xff\xfea\0"));
        for (bytes, declared, undeclared) in [
            (&b"\x08"[..], true, false),
            (b"ding\x07", true, false),
            (b"a\x1b[1mb", true, true),
            (b"\x01\x02\x03\x04\x05", false, false),
            (b"a\0b", false, false),
            (b"", true, true),
        ] {
            assert_eq!((is_declared_text(bytes), is_text(bytes)), (declared, undeclared), "{bytes:?}");
        }
        assert!(!is_text(b"a\0b") && !is_text(b"\x89PNG\r\n\x1a\n\x01\x02\x03\x04"));
    }

    proptest! {
        #[test]
        fn anything_is_decoded(bytes in proptest::collection::vec(any::<u8>(), 0..300), charset in proptest::option::of("[a-z0-9-]{0,12}")) {
            let text = decode(&bytes, charset.as_deref());
            prop_assert!(text.len() <= 4 * bytes.len() + 4);
        }

        #[test]
        fn utf_8_is_always_recognised(text in "\\PC{0,80}") {
            prop_assert_eq!(decode(text.as_bytes(), None), text.trim_start_matches('\u{feff}'));
        }
    }
}
