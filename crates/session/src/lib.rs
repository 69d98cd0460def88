//! The session folder of a tool runtime: large results, the journal of calls, and files as they were before
//! they were changed.
//!
//! [`SessionDir`] is the folder, readable by its owner only. [`SessionDir::results`] gives the [`FileResults`] in
//! it, which keep what is too large to be inline. [`FileJournal`] remembers what was begun and how it ended;
//! [`Journaled`] wraps an invoker with it, [`read_journal`] looks back and [`Replay`] answers calls from the
//! record. [`FileBackups`] keeps what files held, so that a turn can be undone.
//!
//! Not in here: when a result is too large (the dispatcher's), and where sessions live (the caller names the
//! folder).

mod dir;
mod error;
mod history;
mod id;
mod journal;
mod line_log;
mod results;
mod sessions;

pub use dir::SessionDir;
pub use error::SessionError;
pub use history::{BackupLimits, FileBackups, TurnChanges};
pub use id::session_id;
pub use journal::{
    Difference, Durability, FileJournal, JOURNAL_FILE, Journaled, RecordedCall, Replay, read_journal,
};
pub use results::{FileResults, RESULTS_FOLDER};
pub use sessions::{AboutSession, about, sessions_in, sweep};
