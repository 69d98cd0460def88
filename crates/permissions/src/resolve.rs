//! Where a path leads: every link followed, also the last one, also when nothing is there yet.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

const MAX_LINKS: usize = 40;

/// The place that `path` (absolute) leads to. What does not exist is appended as named. `None` when it
/// cannot be told: a loop, a folder that may not be searched, a NUL.
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    match std::fs::canonicalize(path) {
        Ok(found) => Some(found),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => walk(path),
        Err(_) => None,
    }
}

fn walk(path: &Path) -> Option<PathBuf> {
    let mut at = PathBuf::new();
    let mut left: VecDeque<OsString> = VecDeque::new();
    push(&mut at, &mut left, path);
    let mut links = 0;
    while let Some(name) = left.pop_front() {
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        match std::fs::symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return None;
                }
                let target = std::fs::read_link(&next).ok()?;
                push(&mut at, &mut left, &target);
            }
            Ok(_) => at = next,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => at = next,
            Err(_) => return None,
        }
    }
    Some(at)
}

/// Puts the names of `path` in front of what is left; an absolute path starts again at its root.
fn push(at: &mut PathBuf, left: &mut VecDeque<OsString>, path: &Path) {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => {
                if path.is_absolute() && names.is_empty() && component == Component::RootDir {
                    *at = path.ancestors().last().map(Path::to_path_buf).unwrap_or_default();
                }
            }
            Component::CurDir => {}
            Component::ParentDir => names.push(OsString::from("..")),
            Component::Normal(name) => names.push(name.to_owned()),
        }
    }
    for name in names.into_iter().rev() {
        left.push_front(name);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_also_where_nothing_is_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink(root.join("gone"), root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        assert_eq!(resolve(&root.join("link/new/x")), Some(root.join("real/new/x")));
        assert_eq!(resolve(&root.join("dangling")), Some(root.join("gone")));
        assert_eq!(resolve(&root.join("dangling/a")), Some(root.join("gone/a")));
        assert_eq!(resolve(&root.join("loop")), None);
        assert_eq!(resolve(Path::new("/a\0b")), None);
    }
}
