//! What may stand in a file name whatever it was made of: digits of hashes, and ids of calls.

#[cfg(any(unix, feature = "web"))]
use sha2::{Digest as _, Sha256};

/// Lower-case hexadecimal digits, two a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// The id of a call when it can be part of a file name, else its hash.
#[cfg(any(unix, feature = "web"))]
pub(crate) fn stem(id: &str) -> String {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if (1..=64).contains(&id.len()) && id.bytes().all(sound) {
        return id.to_owned();
    }
    hex(&Sha256::digest(id.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_two_digits_each() {
        assert_eq!(hex(&[0, 9, 0x0a, 0xf0, 0xff]), "00090af0ff");
    }

    #[cfg(any(unix, feature = "web"))]
    #[test]
    fn an_id_that_is_no_name_is_hashed() {
        assert_eq!(stem("toolu_01-a"), "toolu_01-a");
        for id in ["", "..", "a/b", "a\0", "é", "x".repeat(65).as_str()] {
            let name = stem(id);
            assert!(name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}: {name}");
        }
    }
}
