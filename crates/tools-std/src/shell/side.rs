//! Private files beside a command: what it reads at its start, and where it says in which directory it
//! ended.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// A folder that only the owner reads and that goes with the command.
#[derive(Debug)]
pub(crate) struct Side {
    folder: tempfile::TempDir,
}

impl Side {
    /// A new folder in `parent`.
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        Ok(Self { folder: tempfile::Builder::new().prefix("pegboard-shell-").tempdir_in(parent)? })
    }

    /// Writes a file of this name and gives its path.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content)?;
        Ok(path)
    }

    /// Where the command writes its last working directory: its path and a newline, nothing else.
    pub(crate) fn cwd_file(&self) -> PathBuf {
        self.folder.path().join("cwd")
    }

    /// What the command wrote there, when that is a folder.
    pub(crate) fn cwd(&self) -> Option<PathBuf> {
        let mut text = std::fs::read(self.cwd_file()).ok()?;
        if text.pop() != Some(b'\n') {
            return None;
        }
        let path = PathBuf::from(OsString::from_vec(text));
        (path.is_absolute() && path.is_dir()).then_some(path)
    }
}
