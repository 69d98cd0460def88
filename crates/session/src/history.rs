//! What files held before calls changed them: kept once a turn, put back on request.

mod change;
mod objects;
mod prune;
mod restore;
mod state;

pub use prune::BackupLimits;

use crate::dir::private_folder;
use crate::line_log::{LineLog, Sync};
use change::Change;
use objects::Objects;
use pegboard_tool_core::ports::{FileHistory, JournalError, Restore, RestoreError, StoreError};
use state::FileState;
use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Folder of the kept files in a session's folder.
pub(crate) const HISTORY_FOLDER: &str = "history";

/// Files as they were, kept in `<session>/history`: contents by their hash, so that equal ones are kept once,
/// and a list of changes. Only one process can have it open.
#[derive(Debug)]
pub struct FileBackups {
    folder: PathBuf,
    limits: BackupLimits,
    objects: Objects,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    log: LineLog,
    turn: u64,
    changes: Vec<Change>,
    /// The change of each file in this turn.
    here: HashMap<PathBuf, usize>,
}

impl State {
    fn next_turn(&mut self) {
        // A turn that changed nothing keeps its number.
        if !self.here.is_empty() {
            self.turn += 1;
            self.here.clear();
        }
    }
}

/// The files that a turn changed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TurnChanges {
    /// Number of the turn.
    pub turn: u64,
    /// Milliseconds since 1970 of the first change.
    pub ms: u64,
    /// The files, in the order in which they were first changed.
    pub files: Vec<PathBuf>,
    /// The turn that this one undid.
    pub undoes: Option<u64>,
    /// Whether it was undone since.
    pub is_undone: bool,
}

impl FileBackups {
    /// Opens the history of a session, or begins it. What is changed from now on belongs to the turn after the
    /// last one. What the limits do not allow any more is dropped, oldest turns first.
    ///
    /// # Errors
    /// When another process has it open, its list is damaged, or the system refuses.
    pub fn open(session: &Path, limits: BackupLimits) -> Result<Self, JournalError> {
        let folder = session.join(HISTORY_FOLDER);
        let io = |source: io::Error| JournalError::Io { path: folder.clone(), source };
        private_folder(&folder).map_err(|error| io(io::Error::other(error)))?;
        let path = folder.join("changes.jsonl");
        let mut changes: Vec<Change> = Vec::new();
        let (mut line, mut unreadable, mut last) = (0, None, 0);
        let mut log = LineLog::open(&path, |text, _| {
            line += 1;
            match serde_json::from_str::<change::Line>(text) {
                Ok(change) => {
                    last = last.max(change.turn());
                    change::learn(&mut changes, change);
                }
                Err(_) => unreadable = unreadable.or(Some(line)),
            }
        })?;
        if let Some(line) = unreadable {
            return Err(JournalError::Damaged { path, line });
        }
        let objects = Objects::new(folder.join("objects")).map_err(io)?;
        let dropped = prune::prune(&mut changes, &objects, &limits, now()).map_err(io)?;
        if let Some(up_to) = dropped {
            log.append(&change::dropped(up_to), Sync::Later)?;
        }
        let turn = last + 1;
        let state = State { log, turn, changes, here: HashMap::new() };
        Ok(Self { folder, limits, objects, state: Mutex::new(state) })
    }

    /// The turn that changes belong to now.
    #[must_use]
    pub fn turn(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).turn
    }

    /// Ends the turn, for a process that runs several.
    pub fn next_turn(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).next_turn();
    }

    /// The turns that changed files, oldest first.
    #[must_use]
    pub fn turns(&self) -> Vec<TurnChanges> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut turns: Vec<TurnChanges> = Vec::new();
        for change in &state.changes {
            match turns.last_mut() {
                Some(last) if last.turn == change.turn => last.files.push(change.path.clone()),
                _ => turns.push(TurnChanges {
                    turn: change.turn,
                    ms: change.ms,
                    files: vec![change.path.clone()],
                    undoes: change.undoes,
                    is_undone: false,
                }),
            }
        }
        // From the last to the first: an undo that was undone itself does not count.
        let mut undone: Vec<u64> = Vec::new();
        for turn in turns.iter_mut().rev() {
            turn.is_undone = undone.contains(&turn.turn);
            let is_whole = state.changes.iter().any(|change| change.turn == turn.turn && change.is_whole);
            if is_whole && !turn.is_undone {
                undone.extend(turn.undoes);
            }
        }
        turns
    }

    /// The turn that an undo without a number means: the last one that changed files, is no undo itself and was not undone.
    #[must_use]
    pub fn last_turn(&self) -> Option<u64> {
        let turns = self.turns();
        turns.iter().rev().find(|turn| turn.undoes.is_none() && !turn.is_undone).map(|turn| turn.turn)
    }

    fn begin(&self, state: &mut State, id: &str, path: &Path, undoes: Option<u64>) -> Result<(), StoreError> {
        if state.here.contains_key(path) {
            return Ok(());
        }
        let refused = |source| StoreError::new(path.to_path_buf(), source);
        let before = FileState::keep(path, &self.objects, &self.limits).map_err(refused)?;
        let Some(before) = before else { return Ok(()) };
        let change = Change {
            turn: state.turn,
            ms: now(),
            id: id.to_owned(),
            path: path.to_path_buf(),
            before,
            after: None,
            undoes,
            is_whole: false,
        };
        let line = change::begun(&change).map_err(|error| refused(io::Error::other(error)))?;
        state.log.append(&line, Sync::Later).map_err(|error| refused(io::Error::other(error)))?;
        state.here.insert(path.to_path_buf(), state.changes.len());
        state.changes.push(change);
        Ok(())
    }

    fn end(&self, state: &mut State, path: &Path) -> Result<(), StoreError> {
        let Some(at) = state.here.get(path).copied() else { return Ok(()) };
        let refused = |source| StoreError::new(path.to_path_buf(), source);
        let before = state.changes.get(at).map_or(&FileState::Absent, |change| &change.before);
        let after = FileState::look_after(path, before).map_err(refused)?;
        let line =
            change::ended(state.turn, path, &after).map_err(|error| refused(io::Error::other(error)))?;
        state.log.append(&line, Sync::Later).map_err(|error| refused(io::Error::other(error)))?;
        if let Some(change) = state.changes.get_mut(at) {
            change.after = Some(after);
        }
        Ok(())
    }
}

impl FileHistory for FileBackups {
    fn before_change(&self, tool_use_id: &str, path: &Path) -> Result<(), StoreError> {
        if is_in_repository_store(path) {
            return Ok(());
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.begin(&mut state, tool_use_id, path, None)
    }

    fn after_change(&self, _tool_use_id: &str, path: &Path) -> Result<(), StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.end(&mut state, path)
    }

    fn restore(&self, turn: u64, restore: Restore) -> Result<Vec<PathBuf>, Vec<RestoreError>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.put_back(&mut state, turn, restore)
    }
}

/// Whether a path is in a `.git` folder: repositories keep their own history, and theirs is not touched.
fn is_in_repository_store(path: &Path) -> bool {
    path.components().any(|part| matches!(part, Component::Normal(name) if name.eq_ignore_ascii_case(".git")))
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
