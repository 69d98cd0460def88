//! A folder held open: files in it are read and replaced by name, and no link is followed, whoever swaps one in.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::read::read_bounded;

/// A file's content and how it is kept.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) permissions: Permissions,
    pub(crate) others_may_write: bool,
}

/// A folder held open.
#[derive(Debug)]
pub(crate) struct Folder(platform::Handle);

impl Folder {
    /// Opens `path`, which must exist; links on the way are followed, the last part must not be one.
    pub(crate) fn existing(path: &Path) -> io::Result<Self> {
        platform::Handle::open(path).map(Self)
    }

    /// Opens `path` and creates it, with its parents, when absent. Nobody else may look into what is created.
    pub(crate) fn private(path: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)?;
        Self::existing(path)
    }

    /// Opens `path` and creates it when absent, as anybody's folder; its parents too.
    pub(crate) fn ordinary(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Self::existing(path),
        }
    }

    /// Whether other accounts may put files into it.
    pub(crate) fn others_may_write(&self) -> io::Result<bool> {
        self.0.metadata().map(|metadata| others_may_write(&metadata))
    }

    /// Reads a regular file of bounded size; `None` when it is absent.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<Option<Content>> {
        let file = match self.0.open_file(name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let bytes = read_bounded(file)?.ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        let others_may_write = others_may_write(&metadata);
        Ok(Some(Content { bytes, permissions: metadata.permissions(), others_may_write }))
    }

    /// Puts `bytes` in the place of `name` at once: after a crash the file is the old or the new one. A new file
    /// is private; `permissions` keeps those of the old one.
    pub(crate) fn replace(
        &self,
        name: &OsStr,
        bytes: &[u8],
        permissions: Option<Permissions>,
    ) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let mut file = self.0.create_file(&temporary)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
            .and_then(|()| file.sync_all())
            .and_then(|()| self.0.rename(&temporary, name));
        if written.is_err() {
            // The old file stands; what is left over is only ours.
            let _ = self.0.remove(&temporary);
        }
        written
    }
}

#[cfg(unix)]
fn others_may_write(metadata: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o022 != 0
}

#[cfg(not(unix))]
fn others_may_write(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
mod platform {
    //! Everything relative to one open descriptor, so that renaming the folder away changes nothing.

    use super::{File, Metadata, OsStr, Path, io};
    use rustix::fs::{AtFlags, Mode, OFlags, fsync, open, openat, renameat, unlinkat};
    use std::os::fd::OwnedFd;

    #[derive(Debug)]
    pub(super) struct Handle(OwnedFd);

    impl Handle {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(Self(open(path, flags, Mode::empty())?))
        }

        pub(super) fn metadata(&self) -> io::Result<Metadata> {
            File::from(self.0.try_clone()?).metadata()
        }

        pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
            let flags =
                OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            Ok(File::from(openat(&self.0, name, flags, Mode::empty())?))
        }

        pub(super) fn create_file(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(File::from(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?))
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            renameat(&self.0, from, &self.0, to)?;
            // Some file systems cannot sync a folder; the rename stands all the same.
            let _ = fsync(&self.0);
            Ok(())
        }

        pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(unlinkat(&self.0, name, AtFlags::empty())?)
        }
    }
}

#[cfg(not(unix))]
mod platform {
    //! By path, with a look before each step.

    use super::{File, Metadata, OsStr, Path, fs, io};
    use std::path::PathBuf;

    #[derive(Debug)]
    pub(super) struct Handle(PathBuf);

    impl Handle {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            if !fs::symlink_metadata(path)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(Self(path.to_path_buf()))
        }

        pub(super) fn metadata(&self) -> io::Result<Metadata> {
            fs::metadata(&self.0)
        }

        pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
            let path = self.0.join(name);
            if fs::symlink_metadata(&path)?.is_symlink() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "a link"));
            }
            File::open(path)
        }

        pub(super) fn create_file(&self, name: &OsStr) -> io::Result<File> {
            File::create_new(self.0.join(name))
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }
    }
}
