//! From the path that a call names to the path that was judged, and nowhere else.

use super::error::FileError;
use pegboard_tool_core::{AccessMode, Accesses, ErrorKind, Grant, GrantedPath, Resource, ToolError};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

const MAX_LINKS: u32 = 40;

/// Where `path` leads: every existing link resolved, a tail that does not exist kept as it is.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => resolve_by_hand(path),
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
            Err(error) if error.kind() == io::ErrorKind::NotFound => done = next,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
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

/// The judged path behind `named`.
///
/// # Errors
/// When it was not judged for `mode`, or leads elsewhere by now.
pub(crate) fn judged(
    named: &Path,
    mode: AccessMode,
    grant: &Grant,
    shown: &str,
) -> Result<PathBuf, ToolError> {
    let Some(granted) = grant.paths.iter().find(|path| path.named == named && path.mode == mode) else {
        let text = format!("{shown} is not part of what was approved for this call");
        return Err(ToolError::new(ErrorKind::Forbidden, text));
    };
    let now = resolve(named).map_err(|error| FileError::from(error).about(shown))?;
    if now == granted.canonical { Ok(now) } else { Err(FileError::Moved.about(shown)) }
}

/// A grant of what `accesses` names, for a host that calls a tool directly and judges nothing.
pub(crate) fn grant_of(accesses: &Accesses) -> Grant {
    let Accesses::Only(list) = accesses else { return Grant::default() };
    let paths = list.iter().filter_map(|access| {
        let (Resource::File(path) | Resource::Tree(path)) = &access.resource else { return None };
        // A path that cannot be resolved stays as named; the call finds out why.
        let canonical = resolve(path).unwrap_or_else(|_| path.clone());
        Some(GrantedPath::new(path.clone(), canonical, access.mode))
    });
    Grant::new(paths.collect(), Vec::new())
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
        assert_eq!(resolve(&root.join("link/a/b")).unwrap(), root.join("real/a/b"));
        assert_eq!(resolve(&root.join("far/x")).unwrap(), root.join("real/x"));
        assert_eq!(resolve(&root.join("link/dangling")).unwrap(), root.join("real/new.txt"));
        symlink("loop", root.join("loop")).unwrap();
        assert!(resolve(&root.join("loop")).is_err());
    }

    #[test]
    fn a_path_that_leads_elsewhere_by_now_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(root.join("a"), "a").unwrap();
        std::fs::write(root.join("b"), "b").unwrap();
        symlink("a", root.join("link")).unwrap();
        let grant = grant_of(&Accesses::read_file(root.join("link")));
        assert_eq!(judged(&root.join("link"), AccessMode::Read, &grant, "link").unwrap(), root.join("a"));
        std::fs::remove_file(root.join("link")).unwrap();
        symlink("b", root.join("link")).unwrap();
        let error = judged(&root.join("link"), AccessMode::Read, &grant, "link").unwrap_err();
        assert!(error.model_text.contains("changed since it was approved"), "{}", error.model_text);
        let error = judged(&root.join("link"), AccessMode::Write, &grant, "link").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Forbidden);
    }
}
