//! Where a path leads, links resolved, whether it exists or not.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

const MAX_LINKS: u32 = 40;

/// Where `path` leads: every existing link resolved, a tail that does not exist kept as it is. The gate
/// that judges a path and the tool that acts on it both ask this, so that they mean the same place.
///
/// # Errors
/// When a link loops (more than 40), or a folder on the way cannot be looked into.
pub fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if is_missing(&error) => resolve_by_hand(path),
        other => other,
    }
}

fn resolve_by_hand(path: &Path) -> io::Result<PathBuf> {
    let mut todo: VecDeque<OsString> = VecDeque::new();
    let mut done = PathBuf::new();
    push_front(&mut todo, &mut done, path);
    let mut links = 0;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            done.pop();
            continue;
        }
        let next = done.join(&name);
        match std::fs::symlink_metadata(&next) {
            Ok(meta) if meta.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("too many levels of symbolic links"));
                }
                push_front(&mut todo, &mut done, &std::fs::read_link(&next)?);
            }
            Ok(_) => done = next,
            Err(error) if is_missing(&error) => done = next,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// `path` without `.` and `..`, by the text alone: links are not followed.
#[must_use]
pub fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(component),
        }
    }
    clean
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Puts the names of `path` before what is left to do; an absolute path starts over.
fn push_front(todo: &mut VecDeque<OsString>, done: &mut PathBuf, path: &Path) {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => {
                if component == Component::RootDir && done.as_os_str().is_empty() || path.has_root() {
                    *done = path.ancestors().last().unwrap_or(path).to_path_buf();
                }
            }
            Component::CurDir => {}
            Component::ParentDir => names.push(OsString::from("..")),
            Component::Normal(name) => names.push(name.to_owned()),
        }
    }
    for name in names.into_iter().rev() {
        todo.push_front(name);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_resolved_and_a_missing_tail_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("../real/new.txt", root.join("real/dangling")).unwrap();
        symlink(root.join("link"), root.join("far")).unwrap();
        assert_eq!(resolve_links(&root.join("link/a/b")).unwrap(), root.join("real/a/b"));
        assert_eq!(resolve_links(&root.join("far/x")).unwrap(), root.join("real/x"));
        assert_eq!(resolve_links(&root.join("link/dangling")).unwrap(), root.join("real/new.txt"));
        symlink("loop", root.join("loop")).unwrap();
        assert!(resolve_links(&root.join("loop")).is_err());
    }
}
