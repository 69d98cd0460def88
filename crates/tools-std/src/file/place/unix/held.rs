//! A file that is about to be changed: open, read, and locked against other programs that ask.

use super::{Place, same};
use crate::file::error::FileError;
use crate::file::version::Version;
use rustix::fs::{self, AtFlags};
use std::fs::{File, TryLockError};
use std::io::{Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

/// How often a lock that somebody else has is asked for again, and how long to wait in between. A change
/// takes moments, so a lock that is held for longer has another purpose.
const TRIES: u32 = 400;
const PAUSE: Duration = Duration::from_millis(5);

/// A file as it was read, kept open. The lock goes with it.
#[derive(Debug)]
pub(crate) struct Held {
    /// What it held.
    pub version: Version,
    pub(super) file: File,
    /// Whether somebody else has a lock on it.
    pub(super) is_foreign: bool,
}

impl Place {
    /// Opens and reads the file here for a change. Waits a moment while another program changes it;
    /// `give_up` says when not to.
    ///
    /// # Errors
    /// When it cannot be opened, read, or `give_up` said so.
    pub(crate) fn hold(&self, give_up: &dyn Fn() -> bool) -> Result<Held, FileError> {
        let mut tries = 0;
        loop {
            let file = self.open()?;
            let is_foreign = match file.try_lock() {
                Ok(()) => false,
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    if give_up() {
                        return Err(FileError::Cancelled);
                    }
                    tries += 1;
                    std::thread::sleep(PAUSE);
                    continue;
                }
                Err(TryLockError::WouldBlock) => true,
                // A file system without locks.
                Err(TryLockError::Error(_)) => false,
            };
            let version = Version::read(&file)?;
            // Whoever had the lock may have put another file here.
            let now = fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
            if same(&now, &version.meta) || tries >= TRIES {
                return Ok(Held { version, file, is_foreign });
            }
            tries += 1;
        }
    }
}

impl Held {
    /// Whether the file that was opened still holds what was read.
    pub(super) fn is_unchanged(&self) -> Result<bool, FileError> {
        let now = self.again()?;
        Ok(now.hash == self.version.hash)
    }

    /// Reads it once more.
    pub(super) fn again(&self) -> Result<Version, FileError> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        Version::read(&self.file)
    }

    /// Names that the file has.
    pub(super) fn names(&self) -> u64 {
        self.version.meta.nlink()
    }
}
