//! A new file under an old name, in one step: whoever looks sees the old content or the new one, and
//! what somebody else put there meanwhile is not lost.

use super::attributes::{self, bits};
use super::{Held, Place, same};
use crate::file::error::FileError;
use crate::file::place::Put;
use crate::file::place::leftover::temporary_name;
use rustix::fs::{self, AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::Write as _;

/// A file beside the place, removed when it is no longer needed.
struct Temporary<'p> {
    place: &'p Place,
    name: OsString,
    file: File,
    /// Set while the name may stand for a file that is not ours.
    stays: bool,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        // Best effort: gone already when it was moved to its place.
        let _ = fs::unlinkat(&self.place.folder, &self.name, AtFlags::empty());
    }
}

impl Place {
    /// Makes a file of `bytes` here, whole or not at all.
    ///
    /// # Errors
    /// When something is here already, or it cannot be written.
    pub(crate) fn create(&self, bytes: &[u8]) -> Result<Metadata, FileError> {
        let temporary = self.temporary(bytes, 0o666)?;
        temporary.file.sync_all()?;
        let meta = temporary.file.metadata()?;
        self.move_into_free(&temporary.name)?;
        self.sync_folder();
        Ok(meta)
    }

    /// Gives the file here, which must still be the one that is held, new content: by a new file with the
    /// same mode bits, owner and attributes, or where that cannot be, in place.
    ///
    /// # Errors
    /// When it changed since, may not be written, or the new content cannot be written. The file has its
    /// old content then.
    pub(crate) fn replace(&self, bytes: &[u8], held: &Held) -> Result<Put, FileError> {
        let mode = bits(&held.version.meta);
        if mode & 0o222 == 0 {
            return Err(FileError::ReadOnly(mode));
        }
        fs::accessat(&self.folder, &self.name, fs::Access::WRITE_OK, AtFlags::empty())
            .map_err(FileError::unwritable)?;
        if held.names() > 1 {
            return self.write_in_place(bytes, held);
        }
        let mut temporary = self.temporary(bytes, 0o600)?;
        if attributes::keep(&temporary.file, &held.file, &held.version.meta).is_err() {
            drop(temporary);
            return self.write_in_place(bytes, held);
        }
        temporary.file.sync_all().map_err(FileError::unwritable)?;
        if !self.is_still(held)? {
            return Err(FileError::Overtaken);
        }
        match self.swap(&mut temporary, held) {
            // Something is mounted on this one name.
            Err(Errno::BUSY) => {
                drop(temporary);
                self.write_in_place(bytes, held)
            }
            Err(error) => Err(FileError::unwritable(error)),
            Ok(false) => Err(FileError::Overtaken),
            Ok(true) => {
                drop(temporary);
                self.sync_folder();
                Ok(Put::Replaced)
            }
        }
    }

    /// Whether the name still means the file that is held, with the content that was read.
    pub(super) fn is_still(&self, held: &Held) -> Result<bool, FileError> {
        let now = fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(same(&now, &held.version.meta) && held.is_unchanged()?)
    }

    /// Changes the names of the new and the old file, and looks at what came out: when it is not the file
    /// that was held, or has other content, they are changed back.
    fn swap(&self, temporary: &mut Temporary<'_>, held: &Held) -> Result<bool, Errno> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        match self.exchange(&temporary.name) {
            // A file system that does not know this flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(error) => return Err(error),
            Ok(()) => {
                temporary.stays = true;
                let came = fs::statat(&self.folder, &temporary.name, AtFlags::SYMLINK_NOFOLLOW);
                let is_old = came.is_ok_and(|came| same(&came, &held.version.meta));
                let is_old = is_old && held.is_unchanged().unwrap_or(false);
                if !is_old {
                    self.exchange(&temporary.name)?;
                }
                temporary.stays = false;
                return Ok(is_old);
            }
        }
        fs::renameat(&self.folder, &temporary.name, &self.folder, &self.name)?;
        Ok(true)
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn exchange(&self, other: &OsStr) -> Result<(), Errno> {
        fs::renameat_with(&self.folder, other, &self.folder, &self.name, RenameFlags::EXCHANGE)
    }

    fn temporary(&self, bytes: &[u8], mode: u32) -> Result<Temporary<'_>, FileError> {
        self.refuse_append_only()?;
        let name = temporary_name(&self.name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as fs::RawMode);
        let file = fs::openat(&self.folder, &name, flags, mode).map_err(|error| self.uncreatable(error))?;
        let mut temporary = Temporary { place: self, name, file: File::from(file), stays: false };
        temporary.file.write_all(bytes).map_err(FileError::unwritable)?;
        Ok(temporary)
    }

    /// What is made in a folder that only grows cannot be moved or removed.
    #[cfg(target_os = "linux")]
    pub(super) fn refuse_append_only(&self) -> Result<(), FileError> {
        use rustix::fs::{StatxAttributes, StatxFlags};
        // Kernels and file systems that do not tell have no such folders.
        let found = fs::statx(&self.folder, "", AtFlags::EMPTY_PATH, StatxFlags::empty());
        match found {
            Ok(found) if found.stx_attributes.contains(StatxAttributes::APPEND) => Err(FileError::AppendOnly),
            _ => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "it tells on Linux")]
    pub(super) fn refuse_append_only(&self) -> Result<(), FileError> {
        Ok(())
    }

    /// Best effort: the content is in place, only its durability over a power cut depends on this.
    pub(super) fn sync_folder(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let _ = fs::openat(&self.folder, ".", flags, Mode::empty()).and_then(fs::fsync);
    }

    /// A rename that replaces nothing: a hard link fails when something is here.
    fn move_into_free(&self, temporary: &OsStr) -> Result<(), FileError> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        match fs::renameat_with(&self.folder, temporary, &self.folder, &self.name, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => return Err(FileError::Appeared),
            // A file system that does not know this flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return Ok(other?),
        }
        match fs::linkat(&self.folder, temporary, &self.folder, &self.name, AtFlags::empty()) {
            Err(Errno::EXIST) => Err(FileError::Appeared),
            Err(error) => Err(error.into()),
            // The temporary name goes with its owner.
            Ok(()) => Ok(()),
        }
    }
}
