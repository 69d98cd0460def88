//! Places on Unix: everything is relative to the descriptor of a folder that was reached without a
//! link, so nobody can move a file away between a look and a write.

mod attributes;
mod held;
mod in_place;
mod made;
mod replace;
mod sweep;

pub(crate) use held::Held;

use super::super::error::FileError;
use made::Made;
use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path};

/// A name in an open folder.
#[derive(Debug)]
pub(crate) struct Place {
    folder: OwnedFd,
    name: OsString,
    made: Made,
}

impl Place {
    /// The place at `canonical`; its folder must exist.
    ///
    /// # Errors
    /// When the folder does not exist or a link is on the way.
    pub(crate) fn find(canonical: &Path) -> Result<Self, FileError> {
        let (parent, name) = split(canonical)?;
        Ok(Self { folder: open_folder(parent)?, name: name.to_owned(), made: Made::default() })
    }

    /// The place at `canonical`; folders that are missing are made. They go with the place unless they are kept.
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
        let mut made = Made::default();
        for name in missing.into_iter().rev() {
            let is_ours = match fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => true,
                Err(Errno::EXIST) => false,
                Err(Errno::NOENT) => return Err(without_room(&folder)),
                Err(error) => return Err(error.into()),
            };
            let identity = is_ours.then(|| made::identity(&folder, name)).flatten();
            let next = step(&folder, name).map_err(|error| match error {
                FileError::Missing => FileError::Moved,
                other => other,
            });
            let above = match next {
                Ok(next) => std::mem::replace(&mut folder, next),
                Err(error) => {
                    made.note(folder, name, identity);
                    return Err(error);
                }
            };
            made.note(above, name, identity);
        }
        Ok(Self { folder, name: name.to_owned(), made })
    }

    /// A failure to make a file here.
    fn uncreatable(&self, error: Errno) -> FileError {
        match error {
            Errno::NOENT => without_room(&self.folder),
            error => FileError::Uncreatable(error.into()),
        }
    }

    /// Keeps the folders that were made for what is here now.
    pub(crate) fn keep_folders(mut self) {
        self.made.keep();
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
}

/// Why nothing can be made in a folder that is said not to exist: it went meanwhile, or it is no real one.
fn without_room(folder: &OwnedFd) -> FileError {
    let is_gone = fs::fstat(folder).is_ok_and(|stat| stat.st_nlink == 0);
    if is_gone { FileError::Moved } else { FileError::TakesNothing }
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
    fn a_folder_that_went_is_another_matter_than_one_that_takes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("gone")).unwrap();
        let place = Place::find(&root.join("gone/f")).unwrap();
        std::fs::remove_dir(root.join("gone")).unwrap();
        assert!(matches!(place.create(b"x"), Err(FileError::Moved)));
        #[cfg(target_os = "linux")]
        {
            let place = Place::find(Path::new("/proc/f")).unwrap();
            assert!(matches!(place.create(b"x"), Err(FileError::TakesNothing)));
            assert!(matches!(Place::make(Path::new("/proc/d/f")), Err(FileError::TakesNothing)));
        }
    }

    #[test]
    fn folders_that_were_made_go_when_nothing_comes_and_nobody_else_uses_them() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("there")).unwrap();
        type Meanwhile = fn(&Path);
        let cases: [(&str, Meanwhile, &[&str]); 6] = [
            ("nothing", |_| {}, &["there"]),
            // Somebody put a file beside.
            ("file", |root| std::fs::write(root.join("there/a/b/other"), "x").unwrap(), &["there/a/b/other"]),
            ("folder", |root| std::fs::create_dir(root.join("there/a/other")).unwrap(), &["there/a/other"]),
            // Somebody put another folder in the place of ours. It is empty, and still not ours.
            (
                "another",
                |root| {
                    std::fs::create_dir(root.join("there/new")).unwrap();
                    std::fs::rename(root.join("there/a/b"), root.join("there/moved")).unwrap();
                    std::fs::rename(root.join("there/new"), root.join("there/a/b")).unwrap();
                },
                &["there/a/b", "there/moved"],
            ),
            (
                "link",
                |root| {
                    std::fs::remove_dir(root.join("there/a/b")).unwrap();
                    symlink("..", root.join("there/a/b")).unwrap();
                },
                &["there/a/b"],
            ),
            ("gone", |root| std::fs::remove_dir_all(root.join("there/a")).unwrap(), &["there"]),
        ];
        for (case, meanwhile, stays) in cases {
            let place = Place::make(&root.join("there/a/b/f")).unwrap();
            meanwhile(&root);
            drop(place);
            for path in stays {
                assert!(root.join(path).symlink_metadata().is_ok(), "{case}: {path} is gone");
            }
            let is_left = root.join("there/a").exists();
            assert_eq!(is_left, stays.iter().any(|path| path.starts_with("there/a")), "{case}");
            if let Ok(meta) = root.join("there/moved").symlink_metadata() {
                assert!(meta.is_dir());
                std::fs::remove_dir(root.join("there/moved")).unwrap();
            }
            drop(std::fs::remove_dir_all(root.join("there/a")));
        }
        let place = Place::make(&root.join("there/a/b/f")).unwrap();
        place.create(b"one").unwrap();
        place.keep_folders();
        assert!(root.join("there/a/b/f").exists());
        // One step fails after the first folder was made.
        let long = root.join("there/new").join("n".repeat(300)).join("f");
        assert!(Place::make(&long).is_err() && !root.join("there/new").exists());
    }

    #[test]
    fn a_file_that_appeared_or_changed_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let place = Place::make(&root.join("a/b/f")).unwrap();
        place.create(b"one").unwrap();
        assert!(matches!(place.create(b"two"), Err(FileError::Appeared)));
        let held = place.hold(&|| false).unwrap();
        std::fs::write(root.join("a/b/f"), "other size").unwrap();
        assert!(matches!(place.replace(b"two", &held), Err(FileError::Overtaken)));
        assert_eq!(std::fs::read(root.join("a/b/f")).unwrap(), b"other size");
        // Nothing is left behind.
        assert_eq!(std::fs::read_dir(root.join("a/b")).unwrap().count(), 1);
    }
}
