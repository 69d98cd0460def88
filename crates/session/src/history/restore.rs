//! Puts the files of a turn back: all of them or, when one refuses, none.
//!
//! First everything is looked at, then everything is put back, and what was put back is taken back when something
//! fails on the way. A turn counts as undone when that is written down, at the end: a process that is killed on the
//! way leaves a turn that can be undone again.

use super::change::{self, Change};
use super::objects::Objects;
use super::state::{FileState, below};
use super::{FileBackups, State};
use crate::line_log::Sync;
use pegboard_tool_core::ports::{Restore, RestoreError};
use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

impl FileBackups {
    pub(super) fn put_back(
        &self,
        state: &mut State,
        turn: u64,
        restore: Restore,
    ) -> Result<Vec<PathBuf>, Vec<RestoreError>> {
        let mut changes: Vec<Change> =
            state.changes.iter().filter(|change| change.turn == turn).cloned().collect();
        if changes.is_empty() {
            return Err(vec![RestoreError::NoSuchTurn { turn }]);
        }
        let mut problems = Vec::new();
        for change in &changes {
            problems.extend(self.problem(change, restore).err());
        }
        // What was not kept cannot be put back by force either; the rest can.
        let only_lost = problems.iter().all(|problem| matches!(problem, RestoreError::NotKept { .. }));
        let may_go_on = problems.is_empty() || restore == Restore::Forced && only_lost;
        if !may_go_on {
            return Err(problems);
        }
        changes.retain(|change| !matches!(change.before, FileState::Large { .. }));
        let order = in_order(&changes);
        state.next_turn();
        let mut done: Vec<PathBuf> = Vec::new();
        for change in order {
            if let Err(source) = self.undo_one(state, change, turn) {
                problems.push(RestoreError::Io { path: change.path.clone(), source });
                problems.extend(self.take_back(state));
                state.next_turn();
                return Err(problems);
            }
            done.push(change.path.clone());
        }
        problems.extend(self.end_all(state).err());
        let written = state.log.append(&change::undone(state.turn), Sync::Now);
        if let Err(error) = written {
            let source = io::Error::other(error);
            problems.push(RestoreError::Io { path: self.folder.clone(), source });
        }
        let here = state.turn;
        state
            .changes
            .iter_mut()
            .filter(|change| change.turn == here)
            .for_each(|change| change.is_whole = true);
        state.next_turn();
        if problems.is_empty() { Ok(done) } else { Err(problems) }
    }

    /// Why a file cannot be put back.
    fn problem(&self, change: &Change, restore: Restore) -> Result<(), RestoreError> {
        let path = change.path.clone();
        let io = |source| RestoreError::Io { path: path.clone(), source };
        match &change.before {
            FileState::Large { .. } => return Err(RestoreError::NotKept { path }),
            FileState::File { hash, .. } if !self.objects.is_sound(hash) => {
                return Err(io(io::Error::other("what was kept of it is damaged")));
            }
            _ => {}
        }
        stays_in_place(&change.path).map_err(io)?;
        if restore == Restore::Forced {
            return Ok(());
        }
        let now = FileState::look_after(&change.path, &change.before).map_err(io)?;
        // Without a note of the end, the process ended in the middle of the change: only the old content is
        // certainly nobody else's.
        if change.after.as_ref() == Some(&now) || now == change.before {
            Ok(())
        } else {
            Err(RestoreError::ChangedSince { path })
        }
    }

    fn undo_one(&self, state: &mut State, change: &Change, turn: u64) -> io::Result<()> {
        let path = &change.path;
        let is_new_folder = change.before == FileState::Absent && is_folder(path);
        if is_new_folder {
            for inner in below(path)? {
                self.begin(state, "undo", &inner, Some(turn)).map_err(|error| error.source)?;
            }
        }
        self.begin(state, "undo", path, Some(turn)).map_err(|error| error.source)?;
        if is_new_folder {
            fs::remove_dir_all(path)?;
        } else {
            put(path, &change.before, &self.objects)?;
        }
        Ok(())
    }

