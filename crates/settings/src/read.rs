//! Reads a file that anybody may have put there: regular files only, bounded, never waiting for a writer.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::SettingsError;

/// Largest settings file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;

/// Reads `path` as text, following links. `None` when nothing is there.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { path: path.to_path_buf(), source };
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => {
            // A link to nothing is somebody's file that went missing, with its deny rules.
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(unreadable(error)),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(SettingsError::NotAFile { path: path.to_path_buf() });
    }
    let bytes = read_bounded(file).map_err(unreadable)?;
    let Some(bytes) = bytes else {
        return Err(SettingsError::TooLarge { path: path.to_path_buf(), max_bytes: MAX_FILE_BYTES });
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            Err(SettingsError::NotText { path: path.to_path_buf(), line })
        }
    }
}

/// Whether an error of opening says that there is no file: also when a folder on the way is a file.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Reads at most [`MAX_FILE_BYTES`]; `None` when there is more.
pub(crate) fn read_bounded(file: File) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    let fits = u64::try_from(bytes.len()).is_ok_and(|length| length <= MAX_FILE_BYTES);
    Ok(fits.then_some(bytes))
}

/// Opens without waiting, so that a named pipe cannot hold us up.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    options.open(path)
}
