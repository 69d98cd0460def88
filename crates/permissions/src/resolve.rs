//! Where a path leads, by the same function that file tools act by.

use pegboard_tool_core::resolve_links;
use std::path::{Path, PathBuf};

/// The place that `path` (absolute) leads to. What does not exist is appended as named. `None` when it
/// cannot be told: a loop, a folder that may not be searched, a NUL.
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    resolve_links(path).ok()
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
