//! Results that are too large to be inline, one file each.

use crate::SessionError;
use crate::dir::private_folder;
use crate::id::file_stem;
use pegboard_tool_core::ports::{ResultStore, StoreError, StoredText};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Name of the folder of results in a session's folder.
pub const RESULTS_FOLDER: &str = "tool-results";

/// Most files that one id may have.
const MAX_REPEATS: u32 = 1_000;

/// Keeps results in `<session>/tool-results/<tool_use_id>.txt`. An id that is no plain name is
/// hashed; a second result of an id gets a number.
#[derive(Clone, Debug)]
pub struct FileResults {
    dir: PathBuf,
}

impl FileResults {
    pub(crate) fn new(session: &Path) -> Self {
        Self { dir: session.join(RESULTS_FOLDER) }
    }

    fn create(&self, tool_use_id: &str) -> Result<(PathBuf, File), StoreError> {
        private_folder(&self.dir).map_err(|error| self.refused(error))?;
        let stem = file_stem(tool_use_id);
        for repeat in 1..=MAX_REPEATS {
            let name = if repeat == 1 { format!("{stem}.txt") } else { format!("{stem}.{repeat}.txt") };
            let path = self.dir.join(name);
            // `create_new` follows no link: whatever stands there is left alone.
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::new(path, error)),
            }
        }
        let error = io::Error::other(format!("{MAX_REPEATS} results of this id are there already"));
        Err(StoreError::new(self.dir.join(stem), error))
    }

    fn refused(&self, error: SessionError) -> StoreError {
        let source = match error {
            SessionError::Io { source, .. } => source,
            SessionError::NotAFolder { .. } | SessionError::NotASession { .. } => {
                io::Error::other("a link or a file stands in its place")
            }
        };
        StoreError::new(self.dir.clone(), source)
    }
}

impl ResultStore for FileResults {
    fn put(&self, tool_use_id: &str, text: &str) -> Result<StoredText, StoreError> {
        let (path, file) = self.create(tool_use_id)?;
        write_whole(&path, file, text).map_err(|error| StoreError::new(path.clone(), error))?;
        Ok(StoredText::new(path, text.len() as u64))
    }

    fn dir(&self) -> &Path {
        &self.dir
    }
}

/// Writes all of a text, or removes the file: half a result would be taken for a whole one.
fn write_whole(path: &Path, mut file: File, text: &str) -> io::Result<()> {
    let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
    if written.is_err() {
        drop(file);
        // When it cannot be removed, the error that is returned names it.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_and_leaves_no_half_file() {
        use super::*;
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.txt");
        fs::write(&path, "half").unwrap();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let error = write_whole(&path, full, "the whole text").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(!path.exists());
    }
}
