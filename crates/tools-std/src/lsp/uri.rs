//! File URIs and paths.

use std::path::{Path, PathBuf};

/// The URI of an absolute path.
pub(super) fn of(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in bytes_of(path) {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~') {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// The path of a file URI without a host; `None` for anything else.
pub(super) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut all = rest.split(['?', '#']).next()?.bytes();
    while let Some(byte) = all.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(all.next())?, digit(all.next())?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let path = path_of(bytes)?;
    (path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&0)).then_some(path)
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Vec<u8> {
    format!("/{}", path.to_string_lossy().replace('\\', "/")).into_bytes()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    let text = String::from_utf8(bytes).ok()?;
    Some(text.strip_prefix('/')?.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_local_files_have_a_path() {
        for (uri, expected) in [
            ("file:///a/b%20c", Some("/a/b c")),
            ("file://localhost/a", Some("/a")),
            ("file:///a%3Ab%C3%A9", Some("/a:bé")),
            ("file:///a#x", Some("/a")),
            ("file://host/a", None),
            ("file:///a%0", None),
            ("file:///a%zz", None),
            ("file:///a%00b", None),
            ("file://", None),
            ("untitled:x", None),
            ("https://a/b", None),
        ] {
            assert_eq!(path(uri), expected.map(PathBuf::from), "{uri}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same_path(name in "[^\0]{1,30}") {
            let given = Path::new("/").join(name.trim_start_matches('/'));
            prop_assert_eq!(path(&of(&given)), Some(given));
        }
    }
}
