//! What a file is by its first bytes, and whether it is text at all.

/// First bytes of files that are not text, longest and surest first.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
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
];

/// The kind of a file whose first bytes are surely those of something else than text.
pub(crate) fn by_magic(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("a WebP image");
    }
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, kind)| *kind)
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
    fn the_content_decides() {
        assert_eq!(by_magic(b"RIFF\x10\0\0\0WEBPVP8 "), Some("a WebP image"));
        assert_eq!(by_magic(b"\x89PNG\r\n\x1a\n...."), Some("a PNG image"));
        assert_eq!(by_magic(b"plain"), None);
        assert!(is_noise(b"\x01\x02\x03\x90\x91"));
        assert!(!is_noise(b"na\xefve text in one byte a letter"));
    }
}
