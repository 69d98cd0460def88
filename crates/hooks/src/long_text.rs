//! Texts above 10,000 characters go to a file; the model gets a preview and the path.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Characters of a text that stay as they are.
const MOST_CHARS: usize = 10_000;
/// Characters of a longer text that are shown.
const PREVIEW_CHARS: usize = 2_000;
/// Characters of a text inside a notice.
const SHORT_CHARS: usize = 300;

/// A text for a notice: one line's worth.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(SHORT_CHARS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The text, or its preview when it is long; the whole is kept below `session_dir`.
pub(crate) fn bounded(text: String, session_dir: Option<&Path>) -> String {
    if text.len() <= MOST_CHARS {
        return text;
    }
    let chars = text.chars().count();
    if chars <= MOST_CHARS {
        return text;
    }
    let preview: String = text.chars().take(PREVIEW_CHARS).collect();
    let rest = match session_dir.map(|dir| keep(&text, dir)) {
        Some(Ok(path)) => format!("the whole text is in {}", path.display()),
        Some(Err(_)) => "the rest could not be stored and is lost".to_owned(),
        None => "the rest is lost: there is no session folder to store it in".to_owned(),
    };
    format!("{preview}\n[text of a hook, {chars} characters, cut after {PREVIEW_CHARS}; {rest}]")
}

/// Stores a text in a new file that only the owner reads.
fn keep(text: &str, session_dir: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = session_dir.join("tool-results");
    std::fs::create_dir_all(&folder)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("hook-{:x}-{}-{count}.txt", now.as_nanos(), std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path)?.write_all(text.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_whole_on_disk() {
        let session = tempfile::tempdir().unwrap();
        let exact = "ä".repeat(10_000);
        assert_eq!(bounded(exact.clone(), Some(session.path())), exact);
        let long = "a".repeat(10_001);
        let shown = bounded(long.clone(), Some(session.path()));
        assert!(shown.starts_with(&"a".repeat(2_000)) && shown.chars().count() < 3_000);
        let (_, path) = shown.rsplit_once(" in ").unwrap();
        assert_eq!(std::fs::read_to_string(path.trim_end_matches(']')).unwrap(), long);
        assert!(bounded(long, None).contains("there is no session folder"));
    }
}