    /// Notes how everything looks that this turn touched, once all of it is in its place.
    fn end_all(&self, state: &mut State) -> Result<(), RestoreError> {
        let touched: Vec<PathBuf> = state.here.keys().cloned().collect();
        touched.into_iter().try_for_each(|path| {
            self.end(state, &path).map_err(|error| RestoreError::Io { path, source: error.source })
        })
    }

    /// Makes the files of this turn look as they did before it.
    fn take_back(&self, state: &State) -> Vec<RestoreError> {
        let here: Vec<Change> =
            state.changes.iter().filter(|change| change.turn == state.turn).cloned().collect();
        let mut problems = Vec::new();
        for change in in_order(&here) {
            if let Err(source) = put(&change.path, &change.before, &self.objects) {
                problems.push(RestoreError::Io { path: change.path.clone(), source });
            }
        }
        problems
    }
}

/// Folders that are made again come first, outer ones before inner ones; then the files; then what goes, the last first.
fn in_order(changes: &[Change]) -> Vec<&Change> {
    let rank = |change: &Change| match change.before {
        FileState::Folder { .. } | FileState::Tree { .. } => 0,
        FileState::Absent => 2,
        FileState::File { .. } | FileState::Large { .. } | FileState::Link { .. } => 1,
    };
    let depth = |change: &Change| change.path.components().count();
    let mut order: Vec<&Change> = changes.iter().collect();
    order.sort_by_key(|change| {
        (rank(change), if rank(change) == 2 { usize::MAX - depth(change) } else { depth(change) })
    });
    order
}

/// Whether a path still leads where it led: a folder on the way may have become a link.
fn stays_in_place(path: &Path) -> io::Result<()> {
    for folder in path.ancestors().skip(1) {
        match fs::symlink_metadata(folder) {
            Ok(meta) if meta.is_symlink() => {
                return Err(io::Error::other(format!("`{}` is a link now", folder.display())));
            }
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Makes a path look as it did.
fn put(path: &Path, state: &FileState, objects: &Objects) -> io::Result<()> {
    stays_in_place(path)?;
    match state {
        FileState::Absent => remove(path),
        FileState::File { hash, mode } => {
            let parent = parent(path)?;
            if fs::symlink_metadata(path).is_ok_and(|meta| is_not_only_ours(&meta)) {
                // Another name of the file, and who owns it, stay.
                let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
                objects.write_to(hash, &mut file)?;
                return set_mode(path, *mode);
            }
            let mut copy = tempfile::NamedTempFile::new_in(parent)?;
            objects.write_to(hash, copy.as_file_mut())?;
            set_mode(copy.path(), *mode)?;
            copy.as_file().sync_all()?;
            if is_folder(path) {
                fs::remove_dir(path)?;
            }
            copy.persist(path).map_err(|error| error.error)?;
            Ok(())
        }
        FileState::Link { to } => {
            parent(path)?;
            remove(path)?;
            link(&to.clone().into_path(), path)
        }
        FileState::Folder { mode } => {
            if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_dir()) {
                fs::remove_file(path)?;
            }
            fs::create_dir_all(path)?;
            set_mode(path, *mode)
        }
        FileState::Large { .. } | FileState::Tree { .. } => Err(io::Error::other("it was not kept")),
    }
}

/// Whether a file has several names or another owner than we are.
#[cfg(unix)]
fn is_not_only_ours(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.is_file() && (meta.nlink() > 1 || meta.uid() != rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_not_only_ours(_meta: &Metadata) -> bool {
    false
}

/// The folder of a path, made again where it is gone.
fn parent(path: &Path) -> io::Result<&Path> {
    let parent = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    fs::create_dir_all(parent)?;
    Ok(parent)
}

/// Takes away a file, a link or an empty folder; nothing is no error, nor is a place that there cannot be.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(())
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn link(to: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, path)
}

#[cfg(not(unix))]
fn link(_to: &Path, _path: &Path) -> io::Result<()> {
    Err(io::Error::other("links are not put back on this system"))
}
