//! The folder of a session.

use crate::{FileResults, SessionError};
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

/// A folder that only its owner can read.
#[derive(Clone, Debug)]
pub struct SessionDir {
    path: PathBuf,
}

impl SessionDir {
    /// Makes the folder with its parents, or opens it when it is there.
    ///
    /// # Errors
    /// When it cannot be made, or is a link or no folder.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, SessionError> {
        let path = path.into();
        if is_of_somebody_else(&path) {
            return Err(SessionError::NotASession { path });
        }
        private_folder(&path)?;
        Ok(Self { path })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The results that are kept in it. Their folder is made at the first result.
    #[must_use]
    pub fn results(&self) -> FileResults {
        FileResults::new(&self.path)
    }
}

/// Whether a folder is there with something in it, and none of it says that it is a session.
fn is_of_somebody_else(path: &Path) -> bool {
    let holds = |name: &str| path.join(name).symlink_metadata().is_ok();
    let is_session =
        [crate::JOURNAL_FILE, crate::sessions::ABOUT_FILE, crate::RESULTS_FOLDER].into_iter().any(holds);
    !is_session && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
}

/// Makes a folder with mode 0700, or accepts one that is there and no link. One that is there is
/// closed to others.
pub(crate) fn private_folder(path: &Path) -> Result<(), SessionError> {
    let io = |source: io::Error| SessionError::Io { path: path.to_path_buf(), source };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(io)?;
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(io(error)),
    }
    let meta = fs::symlink_metadata(path).map_err(io)?;
    if !meta.is_dir() {
        return Err(SessionError::NotAFolder { path: path.to_path_buf() });
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if meta.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(io)?;
        }
    }
    Ok(())
}
