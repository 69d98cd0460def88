//! Names of work trees: one path segment that is also the end of a branch's name.

use crate::safe_name::hex;
use pegboard_tool_core::ToolContext;
use sha2::{Digest as _, Sha256};

/// Most characters.
const MOST: usize = 64;

/// What is wrong with a name; `None` when it is fine.
pub(super) fn problem(name: &str) -> Option<&'static str> {
    let is_sound = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > MOST {
        Some("is longer than 64 characters")
    } else if !name.chars().all(is_sound) {
        Some("may hold only letters, digits, dots, underscores and dashes")
    } else if name.starts_with(['.', '-']) {
        Some("must not begin with a dot or a dash")
    } else if name.contains("..") || name.ends_with('.') || has_lock_end(name) {
        Some("is none that git takes for a branch: no `..`, no dot and no `.lock` at its end")
    } else {
        None
    }
}

fn has_lock_end(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".lock")
}

/// The branch that belongs to a name.
pub(super) fn branch(name: &str) -> String {
    format!("worktree-{name}")
}

/// The name where none is given: the same within a session, and for each of its subagents.
pub(super) fn of_session(ctx: &ToolContext) -> String {
    let mut hash = Sha256::new();
    hash.update(ctx.session_id.as_bytes());
    hash.update([0]);
    hash.update(ctx.agent_id.as_deref().unwrap_or_default().as_bytes());
    let short = hex(hash.finalize().get(..4).unwrap_or_default());
    format!("session-{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_plain_segment() {
        for name in ["a", "fix-1.2_b", "A", "0", &"x".repeat(64), "a.locks"] {
            assert_eq!(problem(name), None, "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            ".a",
            "-a",
            "a/b",
            "a\\b",
            "a b",
            "a..b",
            "a.",
            "a.lock",
            "a.LOCK",
            "ä",
            "a\0",
            "a\n",
            "~",
            "a:b",
            "$x",
            &"x".repeat(65),
        ] {
            assert!(problem(name).is_some(), "{name}");
        }
    }
}
