//! Places elsewhere: by path, compared before and after.

use super::super::error::FileError;
use super::super::version::Version;
use super::Put;
use super::leftover::temporary_name;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A canonical path whose folder exists.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    /// Folders that were made for it, outer ones first. They go with it unless they are kept; one that is not empty
    /// stays.
    made: Vec<PathBuf>,
}

impl Drop for Place {
    fn drop(&mut self) {
        while let Some(folder) = self.made.pop() {
            if fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct Held {
    /// What it held.
    pub version: Version,
}

impl Place {
    /// Reads the file here for a change.
    ///
    /// # Errors
    /// When it cannot be opened or read.
    pub(crate) fn hold(&self, _give_up: &dyn Fn() -> bool) -> Result<Held, FileError> {
        // An open file could not be replaced, so nothing is kept open.
        Ok(Held { version: Version::read(&self.open()?)? })
    }

    /// Nothing is swept here: temporary files go with the failure that left them.
    pub(crate) fn sweep(&self) {}

    /// The place at `canonical`; its folder must exist.
    ///
    /// # Errors
    /// When the folder does not exist or a link is on the way.
    pub(crate) fn find(canonical: &Path) -> Result<Self, FileError> {
        let parent = canonical.parent().ok_or(FileError::Directory)?;
        if fs::canonicalize(parent)? != parent {
            return Err(FileError::Moved);
        }
        Ok(Self { path: canonical.to_path_buf(), made: Vec::new() })
    }

    /// The place at `canonical`; folders that are missing are made. They go with the place unless they are kept.
    ///
    /// # Errors
    /// When one cannot be made or a link is on the way.
    pub(crate) fn make(canonical: &Path) -> Result<Self, FileError> {
        let parent = canonical.parent().ok_or(FileError::Directory)?;
        let missing: Vec<&Path> =
            parent.ancestors().take_while(|folder| fs::symlink_metadata(folder).is_err()).collect();
        let mut place = Self { path: canonical.to_path_buf(), made: Vec::new() };
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => place.made.push(folder.to_path_buf()),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        if fs::canonicalize(parent)? != parent {
            return Err(FileError::Moved);
        }
        Ok(place)
    }

    /// Keeps the folders that were made for what is here now.
    pub(crate) fn keep_folders(mut self) {
        self.made.clear();
    }

    /// Opens the regular file here.
    ///
    /// # Errors
    /// When nothing, a link, or something else than a regular file is here.
    pub(crate) fn open(&self) -> Result<File, FileError> {
        regular(&fs::symlink_metadata(&self.path)?)?;
        let file = File::open(&self.path)?;
        regular(&file.metadata()?)?;
        if fs::canonicalize(&self.path)? == self.path { Ok(file) } else { Err(FileError::Moved) }
    }

    /// Makes a file of `bytes` here, whole or not at all.
    ///
    /// # Errors
    /// When something is here already, or it cannot be written.
    pub(crate) fn create(&self, bytes: &[u8]) -> Result<Metadata, FileError> {
        self.through_temporary(bytes, |temporary| match fs::hard_link(temporary, &self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(FileError::Appeared),
            Err(error) => Err(error.into()),
            Ok(()) => Ok(fs::remove_file(temporary)?),
        })
    }

    /// Replaces the file here, which must still be the one that is held.
    ///
    /// # Errors
    /// When it changed since, may not be written, or the new one cannot be written.
    pub(crate) fn replace(&self, bytes: &[u8], held: &Held) -> Result<Put, FileError> {
        let before = &held.version.meta;
        if before.permissions().readonly() {
            return Err(FileError::ReadOnly(0o444));
        }
        self.through_temporary(bytes, |temporary| {
            let now = Version::read(&self.open()?)?;
            if now.hash != held.version.hash {
                return Err(FileError::Overtaken);
            }
            Ok(fs::rename(temporary, &self.path)?)
        })?;
        Ok(Put::Replaced)
    }

    fn through_temporary(
        &self,
        bytes: &[u8],
        put: impl FnOnce(&Path) -> Result<(), FileError>,
    ) -> Result<Metadata, FileError> {
        let name = temporary_name(self.path.file_name().ok_or(FileError::Directory)?);
        let temporary = self.path.with_file_name(name);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        let written = (|| {
            file.write_all(bytes)?;
            file.sync_all()?;
            let meta = file.metadata()?;
            put(&temporary)?;
            Ok(meta)
        })();
        if written.is_err() {
            drop(fs::remove_file(&temporary));
        }
        written
    }
}

fn regular(meta: &Metadata) -> Result<(), FileError> {
    let kind = meta.file_type();
    if kind.is_file() {
        Ok(())
    } else if kind.is_dir() {
        Err(FileError::Directory)
    } else if kind.is_symlink() {
        Err(FileError::Moved)
    } else {
        Err(FileError::Special("a device"))
    }
}
