//! Places on Unix: everything is relative to the descriptor of a folder that was reached without a
//! link, so nobody can move a file away between a look and a write.

use super::super::error::FileError;
use super::temporary_name;
use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path};

/// A name in an open folder.
#[derive(Debug)]
pub(crate) struct Place {
    folder: OwnedFd,
    name: OsString,
}

impl Place {
    /// The place at `canonical`; its folder must exist.
    ///
    /// # Errors
    /// When the folder does not exist or a link is on the way.
    pub(crate) fn find(canonical: &Path) -> Result<Self, FileError> {
        let (parent, name) = split(canonical)?;
        Ok(Self { folder: open_folder(parent)?, name: name.to_owned() })
    }

    /// The place at `canonical`; folders that are missing are made.
    ///
    /// # Errors
    /// When one cannot be made or a link is on the way.
    pub(crate) fn make(canonical: &Path) -> Result<Self, FileError> {
        let (parent, name) = split(canonical)?;
        let mut existing = parent;
        let mut missing = Vec::new();
        let mut folder = loop {
            match open_folder(existing) {
                Err(FileError::Missing) => {
                    let (above, name) = split(existing)?;
                    missing.push(name);
                    existing = above;
                }
                other => break other?,
            }
        };
        for name in missing.into_iter().rev() {
            match fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => folder = step(&folder, name)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self { folder, name: name.to_owned() })
    }

    /// Opens the regular file here. Looks before it opens: opening a device may do something, and a
    /// pipe may wait for ever.
    ///
    /// # Errors
    /// When nothing, a link, or something else than a regular file is here.
    pub(crate) fn open(&self) -> Result<File, FileError> {
        let stat = fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        regular(FileType::from_raw_mode(stat.st_mode))?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match fs::openat(&self.folder, &self.name, flags, Mode::empty()) {
            Err(Errno::LOOP) => return Err(FileError::Moved),
            other => File::from(other?),
        };
        regular(FileType::from_raw_mode(fs::fstat(&file)?.st_mode))?;
        Ok(file)
    }

    /// Makes a file of `bytes` here, whole or not at all.
    ///
    /// # Errors
    /// When something is here already, or it cannot be written.
    pub(crate) fn create(&self, bytes: &[u8]) -> Result<Metadata, FileError> {
        self.through_temporary(bytes, 0o666, |_| Ok(()), |temporary| self.move_into_free(temporary))
    }

    /// Replaces the file here, which must still be the one that `before` is about, by one of `bytes`
    /// with the same mode bits and owner. A hard link to the old one keeps the old content.
    ///
    /// # Errors
    /// When it changed since, may not be written, or the new one cannot be written.
    pub(crate) fn replace(&self, bytes: &[u8], before: &Metadata) -> Result<Metadata, FileError> {
        let mode = before.mode() & 0o7777;
        if mode & 0o222 == 0 {
            return Err(FileError::ReadOnly(mode));
        }
        fs::accessat(&self.folder, &self.name, fs::Access::WRITE_OK, AtFlags::empty())?;
        let like_before = |file: &File| keep_owner_and_mode(file, before, mode);
        self.through_temporary(bytes, 0o600, like_before, |temporary| {
            let now = fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
            if !same(&now, before) {
                return Err(FileError::Overtaken);
            }
            Ok(fs::renameat(&self.folder, temporary, &self.folder, &self.name)?)
        })
    }

    fn through_temporary(
        &self,
        bytes: &[u8],
        mode: u32,
        prepare: impl FnOnce(&File) -> Result<(), FileError>,
        put: impl FnOnce(&OsStr) -> Result<(), FileError>,
    ) -> Result<Metadata, FileError> {
        let name = temporary_name(&self.name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file =
            File::from(fs::openat(&self.folder, &name, flags, Mode::from_raw_mode(mode as fs::RawMode))?);
        let written = (|| {
            file.write_all(bytes)?;
            prepare(&file)?;
            file.sync_all()?;
            let meta = file.metadata()?;
            put(&name)?;
            Ok(meta)
        })();
        match &written {
            // Best effort: the content is in place, only its durability over a power cut depends on this.
            Ok(_) => drop(self.sync_folder()),
            Err(_) => drop(fs::unlinkat(&self.folder, &name, AtFlags::empty())),
        }
        written
    }

    fn sync_folder(&self) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        fs::fsync(fs::openat(&self.folder, ".", flags, Mode::empty())?)
    }

