//! Files that are not in UTF-8: how they are told, and what the engine calls them. UTF-16 with a mark the engine
//! sees itself.

use crate::file::encoding::{self, Encoding, damaged, lossless};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// Bytes by which a file is recognised.
const HEAD_BYTES: u64 = 256 * 1024;

/// The encoding of a file by its first bytes; nothing when it is no text. Where the file stands does not change.
pub(super) fn encoding_of(mut file: &File) -> Option<Encoding> {
    let mut head = || -> io::Result<Vec<u8>> {
        let before = file.stream_position()?;
        file.seek(SeekFrom::Start(0))?;
        let mut head = Vec::new();
        file.take(HEAD_BYTES).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(before))?;
        Ok(head)
    };
    encoding::recognise(&head().ok()?).ok().map(|(encoding, _)| encoding)
}

/// The engine's name of an encoding that it must be told.
pub(super) fn label(encoding: Encoding) -> Option<&'static str> {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Damaged => None,
        Encoding::Utf16Le => Some("utf-16le"),
        Encoding::Utf16Be => Some("utf-16be"),
        Encoding::Latin1 => Some("windows-1252"),
        Encoding::CodePage(page) => Some(page.name()),
    }
}

/// Whether a pattern could match letters beyond ASCII that it names, so that the encoding of a file decides.
pub(super) fn names_letters_beyond_ascii(pattern: &str) -> bool {
    !pattern.is_ascii() || ["\\u", "\\U", "\\x", "\\p", "\\P"].iter().any(|escape| pattern.contains(escape))
}

/// A line for showing, in the encoding that its file looks like: what is UTF-8 by chance is not taken for it.
pub(super) fn shown(line: &[u8], encoding: impl FnOnce() -> Option<Encoding>) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) if text.is_ascii() => Cow::Borrowed(text),
        text => match (encoding(), text) {
            (Some(Encoding::CodePage(page)), _) => Cow::Owned(Encoding::CodePage(page).show(line)),
            (Some(Encoding::Utf8 | Encoding::Utf8Damaged) | None, Ok(text)) => Cow::Borrowed(text),
            (Some(Encoding::Utf8Damaged), Err(_)) => Cow::Owned(Encoding::Utf8Damaged.show(line)),
            // The damage lies after what the file is recognised by.
            (Some(Encoding::Utf8), Err(_)) if damaged::is_plain(line) => {
                Cow::Owned(Encoding::Utf8Damaged.show(line))
            }
            (Some(Encoding::Latin1), _) | (_, Err(_)) => lossless(line),
            // The engine gives UTF-16 as UTF-8.
            (Some(Encoding::Utf16Le | Encoding::Utf16Be), Ok(text)) => Cow::Borrowed(text),
        },
    }
}
