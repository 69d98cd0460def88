//! Names of sessions: sortable by time, not to be guessed apart.

use sha2::{Digest, Sha256};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};

/// A new name of a session: milliseconds since 1970 and 64 random bits, `[0-9a-f-]{29}`.
#[must_use]
pub fn session_id(now: SystemTime) -> String {
    let millis = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() & 0xffff_ffff_ffff);
    // The keys of a `RandomState` come from the system's randomness.
    format!("{millis:012x}-{:016x}", RandomState::new().build_hasher().finish())
}

/// File name for a call's id: the id itself when it is plain, else a hash of it.
pub(crate) fn file_stem(tool_use_id: &str) -> String {
    let plain = (1..=64).contains(&tool_use_id.len())
        && tool_use_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain {
        return tool_use_id.to_owned();
    }
    let digest = Sha256::digest(tool_use_id.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256-{hex}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn sessions_sort_by_time_and_never_repeat() {
        let (early, late) =
            (UNIX_EPOCH + Duration::from_secs(1), UNIX_EPOCH + Duration::from_secs(1_800_000_000));
        assert!(session_id(early) < session_id(late));
        assert_ne!(session_id(early), session_id(early));
        assert_eq!(session_id(early).len(), 29);
    }

    #[test]
    fn only_plain_ids_become_file_names() {
        assert_eq!(file_stem("toolu_01-A"), "toolu_01-A");
        for odd in ["", "..", "a/b", "a\0", "é", &"x".repeat(65), "con.txt"] {
            let stem = file_stem(odd);
            assert!(stem.starts_with("sha256-") && stem.len() == 71, "{odd:?}: {stem}");
        }
    }
}
