//! What a session keeps: large results, the journal, files before they were changed.

use crate::{ToolResult, ToolUse};
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text that was stored.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct StoredText {
    /// Where.
    pub path: PathBuf,
    /// How many bytes.
    pub bytes: u64,
}

impl StoredText {
    /// A stored text.
    #[must_use]
    pub fn new(path: PathBuf, bytes: u64) -> Self {
        Self { path, bytes }
    }
}

/// A text could not be stored.
#[derive(Debug, thiserror::Error)]
#[error("the result of a call could not be stored in `{}`; free space or choose another session folder", path.display())]
#[non_exhaustive]
pub struct StoreError {
    /// Where it should have gone.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl StoreError {
    /// Says what the system said.
    #[must_use]
    pub fn new(path: PathBuf, source: io::Error) -> Self {
        Self { path, source }
    }
}

/// Keeps results that are too large to be inline. Blocking: called on the blocking pool.
///
/// # Contract
/// - A file is created new, readable by the owner only, and no link is followed.
/// - Either the whole text is there or an error.
pub trait ResultStore: Debug + Send + Sync {
    /// Stores the text of the call `tool_use_id`.
    ///
    /// # Errors
    /// When it cannot be stored as a whole.
    fn put(&self, tool_use_id: &str, text: &str) -> Result<StoredText, StoreError>;

    /// Folder of the results: readable without asking, never writable by calls.
    fn dir(&self) -> &Path;
}

const _: fn(&dyn ResultStore) = |_| ();

/// What a journal says about a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum JournalRecord {
    /// Nothing: it never began.
    None,
    /// It began and its end is not known: it may have run.
    Intent,
    /// It ended so.
    Outcome(Arc<ToolResult>),
}

/// The journal cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error("the journal of the session failed")]
#[non_exhaustive]
pub struct JournalError {
    /// What the system said.
    #[from]
    pub source: io::Error,
}

/// Remembers what was begun and how it ended.
///
/// # Contract
/// - `intent` is durable before the call runs; an error means that it must not run.
pub trait Journal: Debug + Send + Sync {
    /// A call is about to run.
    ///
    /// # Errors
    /// When it cannot be written.
    fn intent(&self, call: &ToolUse) -> Result<(), JournalError>;

    /// A call ended.
    ///
    /// # Errors
    /// When it cannot be written.
    fn outcome(&self, result: &ToolResult) -> Result<(), JournalError>;

    /// What is known about an id.
    ///
    /// # Errors
    /// When the journal cannot be read, or the id stands for another call.
    fn recorded(&self, call: &ToolUse) -> Result<JournalRecord, JournalError>;
}

const _: fn(&dyn Journal) = |_| ();

/// A file cannot be put back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Somebody else changed it since.
    #[error("`{}` was changed by somebody else since; look at it first", path.display())]
    ChangedSince {
        /// Which file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("`{}` could not be put back", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// Keeps what files held before they were changed.
pub trait FileHistory: Debug + Send + Sync {
    /// A file is about to be changed by the call `tool_use_id`. Keeps its content once a turn.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn before_change(&self, tool_use_id: &str, path: &Path) -> Result<(), StoreError>;

    /// Puts back the files of a turn.
    ///
    /// # Errors
    /// One a file that could not be put back.
    fn restore(&self, turn: u64) -> Result<Vec<PathBuf>, Vec<RestoreError>>;
}

const _: fn(&dyn FileHistory) = |_| ();
