//! The files beside a file while it is written, and what a killed program left of them.

use crate::file::ledger;
#[cfg(unix)]
use crate::safe_name::hex;
use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(unix)]
use std::time::Duration;

const MARK: &str = ".pegboard-";
const TEMPORARY: &str = ".tmp";
/// Characters of the name that are kept, so that the new one stays within the limit of file systems.
const NAME_CHARS: usize = 40;
/// Whoever wrote a temporary file that is older is gone: a write takes moments.
#[cfg(unix)]
pub(crate) const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// A name for a new file beside `name`.
pub(crate) fn temporary_name(name: &OsStr) -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".{}{MARK}{}-{count}-{nanos}{TEMPORARY}", short(name), std::process::id()).into()
}

/// The name of the copy of `name` that is kept while it is written in place. No other name has the same.
#[cfg(unix)]
pub(crate) fn copy_name(name: &OsStr) -> OsString {
    let short = short(name);
    if name == short.as_str() {
        return format!(".{short}{MARK}old").into();
    }
    // What was cut or is no text must still tell one name from another.
    let hash = hex(&ledger::hash(name.as_encoded_bytes()));
    format!(".{short}-{}{MARK}old", hash.get(..16).unwrap_or_default()).into()
}

/// Whether a name is one that [`temporary_name`] gives.
#[cfg(unix)]
pub(crate) fn is_temporary(name: &[u8]) -> bool {
    let Some(inner) = std::str::from_utf8(name).ok().and_then(|name| name.strip_suffix(TEMPORARY)) else {
        return false;
    };
    let Some((of, numbers)) = inner.rsplit_once(MARK) else { return false };
    of.starts_with('.')
        && numbers.split('-').count() == 3
        && numbers.split('-').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn short(name: &OsStr) -> String {
    name.to_string_lossy().chars().take(NAME_CHARS).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_have_copies_of_their_own() {
        use std::os::unix::ffi::OsStrExt as _;
        let long = "n".repeat(60);
        let names = [format!("{long}1"), format!("{long}2"), "\u{fffd}".to_owned(), "f".to_owned()];
        let mut copies: Vec<_> = names.iter().map(|name| copy_name(OsStr::new(name))).collect();
        copies.extend([&b"\xff"[..], b"\xfe"].map(|name| copy_name(OsStr::from_bytes(name))));
        assert_eq!(copies[3], ".f.pegboard-old");
        let count = copies.len();
        copies.sort();
        copies.dedup();
        assert_eq!(copies.len(), count);
    }

    #[test]
    fn only_our_own_names_are_taken_for_ours() {
        for name in ["a.txt", "ä".repeat(200).as_str(), ".", "x.tmp"] {
            let temporary = temporary_name(OsStr::new(name));
            assert!(is_temporary(temporary.as_encoded_bytes()), "{temporary:?}");
            assert!(temporary.len() < 255 && copy_name(OsStr::new(name)).len() < 255);
        }
        for name in [
            "a.tmp",
            ".a.pegboard-old",
            ".a.pegboard-1-2.tmp",
            ".a.pegboard-1-2-x.tmp",
            "a.pegboard-1-2-3.tmp",
            "",
        ] {
            assert!(!is_temporary(name.as_bytes()), "{name}");
        }
    }
}
