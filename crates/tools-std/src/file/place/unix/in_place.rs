//! New content in the very file: where a new file would lose a name (a hard link), an owner or an
//! attribute. While it is written, a copy of the old content stands beside it, so that whatever
//! happens, the old content is there whole.

use super::attributes::bits;
use super::{Held, Place, same};
use crate::file::error::FileError;
use crate::file::place::Put;
use crate::file::place::leftover::copy_name;
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};

impl Place {
    /// Writes `bytes` into the file that is held.
    pub(super) fn write_in_place(&self, bytes: &[u8], held: &Held) -> Result<Put, FileError> {
        if held.is_foreign {
            return Err(FileError::Locked);
        }
        let file = self.open_held(held)?;
        let old = held.again()?;
        if !self.is_still(held)? {
            return Err(FileError::Overtaken);
        }
        self.refuse_append_only()?;
        let copy = copy_name(&self.name);
        self.write_copy(&copy, &old.bytes)?;
        match overwrite(&file, bytes) {
            Ok(()) => {
                // Writing takes set-user bits away from those who are not root.
                drop(file.set_permissions(Permissions::from_mode(bits(&held.version.meta))));
                self.remove_copy(&copy);
                Ok(Put::InPlace { names: held.names() })
            }
            Err(error) => match overwrite(&file, &old.bytes) {
                Ok(()) => {
                    self.remove_copy(&copy);
                    Err(error)
                }
                Err(_) => Err(FileError::Interrupted(copy)),
            },
        }
    }

    /// Opens the file that is held for writing. Its name may have led to another one for a moment.
    fn open_held(&self, held: &Held) -> Result<File, FileError> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = fs::openat(&self.folder, &self.name, flags, Mode::empty());
        let file = File::from(file.map_err(FileError::unwritable)?);
        if same(&fs::fstat(&file)?, &held.version.meta) { Ok(file) } else { Err(FileError::Overtaken) }
    }

    fn write_copy(&self, name: &OsStr, bytes: &[u8]) -> Result<(), FileError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match fs::openat(&self.folder, name, flags, Mode::from_raw_mode(0o600)) {
            Err(Errno::EXIST) => return Err(FileError::Interrupted(name.to_owned())),
            other => other.map_err(|error| self.uncreatable(error))?,
        };
        let mut file = File::from(file);
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if written.is_err() {
            self.remove_copy(name);
        }
        written.map_err(FileError::unwritable)?;
        self.sync_folder();
        Ok(())
    }

    fn remove_copy(&self, name: &OsStr) {
        // When it stays, the next change of this kind says so.
        let _ = fs::unlinkat(&self.folder, name, AtFlags::empty());
    }
}

/// Gives an open file this content. Room is asked for first, so that a full disk changes nothing.
fn overwrite(file: &File, bytes: &[u8]) -> Result<(), FileError> {
    // Not every file system can; then the writing finds out.
    #[cfg(target_os = "linux")]
    if let Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) =
        fs::fallocate(file, fs::FallocateFlags::KEEP_SIZE, 0, (bytes.len() as u64).max(1))
    {
        return Err(FileError::unwritable(error));
    }
    let written = file
        .write_all_at(bytes, 0)
        .and_then(|()| file.set_len(bytes.len() as u64))
        .and_then(|()| file.sync_all());
    written.map_err(FileError::unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_took_the_name_for_a_moment_is_not_opened_for_writing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for (name, text) in [("f", "mine"), ("other", "else")] {
            std::fs::write(root.join(name), text).unwrap();
        }
        let place = Place::find(&root.join("f")).unwrap();
        let held = place.hold(&|| false).unwrap();
        assert!(place.open_held(&held).is_ok());
        std::fs::rename(root.join("other"), root.join("f")).unwrap();
        assert!(matches!(place.open_held(&held), Err(FileError::Overtaken)));
        assert!(matches!(place.write_in_place(b"new", &held), Err(FileError::Overtaken)));
        assert_eq!(std::fs::read(root.join("f")).unwrap(), b"else");
    }
}
