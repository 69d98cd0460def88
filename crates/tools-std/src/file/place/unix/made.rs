//! Folders that were made on the way to a file. They go again when the file does not come.

use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, FileType};
use std::ffi::{OsStr, OsString};

/// Device and inode of a folder.
type Identity = (u64, u64);

/// Folders that were made, outer ones first, removed with this value unless they are kept.
#[derive(Debug, Default)]
pub(super) struct Made {
    folders: Vec<MadeFolder>,
}

#[derive(Debug)]
struct MadeFolder {
    above: OwnedFd,
    name: OsString,
    identity: Identity,
}

/// Which folder `name` is now; nothing when it is none.
pub(super) fn identity(above: &OwnedFd, name: &OsStr) -> Option<Identity> {
    let stat = fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    is_folder.then_some((stat.st_dev as u64, stat.st_ino as u64))
}

impl Made {
    /// Notes the folder `name` in `above`, when it is known to be ours.
    pub(super) fn note(&mut self, above: OwnedFd, name: &OsStr, identity: Option<Identity>) {
        if let Some(identity) = identity {
            self.folders.push(MadeFolder { above, name: name.to_owned(), identity });
        }
    }

    /// The folders stay.
    pub(super) fn keep(&mut self) {
        self.folders.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        while let Some(MadeFolder { above, name, identity: ours }) = self.folders.pop() {
            // Only an empty folder can be removed this way. One that is not ours, or is used by now, keeps those
            // around it too.
            let is_ours = identity(&above, &name) == Some(ours);
            if !is_ours || fs::unlinkat(&above, &name, AtFlags::REMOVEDIR).is_err() {
                return;
            }
        }
    }
}
