//! What a glob on a command line matches now. As in bash, a wildcard does not match a dot at the beginning of a name.

use crate::text_glob::{Piece, pieces, pieces_match};
use std::path::{Component, Path, PathBuf};

/// More matches, or more names looked at, are not told one by one.
const MOST_MATCHES: usize = 512;
const MOST_NAMES: usize = 4_096;

/// Whether a name holds a wildcard.
pub(crate) fn is_wild(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// The folder in front of the first name with a wildcard.
pub(crate) fn literal_folder(pattern: &Path) -> PathBuf {
    pattern.components().take_while(|part| !is_wild(&part.as_os_str().to_string_lossy())).collect()
}

/// Paths that match, links not followed at the end; `None` when there are too many or a folder cannot be read.
pub(crate) fn expand(pattern: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    let mut names_left = MOST_NAMES;
    for part in pattern.components() {
        let text = match part {
            Component::Normal(name) => name.to_string_lossy(),
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
                found.iter_mut().for_each(|path| path.push(part));
                continue;
            }
        };
        if !is_wild(&text) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let wanted = pieces(&text);
        let takes_dots = matches!(wanted.first(), Some(Piece::Char('.')));
        let mut next = Vec::new();
        for folder in &found {
            let entries = match std::fs::read_dir(folder) {
                Ok(entries) => entries,
                Err(error)
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                    ) =>
                {
                    continue;
                }
                Err(_) => return None,
            };
            for entry in entries {
                names_left = names_left.checked_sub(1)?;
                let name = entry.ok()?.file_name();
                let text = name.to_string_lossy();
                if (takes_dots || !text.starts_with('.')) && pieces_match(&wanted, &text) {
                    next.push(folder.join(&name));
                }
            }
            if next.len() > MOST_MATCHES {
                return None;
            }
        }
        found = next;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_stands_for_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.txt", "b.txt", ".env", "sub/c.txt"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let names = |pattern: &str| {
            let mut found = expand(&folder.path().join(pattern)).unwrap();
            found.sort();
            let below = found
                .into_iter()
                .map(|path| path.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned());
            below.collect::<Vec<_>>()
        };
        assert_eq!(names("*.txt"), ["a.txt", "b.txt"]);
        assert_eq!(names("*"), ["a.txt", "b.txt", "sub"]);
        assert_eq!(names(".e*"), [".env"]);
        assert_eq!(names("*/c.*"), ["sub/c.txt"]);
        assert!(names("gone/*").is_empty());
        assert_eq!(literal_folder(Path::new("/a/b*/c")), Path::new("/a"));
    }
}
