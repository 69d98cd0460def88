//! Text and its encoding. Decoding is strict and reversible: encoding the text again gives the same
//! bytes, so that an edit changes nothing but what it replaces.

mod code_page;
pub(crate) mod damaged;
mod latin1;
mod rank;
mod utf16;

use super::error::FileError;
use super::kind;
#[cfg(feature = "search")]
use std::borrow::Cow;

/// Encodings that we recognise.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Encoding {
    /// The usual.
    Utf8,
    /// UTF-8 but for a few bytes, each of which is a private character.
    Utf8Damaged,
    /// By its byte order mark, or because it can be nothing else.
    Utf16Le,
    /// By its byte order mark, or because it can be nothing else.
    Utf16Be,
    /// Latin-1 as it is met, which is Windows-1252. Each byte is a character, so what no other
    /// encoding gives back byte for byte is read like this too.
    Latin1,
    /// Another legacy encoding, such as GB18030 or Shift-JIS, by what its text looks like.
    CodePage(&'static encoding_rs::Encoding),
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
            Self::Utf8Damaged => "UTF-8 with invalid bytes",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Latin1 => "Latin-1 (Windows-1252)",
            Self::CodePage(page) => code_page::name(page),
        }
    }

    /// Bytes of a newline.
    pub(crate) fn newline(self) -> &'static [u8] {
        match self {
            Self::Utf16Le => b"\n\0",
            Self::Utf16Be => b"\0\n",
            Self::Utf8 | Self::Utf8Damaged | Self::Latin1 | Self::CodePage(_) => b"\n",
        }
    }

    /// What Read says of it; nothing of what is usual.
    pub(crate) fn notice(self) -> Option<String> {
        match self {
            Self::Utf8 => None,
            Self::Utf8Damaged => Some(format!("[encoding: {}, shown as {}]", self.name(), damaged::SHOWN_AS)),
            _ => Some(format!("[encoding: {}]", self.name())),
        }
    }

    /// A part of a text, for showing only: what is broken becomes U+FFFD.
    pub(crate) fn show(self, bytes: &[u8]) -> String {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Self::Utf8Damaged => damaged::decode(bytes),
            Self::Utf16Le => utf16::lossy(bytes, u16::from_le_bytes),
            Self::Utf16Be => utf16::lossy(bytes, u16::from_be_bytes),
            Self::Latin1 => latin1::decode(bytes),
            Self::CodePage(page) => page.decode_without_bom_handling(bytes).0.into_owned(),
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
    if let Some((encoding, mark)) = utf16::by_mark(&bytes) {
        let rest = bytes.get(mark.len()..).unwrap_or_default();
        return utf16::decode(rest, encoding, utf16::Mark::Present).map_err(binary);
    }
    if let Some(kind) = kind::by_magic(&bytes) {
        return Err(binary(kind));
    }
    if memchr::memchr(0, &bytes).is_some() {
        let text = utf16::without_mark(&bytes)
            .and_then(|encoding| utf16::decode(&bytes, encoding, utf16::Mark::Absent).ok());
        return text.ok_or_else(|| binary(kind::of_binary(&bytes)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(unicode(text, Encoding::Utf8)),
        Err(error) if kind::is_noise(error.as_bytes()) => Err(binary("of unknown kind")),
        Err(error) if damaged::is_plain(error.as_bytes()) => {
            Ok(unicode(damaged::decode(error.as_bytes()), Encoding::Utf8Damaged))
        }
        Err(error) => Ok(legacy(error.as_bytes())),
    }
}

/// The legacy encoding that a text is in which is neither UTF-8 nor UTF-16, for showing only; Windows-1252 where nothing
/// speaks for another.
#[cfg(feature = "web")]
pub(crate) fn legacy_page(sample: &[u8], is_complete: bool) -> &'static encoding_rs::Encoding {
    rank::best(sample, is_complete).unwrap_or(encoding_rs::WINDOWS_1252)
}

/// The encoding of a text of which only the beginning is known, and the length of its mark.
///
/// # Errors
/// When it is no text.
pub(crate) fn recognise(head: &[u8]) -> Result<(Encoding, usize), FileError> {
    let binary = |kind| FileError::Binary { kind, size: head.len() };
    if let Some((encoding, mark)) = utf16::by_mark(head) {
        return Ok((encoding, mark.len()));
    }
    if let Some(kind) = kind::by_magic(head) {
        return Err(binary(kind));
    }
    if let Some(first) = memchr::memchr(0, head) {
        // Text may run into a hole, which reads as NUL bytes.
        let (text, rest) = head.split_at(first);
        let hole = first > 0 && rest.iter().all(|byte| *byte == 0);
        let utf16 = utf16::without_mark(head.get(..head.len() & !1).unwrap_or_default());
        return match utf16 {
            Some(encoding) => Ok((encoding, 0)),
            None if hole => recognise(text),
            None => Err(binary(kind::of_binary(head))),
        };
    }
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    match std::str::from_utf8(head) {
        Ok(_) => Ok((Encoding::Utf8, mark)),
        // The end is cut within a character.
        Err(error) if error.error_len().is_none() => Ok((Encoding::Utf8, mark)),
        Err(_) if kind::is_noise(head) => Err(binary("of unknown kind")),
        Err(_) if damaged::is_plain(head) => Ok((Encoding::Utf8Damaged, mark)),
        Err(_) => Ok((code_page::guess(head).map_or(Encoding::Latin1, Encoding::CodePage), 0)),
    }
}

/// Text in UTF-8, which may begin with a mark.
fn unicode(mut text: String, encoding: Encoding) -> TextFile {
    let bom = text.starts_with('\u{feff}');
    if bom {
        text.drain(..3);
    }
    TextFile { text, encoding, bom }
}

/// Text that is no Unicode: in the code page that it looks like, if that gives back every byte.
fn legacy(bytes: &[u8]) -> TextFile {
    let found = code_page::guess(bytes).and_then(|page| {
        let text = code_page::decode(page, bytes)?;
        Some(TextFile { text, encoding: Encoding::CodePage(page), bom: false })
    });
    found.unwrap_or_else(|| TextFile { text: latin1::decode(bytes), encoding: Encoding::Latin1, bom: false })
}

impl TextFile {
    /// What Read says of its encoding; nothing of what is usual.
    pub(crate) fn notice(&self) -> Option<String> {
        if self.encoding != Encoding::Utf8Damaged {
            return self.encoding.notice();
        }
        let count = damaged::count(&self.text);
        Some(format!("[encoding: UTF-8 with {count} invalid bytes, shown as {}]", damaged::SHOWN_AS))
    }

    /// The bytes of `text` in this file's encoding, with its byte order mark.
    ///
    /// # Errors
    /// When the encoding has not every character of it.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u8>, FileError> {
        let mark = if self.bom { "\u{feff}" } else { "" };
        Ok(match self.encoding {
            Encoding::Utf8 => [mark.as_bytes(), text.as_bytes()].concat(),
            Encoding::Utf8Damaged => [mark.as_bytes(), &damaged::encode(text)].concat(),
            Encoding::Utf16Le => {
                mark.encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
            }
            Encoding::Utf16Be => {
                mark.encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
            }
            Encoding::Latin1 => {
                let lacks = |character| self.lacks(character);
                latin1::encode(text).map_err(lacks)?
            }
            Encoding::CodePage(page) => {
                code_page::encode(page, text).map_err(|character| self.lacks(character))?
            }
        })
    }

    fn lacks(&self, character: char) -> FileError {
        FileError::Unencodable { encoding: self.encoding.name(), character }
    }
}

