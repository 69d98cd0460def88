//! Temporary files of programs that were killed while they wrote.

use super::{Place, regular};
use crate::file::place::leftover::{ABANDONED, is_temporary};
use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags};
use std::time::{SystemTime, UNIX_EPOCH};

/// Most names of a folder that are looked at.
const MOST_NAMES: usize = 20_000;

impl Place {
    /// Removes temporary files of ours in this folder that nobody works on any more: regular files of the
    /// user who runs this, with a name that only we give, an hour old. What cannot be removed stays.
    pub(crate) fn sweep(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = fs::openat(&self.folder, ".", flags, Mode::empty()) else { return };
        let Ok(names) = Dir::read_from(&folder) else { return };
        let user = rustix::process::geteuid().as_raw();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        for entry in names.take(MOST_NAMES).flatten() {
            if !is_temporary(entry.file_name().to_bytes()) {
                continue;
            }
            let Ok(stat) = fs::statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let written = u64::try_from(stat.st_mtime).unwrap_or(u64::MAX);
            let is_ours = stat.st_uid == user && regular(FileType::from_raw_mode(stat.st_mode)).is_ok();
            if is_ours && now.as_secs().saturating_sub(written) > ABANDONED.as_secs() {
                // Somebody else may have been faster.
                let _ = fs::unlinkat(&folder, entry.file_name(), AtFlags::empty());
            }
        }
    }
}
