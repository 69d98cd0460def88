//! What the capturing shell says: records of three texts, each ended by a NUL byte.

/// What start-up files define.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Records {
    /// Names and values.
    pub(super) aliases: Vec<(String, String)>,
    /// Names and definitions.
    pub(super) functions: Vec<(String, String)>,
    /// Options of `set -o` and of `shopt` that are on.
    pub(super) options: Vec<(OptionKind, String)>,
}

/// By which builtin an option is set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum OptionKind {
    Set,
    Shopt,
}

/// Reads the records; `None` when they are not whole.
pub(super) fn read(bytes: &[u8]) -> Option<Records> {
    let mut records = Records::default();
    let mut parts = bytes.split(|byte| *byte == 0);
    loop {
        let (kind, name, text) = (parts.next()?, parts.next()?, parts.next()?);
        // What is no UTF-8 cannot be told to the analysis, so the whole is refused.
        let (name, text) = (std::str::from_utf8(name).ok()?.to_owned(), std::str::from_utf8(text).ok()?);
        match kind {
            b"a" => records.aliases.push((name, text.to_owned())),
            b"f" => records.functions.push((name, text.to_owned())),
            b"o" => records.options.push((OptionKind::Set, name)),
            b"p" => records.options.push((OptionKind::Shopt, name)),
            b"end" => return (parts.next() == Some(b"") && parts.next().is_none()).then_some(records),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_records_are_read() {
        let whole = b"a\0ll\0ls -l\0f\0g\0g () \n{ \n    :\n}\0o\0pipefail\0\0p\0extglob\0\0end\0\0\0";
        let records = read(whole).unwrap();
        assert_eq!(records.aliases, [("ll".to_owned(), "ls -l".to_owned())]);
        assert_eq!(records.functions.len(), 1);
        assert_eq!(records.options.len(), 2);
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        for wrong in [&b"x\0a\0b\0end\0\0\0"[..], b"end\0\0\0a\0b\0c\0", b"a\0\xff\0b\0end\0\0\0"] {
            assert_eq!(read(wrong), None);
        }
    }
}
