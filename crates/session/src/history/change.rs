//! The lines of the list of changes.

use super::state::FileState;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One file in one turn.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) turn: u64,
    /// Milliseconds since 1970.
    pub(crate) ms: u64,
    /// Id of the call that changed it first.
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    pub(crate) before: FileState,
    /// How the last call of the turn left it; `None` when the process ended before that was noted.
    pub(crate) after: Option<FileState>,
    /// The turn that was undone by this change.
    pub(crate) undoes: Option<u64>,
    /// Whether that undo was done to its end.
    pub(crate) is_whole: bool,
}

/// A line. Paths are texts where they are, else their bytes in hex.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line {
    /// A file is about to be changed.
    Before {
        turn: u64,
        ms: u64,
        id: String,
        #[serde(flatten)]
        path: Named,
        state: FileState,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        undoes: Option<u64>,
    },
    /// It was changed.
    After {
        turn: u64,
        #[serde(flatten)]
        path: Named,
        state: FileState,
    },
    /// Everything up to this turn was dropped.
    Dropped { turn: u64 },
    /// The undo that this turn is was done to its end.
    Undone { turn: u64 },
}

/// A path that may not be a text.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Named {
    Path(String),
    PathBytes(Vec<u8>),
}

impl Named {
    pub(crate) fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Path(text.to_owned()),
            None => Self::PathBytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }

    pub(crate) fn into_path(self) -> PathBuf {
        match self {
            Self::Path(text) => PathBuf::from(text),
            #[cfg(unix)]
            Self::PathBytes(bytes) => {
                PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
            }
            #[cfg(not(unix))]
            Self::PathBytes(bytes) => PathBuf::from(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

pub(crate) fn begun(change: &Change) -> serde_json::Result<String> {
    serde_json::to_string(&Line::Before {
        turn: change.turn,
        ms: change.ms,
        id: change.id.clone(),
        path: Named::of(&change.path),
        state: change.before.clone(),
        undoes: change.undoes,
    })
}

pub(crate) fn ended(turn: u64, path: &Path, state: &FileState) -> serde_json::Result<String> {
    serde_json::to_string(&Line::After { turn, path: Named::of(path), state: state.clone() })
}

pub(crate) fn undone(turn: u64) -> String {
    serde_json::json!({"type": "undone", "turn": turn}).to_string()
}

pub(crate) fn dropped(turn: u64) -> String {
    serde_json::json!({"type": "dropped", "turn": turn}).to_string()
}

impl Line {
    /// The turn that it is about.
    pub(crate) fn turn(&self) -> u64 {
        match self {
            Self::Before { turn, .. }
            | Self::After { turn, .. }
            | Self::Dropped { turn }
            | Self::Undone { turn } => *turn,
        }
    }
}

/// What a line of an earlier process says.
pub(crate) fn learn(changes: &mut Vec<Change>, line: Line) {
    match line {
        Line::Undone { turn } => {
            let changed = changes.iter_mut().filter(|change| change.turn == turn);
            changed.for_each(|change| change.is_whole = true);
        }
        Line::Before { turn, ms, id, path, state, undoes } => {
            let path = path.into_path();
            changes.push(Change { turn, ms, id, path, before: state, after: None, undoes, is_whole: false });
        }
        Line::After { turn, path, state } => {
            let path = path.into_path();
            let mut latest = changes.iter_mut().rev();
            if let Some(change) = latest.find(|change| change.turn == turn && change.path == path) {
                change.after = Some(state);
            }
        }
        Line::Dropped { turn } => changes.retain(|change| change.turn > turn),
    }
}
