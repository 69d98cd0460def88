//! Puts the files of a turn back: all of them or, when somebody changed one since, none.

use super::change::Change;
use super::objects::Objects;
use super::state::FileState;
use super::{FileBackups, State};
use pegboard_tool_core::ports::{Restore, RestoreError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

impl FileBackups {
    pub(super) fn put_back(
        &self,
        state: &mut State,
        turn: u64,
        restore: Restore,
    ) -> Result<Vec<PathBuf>, Vec<RestoreError>> {
        let changes: Vec<Change> =
            state.changes.iter().filter(|change| change.turn == turn).cloned().collect();
        if changes.is_empty() {
            return Err(vec![RestoreError::NoSuchTurn { turn }]);
        }
        let problems: Vec<RestoreError> =
            changes.iter().filter_map(|change| problem(change, restore).err()).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        // The last first, so that a folder that was made is empty when it goes; made again, it comes first.
        let (mut files, mut folders): (Vec<&Change>, Vec<&Change>) =
            changes.iter().partition(|change| !matches!(change.before, FileState::Folder { .. }));
        files.reverse();
        folders.sort_by_key(|change| change.path.components().count());
        state.next_turn();
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for change in folders.into_iter().chain(files) {
            let path = &change.path;
            let undone = self
                .begin(state, "undo", path, Some(turn))
                .map_err(|error| error.source)
                .and_then(|()| put(path, &change.before, &self.objects))
                .and_then(|()| self.end(state, path).map_err(|error| error.source));
            match undone {
                Ok(()) => done.push(path.clone()),
                Err(source) => failed.push(RestoreError::Io { path: path.clone(), source }),
            }
        }
        state.next_turn();
        if failed.is_empty() { Ok(done) } else { Err(failed) }
    }
}

/// Why a file cannot be put back.
fn problem(change: &Change, restore: Restore) -> Result<(), RestoreError> {
    let path = change.path.clone();
    if matches!(change.before, FileState::Large { .. }) {
        return Err(RestoreError::NotKept { path });
    }
    if restore == Restore::Forced {
        return Ok(());
    }
    let now =
        FileState::look(&change.path).map_err(|source| RestoreError::Io { path: path.clone(), source })?;
    let is_as_left = match &change.after {
        Some(after) => now == *after,
        // The process ended in the middle of the change: only the old content is certainly nobody else's.
        None => false,
    };
    if is_as_left || now == change.before { Ok(()) } else { Err(RestoreError::ChangedSince { path }) }
}

/// Makes a path look as it did.
fn put(path: &Path, state: &FileState, objects: &Objects) -> io::Result<()> {
    match state {
        FileState::Absent => remove(path),
        FileState::File { hash, mode } => {
            let parent = parent(path)?;
            let mut copy = tempfile::NamedTempFile::new_in(parent)?;
            io::copy(&mut objects.open(hash)?, copy.as_file_mut())?;
            set_mode(copy.path(), *mode)?;
            copy.as_file().sync_all()?;
            clear_folder(path)?;
            copy.persist(path).map_err(|error| error.error)?;
            Ok(())
        }
        FileState::Link { to } => {
            parent(path)?;
            remove(path)?;
            link(to, path)
        }
        FileState::Folder { mode } => {
            if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_dir()) {
                fs::remove_file(path)?;
            }
            fs::create_dir_all(path)?;
            set_mode(path, *mode)
        }
        FileState::Large { .. } => Err(io::Error::other("it was not kept")),
    }
}

/// The folder of a path, made again where it is gone.
fn parent(path: &Path) -> io::Result<&Path> {
    let parent = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    fs::create_dir_all(parent)?;
    Ok(parent)
}

/// Takes away a file, a link or an empty folder; nothing is no error.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// An empty folder in the place of a file goes; a full one is an error.
fn clear_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir(path),
        _ => Ok(()),
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
