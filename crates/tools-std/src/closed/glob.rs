//! What a glob on a command line matches now. As in bash, a wildcard does not match a dot at the beginning of a name.

#[cfg(feature = "search")]
pub(super) use told::expand;

/// Without an engine for patterns nothing can be told.
#[cfg(not(feature = "search"))]
pub(super) fn expand(_pattern: &std::path::Path) -> Option<Vec<std::path::PathBuf>> {
    None
}

#[cfg(feature = "search")]
mod told {
    use globset::GlobBuilder;
    use std::path::{Component, Path, PathBuf};

    /// More matches, or more names looked at, are not told one by one.
    const MOST_MATCHES: usize = 1_000;
    const MOST_NAMES: usize = 20_000;

    /// Paths that match; `None` when that cannot be told.
    pub(in super::super) fn expand(pattern: &Path) -> Option<Vec<PathBuf>> {
        let mut found = vec![PathBuf::new()];
        let mut left = MOST_NAMES;
        for part in pattern.components() {
            let text = part.as_os_str().to_str()?;
            if !matches!(part, Component::Normal(_)) || !text.contains(['*', '?', '[']) {
                found.iter_mut().for_each(|path| path.push(part));
                continue;
            }
            // Classes by name and patterns in parentheses are not read here.
            if text.contains("[:") || text.contains("[.") || text.contains("[=") || text.contains('(') {
                return None;
            }
            // Braces were expanded before and are letters now.
            let literal = text.replace('{', "[{]").replace('}', "[}]");
            let wanted = GlobBuilder::new(&literal).literal_separator(true).build().ok()?.compile_matcher();
            let mut next = Vec::new();
            for folder in &found {
                let Ok(entries) = std::fs::read_dir(folder) else { continue };
                for entry in entries.flatten() {
                    left = left.checked_sub(1)?;
                    let name = entry.file_name();
                    let is_hidden = name.as_encoded_bytes().starts_with(b".");
                    if (!is_hidden || text.starts_with('.')) && wanted.is_match(&name) {
                        next.push(folder.join(&name));
                    }
                }
            }
            if next.len() > MOST_MATCHES {
                return None;
            }
            found = next;
        }
        Some(found)
    }
}

#[cfg(all(test, feature = "search"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_as_in_bash() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.x", "b.x", ".h.x", "{c}.x"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("d")).unwrap();
        std::fs::write(dir.path().join("d/e.x"), "").unwrap();
        let names = |pattern: &str| {
            let found = expand(&dir.path().join(pattern))?;
            let mut names: Vec<String> = found
                .iter()
                .map(|path| path.strip_prefix(dir.path()).unwrap().display().to_string())
                .collect();
            names.sort();
            Some(names.join(" "))
        };
        assert_eq!(names("*.x").unwrap(), "a.x b.x {c}.x");
        assert_eq!(names(".*").unwrap(), ".h.x");
        assert_eq!(names("*/[a-f].x").unwrap(), "d/e.x");
        assert_eq!(names("{c}*").unwrap(), "{c}.x");
        assert_eq!(names("gone/*").unwrap(), "");
        assert_eq!(names("[[:alpha:]]*"), None);
    }
}
