//! What a session keeps: large results, the journal, files before they were changed.

use super::Finished;
use crate::{Concurrency, ContextSnapshot, ToolUse};
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

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
    Outcome(Box<Finished>),
}

/// The journal cannot be written or read, or a call does not fit it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The system refused.
    #[error("the journal `{}` cannot be written or read; free space or name another session folder", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process uses the session.
    #[error("another process uses the session of `{}`; wait for it or name another session folder", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// A line that is not the last one was changed or lost.
    #[error("line {line} of the journal `{}` is damaged; name another session folder", path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
    },
    /// The id stands for another call in this session.
    #[error("the session knows another call with the id `{id}`; give each call an id of its own")]
    OtherCall {
        /// The id.
        id: String,
    },
}

/// A call as a journal keeps it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct JournalCall<'a> {
    /// As received.
    pub call: &'a ToolUse,
    /// The context in which it was decided.
    pub context: &'a ContextSnapshot,
    /// Whether it runs alone.
    pub concurrency: Concurrency,
}

impl<'a> JournalCall<'a> {
    /// A call in its context.
    #[must_use]
    pub fn new(call: &'a ToolUse, context: &'a ContextSnapshot, concurrency: Concurrency) -> Self {
        Self { call, context, concurrency }
    }
}

/// Remembers what was begun and how it ended.
///
/// # Contract
/// - `intent` is durable before the call runs; an error means that it must not run.
/// - An id stands for one call: the same name and the same input. Nothing is answered for another one.
pub trait Journal: Debug + Send + Sync {
    /// A call is about to run.
    ///
    /// # Errors
    /// When it cannot be written, or the id stands for another call.
    fn intent(&self, call: JournalCall<'_>) -> Result<(), JournalError>;

    /// A call ended, whether it ran or not.
    ///
    /// # Errors
    /// When it cannot be written.
    fn outcome(&self, call: JournalCall<'_>, finished: &Finished) -> Result<(), JournalError>;

    /// What is known about a call.
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
    /// Its content was too large to be kept.
    #[error("`{}` was too large to be kept, so it cannot be put back", path.display())]
    NotKept {
        /// Which file.
        path: PathBuf,
    },
    /// Nothing is known of the turn.
    #[error("turn {turn} changed no file that is kept; `undo --list` shows those that did")]
    NoSuchTurn {
        /// Which turn.
        turn: u64,
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

/// Whether files that somebody else changed since are put back too.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum Restore {
    /// Nothing is put back when one of the files was changed since.
    IfUnchanged,
    /// They are, and what they hold now is kept as the content before this change.
    Forced,
}

/// Keeps what files held before they were changed. Blocking: called on the blocking pool.
///
/// # Contract
/// - Keeps regular files, links and absence, each once a turn; never what is in a `.git` folder.
/// - What is too large to be kept is remembered as such, and is no error.
pub trait FileHistory: Debug + Send + Sync {
    /// The call `tool_use_id` is about to change the file `path` (absolute, links resolved), or to take it away.
    ///
    /// # Errors
    /// When it cannot be kept: the file must not be changed then.
    fn before_change(&self, tool_use_id: &str, path: &Path) -> Result<(), StoreError>;

    /// The call changed it; how it looks now tells later whether somebody else changed it since.
    ///
    /// # Errors
    /// When it cannot be noted.
    fn after_change(&self, tool_use_id: &str, path: &Path) -> Result<(), StoreError>;

    /// Puts back the files of a turn and names them.
    ///
    /// # Errors
    /// One a file that cannot be put back.
    fn restore(&self, turn: u64, restore: Restore) -> Result<Vec<PathBuf>, Vec<RestoreError>>;
}

const _: fn(&dyn FileHistory) = |_| ();
