//! Where a path leads, by the same function that file tools act by.

use pegboard_tool_core::resolve_links;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The place that `path` (absolute) leads to. What does not exist is appended as named. `None` when it
/// cannot be told: a loop, a folder that may not be searched, a NUL.
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    resolve_links(path).ok()
}

/// Why it cannot be told where `path` leads.
pub(crate) fn unclear(path: &Path) -> String {
    let why = match resolve_links(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            "a folder on the way may not be looked into"
        }
        Err(error) if error.kind() == ErrorKind::InvalidFilename => "a name in it is too long",
        Err(error) if is_loop(&error) => "there are too many symbolic links on the way",
        Err(_) | Ok(_) => return "it cannot be told where the path leads".to_owned(),
    };
    format!("it cannot be told where the path leads: {why}")
}

fn is_loop(error: &std::io::Error) -> bool {
    // The kind has no stable name yet.
    error.to_string().to_lowercase().contains("symbolic links")
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
        assert!(unclear(&root.join("loop")).ends_with("too many symbolic links on the way"));
        assert!(unclear(&root.join("x".repeat(300))).ends_with("a name in it is too long"));
        assert_eq!(resolve(Path::new("/a\0b")), None);
    }
}
