//! Small files in the folder of a session: read only when they are plain files, and replaced in one step.

use crate::file::place::Place;
use pegboard_tool_core::resolve_links;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// What `folder` has under `name`; nothing when nothing is there.
///
/// # Errors
/// When it is no plain file, is larger than `most` bytes, or cannot be read.
pub(crate) fn read(folder: &Path, name: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
    let path = match resolve_links(folder) {
        Ok(folder) => folder.join(name),
        Err(_) => return Ok(None),
    };
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    // No link, pipe or device.
    let file = Place::find(&path).and_then(|place| place.open()).map_err(io::Error::other)?;
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(Some(bytes)) }
}

/// Makes `name` in `folder` hold `bytes`, in one step. What is there under that name, be it a link, is replaced.
///
/// # Errors
/// When it cannot be written; what was there stays then.
pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    // One that a process with the same number left.
    drop(fs::remove_file(&temporary));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written =
        options.open(&temporary)?.write_all(bytes).and_then(|()| fs::rename(&temporary, folder.join(name)));
    if written.is_err() {
        drop(fs::remove_file(&temporary));
    }
    written
}
