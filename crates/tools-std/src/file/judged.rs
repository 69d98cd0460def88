//! From the path that a call names to the path that was judged, and nowhere else.

use super::error::FileError;
use pegboard_tool_core::{AccessMode, ErrorKind, Grant, ToolError, resolve_links};
use std::path::{Path, PathBuf};

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
    let now = resolve_links(named).map_err(|error| FileError::from(error).about(shown))?;
    match &granted.canonical {
        canonical if *canonical == now => Ok(now),
        canonical if is_of_a_thread(canonical) && is_of_a_thread(&now) => {
            Err(FileError::OfAThread.about(shown))
        }
        _ => Err(FileError::Moved.about(shown)),
    }
}

/// Whether a path is about one thread of this program: `/proc/thread-self` leads each of them elsewhere.
fn is_of_a_thread(canonical: &Path) -> bool {
    cfg!(target_os = "linux") && canonical.starts_with(format!("/proc/{}/task", std::process::id()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use pegboard_tool_core::Accesses;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_path_that_leads_elsewhere_by_now_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(root.join("a"), "a").unwrap();
        std::fs::write(root.join("b"), "b").unwrap();
        symlink("a", root.join("link")).unwrap();
        let grant = Grant::of(&Accesses::read_file(root.join("link")));
        assert_eq!(judged(&root.join("link"), AccessMode::Read, &grant, "link").unwrap(), root.join("a"));
        std::fs::remove_file(root.join("link")).unwrap();
        symlink("b", root.join("link")).unwrap();
        let error = judged(&root.join("link"), AccessMode::Read, &grant, "link").unwrap_err();
        assert!(error.model_text.contains("changed since it was approved"), "{}", error.model_text);
        let error = judged(&root.join("link"), AccessMode::Write, &grant, "link").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Forbidden);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_each_thread_sees_elsewhere_did_not_change() {
        let named = Path::new("/proc/thread-self/status");
        let grant = Grant::of(&Accesses::read_file(named));
        assert!(judged(named, AccessMode::Read, &grant, "f").is_ok());
        let other = std::thread::spawn(move || judged(named, AccessMode::Read, &grant, "f"));
        let error = other.join().unwrap().unwrap_err();
        assert!(error.model_text.contains("name the place without `thread-self`"), "{}", error.model_text);
    }
}