#[cfg(feature = "search")]
/// One line of bytes as text, for showing: UTF-8 or else Latin-1.
pub(crate) fn lossless(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(latin1::decode(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A sentence in each encoding that is no Unicode.
    const SENTENCES: [(&str, &str); 8] = [
        ("GB18030", "天地玄黄,宇宙洪荒。日月盈昃,辰宿列张。寒来暑往,秋收冬藏。\n"),
        ("Shift_JIS", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n"),
        ("EUC-JP", "親譲りの無鉄砲で小供の時から損ばかりしている。小学校に居る時分。\n"),
        ("EUC-KR", "모든 국민은 인간으로서의 존엄과 가치를 가지며 행복을 추구할 권리를 가진다.\n"),
        ("Big5", "道可道非常道名可名非常名無名天地之始有名萬物之母故常無欲以觀其妙\n"),
        ("windows-1251", "Все счастливые семьи похожи друг на друга, каждая несчастлива по-своему.\n"),
        ("windows-1253", "Άνδρα μοι έννεπε Μούσα πολύτροπον ος μάλα πολλά πλάγχθη.\n"),
        ("windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Zażółć gęślą jaźń.\n"),
    ];

    #[test]
    fn encodings_are_recognised() {
        let of = |bytes: &[u8]| decode(bytes.to_vec()).map(|file| (file.text, file.encoding, file.bom)).ok();
        assert_eq!(of(b"a"), Some(("a".into(), Encoding::Utf8, false)));
        assert_eq!(of(b"\xef\xbb\xbfa"), Some(("a".into(), Encoding::Utf8, true)));
        assert_eq!(of(b"\xff\xfea\0"), Some(("a".into(), Encoding::Utf16Le, true)));
        assert_eq!(of(b"\xfe\xff\0a"), Some(("a".into(), Encoding::Utf16Be, true)));
        assert_eq!(of(b"caf\xe9 \x80"), Some(("café €".into(), Encoding::Latin1, false)));
        assert_eq!(
            of("Grüße aus Österreich".chars().map(|c| c as u8).collect::<Vec<_>>().as_slice()),
            Some(("Grüße aus Österreich".into(), Encoding::Latin1, false))
        );
        assert_eq!(of(b"a\0b"), None);
        assert_eq!(of(b"\xff\xfea"), None);
        assert_eq!(of(b"\xff\xfe\0\0a\0\0\0"), None);
    }

    #[test]
    fn utf_16_is_recognised_without_a_mark() {
        for text in [
            "name,value\r\nä,1\r\n",
            "第一行\r\n第二行, two\r\n",
            "x = 1;\n",
            "hi\n",
            "no line end",
            "Привет, мир.\n",
            "अगर दुनिया, hello\n",
            "こんにちは world, 世界。\n",
            "안녕하세요, hello 세계\n",
            "ok \u{1f44d} fine\n",
        ] {
            for (encoding, bytes) in [
                (Encoding::Utf16Le, text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()),
                (Encoding::Utf16Be, text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()),
            ] {
                let file = decode(bytes.clone()).unwrap();
                assert_eq!((file.text.as_str(), file.encoding, file.bom), (text, encoding, false));
                assert_eq!(file.encode(&file.text).unwrap(), bytes);
            }
        }
        for bytes in [
            &b"a\0"[..],
            b"a\0b\0",
            b"a\0b\0c\0",
            b"\x01\0\x02\0\x03\0\x04\0",
            b"abcd\0\0\0\0",
            b"a\0\0\0b\0\0\0c\0\0\0",
            b"a.txt\0b.txt\0",
            b"ab TOK\0cd\n",
            b"hello\0world\0",
            b"key\0value\n",
            b"sleep\x00100\0",
            b"A=1\0B=22\0C=3333\0",
            b"a\nb\nc\nd\0",
            "gr\u{f6}\u{df}e\0\u{fc}ber\0".as_bytes(),
            "\u{4e2d}\u{6587}.txt\0b\0".as_bytes(),
            b"f\xfcr\0Haus\0\xe4u\0",
        ] {
            // The beginning of a file may run into a hole; the whole file does not.
            let is_hole =
                bytes.ends_with(b"\0") && recognise(bytes).is_ok_and(|found| found.0 == Encoding::Utf8);
            assert!(decode(bytes.to_vec()).is_err(), "{bytes:?}");
            assert!(is_hole || recognise(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn code_pages_are_recognised_by_their_text() {
        for (name, sentence) in SENTENCES {
            let page = encoding_rs::Encoding::for_label(name.as_bytes()).unwrap();
            let (bytes, _, lossy) = page.encode(sentence);
            assert!(!lossy, "{name}");
            let file = decode(bytes.to_vec()).unwrap();
            assert_eq!((file.encoding.name(), file.text.as_str()), (name, sentence));
            assert_eq!(file.encode(sentence).unwrap(), &*bytes);
        }
    }

    #[test]
    fn what_a_code_page_would_not_give_back_is_read_byte_by_byte() {
        let (mut bytes, _, _) = encoding_rs::SHIFT_JIS.encode(SENTENCES[1].1);
        // Two codes for one sign: writing the text would change these bytes.
        bytes.to_mut().extend(b"\xed\x40\xfa\x5c\n");
        let file = decode(bytes.to_vec()).unwrap();
        assert_eq!(file.encoding, Encoding::Latin1);
        assert_eq!(file.encode(&file.text).unwrap(), &*bytes);
    }

    #[test]
    fn what_an_encoding_has_not_is_an_error() {
        let file = decode(b"caf\xe9".to_vec()).unwrap();
        assert!(matches!(file.encode("日"), Err(FileError::Unencodable { character: '日', .. })));
        assert_eq!(file.encode("é€").unwrap(), b"\xe9\x80");
        let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(SENTENCES[1].1);
        let file = decode(bytes.to_vec()).unwrap();
        assert!(matches!(file.encode("日é"), Err(FileError::Unencodable { character: 'é', .. })));
    }

    #[test]
    fn the_beginning_of_a_text_tells_its_encoding() {
        assert_eq!(recognise("日本".as_bytes().get(..4).unwrap()).unwrap(), (Encoding::Utf8, 0));
        assert_eq!(recognise(b"text\n\0\0\0").unwrap(), (Encoding::Utf8, 0));
        assert_eq!(recognise(b"\xef\xbb\xbftext").unwrap(), (Encoding::Utf8, 3));
        assert_eq!(recognise(b"\xff\xfea\0").unwrap(), (Encoding::Utf16Le, 2));
        assert!(recognise(b"\0\0\0\0").is_err());
        assert!(recognise(b"a\0b\x01").is_err());
        let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(SENTENCES[1].1);
        assert_eq!(recognise(&bytes).unwrap().0.name(), "Shift_JIS");
    }

    /// Pieces of the sentences in their encoding.
    fn legacy_bytes() -> impl Strategy<Value = Vec<u8>> {
        (0..SENTENCES.len(), proptest::collection::vec((0usize..30, 0usize..30), 0..12)).prop_map(
            |(which, cuts)| {
                let (name, sentence) = SENTENCES[which];
                let page = encoding_rs::Encoding::for_label(name.as_bytes()).unwrap();
                let text: String =
                    cuts.iter().flat_map(|(skip, take)| sentence.chars().skip(*skip).take(*take)).collect();
                page.encode(&text).0.into_owned()
            },
        )
    }

    proptest! {
        #[test]
        fn words_that_nul_bytes_part_are_no_text(
            words in proptest::collection::vec("[ -~\n]{1,9}|[a-zé日]{1,6}", 1..8), long in "[a-z]{2}", is_ended in any::<bool>(),
        ) {
            // One letter before each NUL byte is what UTF-16 is, so one word is longer.
            let text = format!("{long}\0{}{}", words.join("\0"), if is_ended { "\0" } else { "" });
            prop_assert!(decode(text.clone().into_bytes()).is_err(), "{text:?}");
        }

        #[test]
        fn decoding_then_encoding_gives_the_same_bytes(bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..60),
            proptest::collection::vec(0x20u8..=0xff, 0..60),
            ".{0,30}".prop_map(String::into_bytes),
            ".{0,20}".prop_map(|text| [&b"\xff\xfe"[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat()),
            ".{0,20}".prop_map(|text| [&b"\xfe\xff"[..], &text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()].concat()),
            "[ -~\n]{4,30}.{0,9}".prop_map(|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            "[ -~\n]{4,30}.{0,9}".prop_map(|text| text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            legacy_bytes(),
            ("[é日a\u{10fe80}]{0,9}", any::<u8>(), ".{0,9}").prop_map(|(a, b, c)| [a.as_bytes(), &[b], c.as_bytes()].concat()),
            (legacy_bytes(), proptest::collection::vec(any::<u8>(), 0..4)).prop_map(|(a, b)| [a, b].concat()),
        ]) {
            if let Ok(file) = decode(bytes.clone()) {
                prop_assert_eq!(file.encode(&file.text).unwrap(), bytes);
            }
        }

        #[test]
        fn an_edited_text_reads_back_as_it_was_written(bytes in legacy_bytes(), more in "[a-z ]{0,9}") {
            if let Ok(file) = decode(bytes) {
                let text = format!("{more}{}{more}", file.text);
                let again = Encoding::show(file.encoding, &file.encode(&text).unwrap());
                prop_assert_eq!(again, text);
            }
        }
    }
}
