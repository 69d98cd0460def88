//! What a file is by its first bytes, and whether it is text at all.

use std::path::Path;

/// Images that models take.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Image {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl Image {
    /// The kind of image by its first bytes.
    pub(crate) fn by_magic(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Some(Self::Png),
            _ if bytes.starts_with(b"\xff\xd8\xff") => Some(Self::Jpeg),
            _ if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") => Some(Self::Gif),
            _ => None,
        }
    }

    /// In words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Gif => "a GIF image",
            Self::WebP => "a WebP image",
        }
    }

    /// Its media type.
    #[cfg(feature = "images")]
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }
}

/// A PDF document, in words.
pub(crate) const PDF: &str = "a PDF document";
const PDF_MARK: &[u8] = b"%PDF-";
/// Bytes in which the mark of a PDF document is looked for, as readers do.
const PDF_HEAD: usize = 1024;

/// Where a PDF document begins in its file. Something else may stand before it: a mark of an encoding, a header of a
/// mail or of a printer. It counts when the file is named as a document or is no text: text may mention the mark.
pub(crate) fn pdf_start(bytes: &[u8], is_named_so: bool) -> Option<usize> {
    let head = bytes.get(..PDF_HEAD + PDF_MARK.len()).unwrap_or(bytes);
    let at = memchr::memmem::find(head, PDF_MARK)?;
    (at == 0 || is_named_so || memchr::memchr(0, bytes).is_some() || is_noise(bytes)).then_some(at)
}

/// Whether the name of `path` has this extension, letter case apart.
pub(crate) fn is_named(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

/// What whoever wants to change a file of this kind can do.
pub(crate) fn way_to_change(kind: &str) -> &'static str {
    if kind == PDF {
        "Read shows its pages. Change the document that it is made from and make it again, or change it with a program \
         for PDF documents in Bash, such as qpdf or a script with pypdf"
    } else if kind.ends_with("image") {
        "Read shows most images. Change it with a program for images in Bash, such as ImageMagick or a script with \
         Pillow, or make it again from what it was made from"
    } else if kind.contains("archive") {
        "Unpack it in Bash, change what is in it, and pack it again"
    } else if kind.ends_with("database") {
        "Change it with the program of the database in Bash, such as sqlite3"
    } else {
        "Change it with a program or script in Bash that knows its form, or make it again from what it was made from"
    }
}

/// First bytes of other files that are not text, longest and surest first.
const MAGIC: &[(&[u8], &str)] = &[
    (PDF_MARK, PDF),
    (b"\x7fELF", "an ELF program"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b\x08", "gzip data"),
    (b"BZh9", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x00\x00\x01\x00", "an ICO image"),
    (b"\x00asm", "a WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"OggS", "Ogg media"),
    (b"fLaC", "FLAC audio"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"wOF2", "a WOFF font"),
    (b"wOFF", "a WOFF font"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"!<arch>\n", "an ar archive"),
    (b"\x04\x22\x4d\x18", "lz4 data"),
    (b"\xff\x0a", "a JPEG XL image"),
    (b"8BPS\0", "a Photoshop image"),
    (b"\x1aE\xdf\xa3", "Matroska or WebM media"),
    (b"dex\n035\0", "an Android program"),
    (b"\0\x01\0\0\0", "a TrueType font"),
];

/// First bytes that text may begin with too: believed of what is known not to be text.
const WEAK_MAGIC: &[(&[u8], &str)] = &[
    (b"MZ", "a Windows program"),
    (b"BM", "a BMP image"),
    (b"OTTO", "an OpenType font"),
    (b"PAR1", "Parquet data"),
    (b"ID3", "MP3 audio"),
    (b"RIFF", "RIFF media"),
    (b"\0\0\0", "it begins with NUL bytes"),
];

/// The kind of a file whose first bytes are surely those of something else than text.
pub(crate) fn by_magic(bytes: &[u8]) -> Option<&'static str> {
    if let Some(image) = Image::by_magic(bytes) {
        return Some(image.name());
    }
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, kind)| *kind)
}

/// The kind of bytes that are known not to be text, because they hold NUL bytes.
pub(crate) fn of_binary(bytes: &[u8]) -> &'static str {
    if bytes.get(4..8) == Some(b"ftyp") {
        return match bytes.get(8..11) {
            Some(b"avi") => "an AVIF image",
            Some(b"hei" | b"mif") => "a HEIC image",
            _ => "MP4 media",
        };
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return "a tar archive";
    }
    let weak = WEAK_MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
    weak.map_or("it holds NUL bytes", |(_, kind)| kind)
}

/// Whether bytes that are no UTF-8 are no text in a single-byte encoding either: more than one byte
/// in thirty is a control character that texts do not have.
pub(crate) fn is_noise(bytes: &[u8]) -> bool {
    let control = bytes.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127)).count();
    control * 30 > bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_may_begin_later_but_text_may_mention_its_mark() {
        let junk = |count: usize, rest: &[u8]| [&b"x".repeat(count)[..], b"%PDF-1.7", rest].concat();
        for (bytes, named, expected) in [
            (junk(0, b""), false, Some(0)),
            (junk(9, b"\n"), true, Some(9)),
            (junk(1024, b"\n"), true, Some(1024)),
            (junk(1025, b"\n"), true, None),
            (junk(9, b" is how a document begins"), false, None),
            (junk(9, b"\n\0\x01"), false, Some(9)),
            (b"%PD".to_vec(), true, None),
        ] {
            assert_eq!(pdf_start(&bytes, named), expected, "{} {named}", bytes.len());
        }
        assert!(is_named(Path::new("a.PDF"), "pdf") && !is_named(Path::new("pdf"), "pdf"));
    }

    #[test]
    fn the_content_decides() {
        assert_eq!(by_magic(b"RIFF\x10\0\0\0WEBPVP8 "), Some("a WebP image"));
        assert_eq!(by_magic(b"\x89PNG\r\n\x1a\n...."), Some("a PNG image"));
        assert_eq!(by_magic(b"plain"), None);
        assert_eq!(of_binary(b"MZ\x90\0"), "a Windows program");
        assert_eq!(of_binary(b"\0\0\0\x1cftypavif"), "an AVIF image");
        assert_eq!(of_binary(b"text\0"), "it holds NUL bytes");
        assert!(is_noise(b"\x01\x02\x03\x90\x91"));
        assert!(!is_noise(b"na\xefve text in one byte a letter"));
    }
}