    /// A rename that replaces nothing: a hard link fails when something is here.
    fn move_into_free(&self, temporary: &OsStr) -> Result<(), FileError> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        match fs::renameat_with(&self.folder, temporary, &self.folder, &self.name, fs::RenameFlags::NOREPLACE)
        {
            Err(Errno::EXIST) => return Err(FileError::Appeared),
            // A file system that does not know this flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return Ok(other?),
        }
        match fs::linkat(&self.folder, temporary, &self.folder, &self.name, AtFlags::empty()) {
            Err(Errno::EXIST) => Err(FileError::Appeared),
            Err(error) => Err(error.into()),
            Ok(()) => Ok(fs::unlinkat(&self.folder, temporary, AtFlags::empty())?),
        }
    }
}

fn split(path: &Path) -> Result<(&Path, &OsStr), FileError> {
    path.parent().zip(path.file_name()).ok_or(FileError::Directory)
}

fn regular(kind: FileType) -> Result<(), FileError> {
    match kind {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(FileError::Directory),
        // The path was canonical when it was judged.
        FileType::Symlink => Err(FileError::Moved),
        FileType::Fifo => Err(FileError::Special("a named pipe")),
        FileType::Socket => Err(FileError::Special("a socket")),
        FileType::CharacterDevice | FileType::BlockDevice => Err(FileError::Special("a device")),
        _ => Err(FileError::Special("something unknown")),
    }
}

/// Opens a folder by a path without links.
fn open_folder(path: &Path) -> Result<OwnedFd, FileError> {
    #[cfg(target_os = "linux")]
    match fs::openat2(CWD, path, folder_flags(), Mode::empty(), fs::ResolveFlags::NO_SYMLINKS) {
        Err(Errno::LOOP) => return Err(FileError::Moved),
        // Kernels and sandboxes without this call: name by name.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {}
        other => return Ok(other?),
    }
    let mut folder = fs::openat(CWD, "/", folder_flags(), Mode::empty())?;
    for component in path.components() {
        if let Component::Normal(name) = component {
            folder = step(&folder, name)?;
        }
    }
    Ok(folder)
}

fn step(folder: &OwnedFd, name: &OsStr) -> Result<OwnedFd, FileError> {
    match fs::openat(folder, name, folder_flags() | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::LOOP) => Err(FileError::Moved),
        Err(Errno::NOTDIR) if is_link(folder, name) => Err(FileError::Moved),
        other => Ok(other?),
    }
}

fn is_link(folder: &OwnedFd, name: &OsStr) -> bool {
    fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

fn folder_flags() -> OFlags {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    // Only a way to names below: a folder that may be passed but not listed is enough.
    #[cfg(target_os = "linux")]
    let flags = flags | OFlags::PATH;
    flags
}

fn keep_owner_and_mode(file: &File, before: &Metadata, mode: u32) -> Result<(), FileError> {
    let meta = file.metadata()?;
    if (meta.uid(), meta.gid()) != (before.uid(), before.gid()) {
        let (uid, gid) = (fs::Uid::from_raw(before.uid()), fs::Gid::from_raw(before.gid()));
        fs::fchown(file, Some(uid), Some(gid)).map_err(|_| FileError::Owner)?;
    }
    Ok(file.set_permissions(std::fs::Permissions::from_mode(mode))?)
}

#[expect(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the types differ between systems")]
fn same(now: &fs::Stat, before: &Metadata) -> bool {
    now.st_dev as u64 == before.dev()
        && now.st_ino as u64 == before.ino()
        && i64::try_from(now.st_size).is_ok_and(|size| size as u64 == before.size())
        && i64::from(now.st_mtime) == before.mtime()
        && now.st_mtime_nsec as i64 == before.mtime_nsec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_on_the_way_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/f"), "f").unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("real/f", root.join("file")).unwrap();
        assert!(matches!(Place::find(&root.join("link/f")), Err(FileError::Moved)));
        assert!(matches!(Place::make(&root.join("link/new/f")), Err(FileError::Moved)));
        assert!(matches!(Place::find(&root.join("file")).unwrap().open(), Err(FileError::Moved)));
        assert!(matches!(step(&open_folder(&root).unwrap(), "link".as_ref()), Err(FileError::Moved)));
        assert!(!root.join("real/new").exists());
    }

    #[test]
    fn a_file_that_appeared_or_changed_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let place = Place::make(&root.join("a/b/f")).unwrap();
        place.create(b"one").unwrap();
        assert!(matches!(place.create(b"two"), Err(FileError::Appeared)));
        let before = std::fs::metadata(root.join("a/b/f")).unwrap();
        std::fs::write(root.join("a/b/f"), "other size").unwrap();
        assert!(matches!(place.replace(b"two", &before), Err(FileError::Overtaken)));
        assert_eq!(std::fs::read(root.join("a/b/f")).unwrap(), b"other size");
        // Nothing is left behind.
        assert_eq!(std::fs::read_dir(root.join("a/b")).unwrap().count(), 1);
    }
}
