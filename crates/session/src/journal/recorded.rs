//! Reads a journal for whoever looks back: another program, a test, a person.

use super::JOURNAL_FILE;
use super::record::{CallRecord, InputRecord, Record};
use crate::line_log::read_records;
use pegboard_tool_core::ToolUse;
use pegboard_tool_core::ports::{Finished, JournalError};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// A call of a journal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedCall {
    /// In which turn of the session, from 1.
    pub turn: u64,
    /// The call as received.
    pub call: ToolUse,
    /// Working directory in which it was decided.
    pub cwd: PathBuf,
    /// Permission mode under which it was decided, by name.
    pub mode: String,
    /// Whether it began to run.
    pub began: bool,
    /// How it ended; `None` when that is not known.
    pub finished: Option<Finished>,
}

/// Reads the journal of a session's folder, or a journal file, in the order in which its calls were first
/// seen. Does not lock: a session that is running can be read up to its last whole line.
///
/// # Errors
/// When it cannot be read, or a line other than the last is damaged.
pub fn read_journal(path: &Path) -> Result<Vec<RecordedCall>, JournalError> {
    let path = if path.is_dir() { path.join(JOURNAL_FILE) } else { path.to_path_buf() };
    let mut calls: Vec<RecordedCall> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut turn = 0;
    let mut problem = None;
    read_records(&path, |text| {
        let record: Record = match serde_json::from_str(text) {
            Ok(record) => record,
            Err(error) => {
                problem = Some(error);
                return;
            }
        };
        let mut place = |call: CallRecord, began| {
            let id = call.id.clone();
            *places.entry(id).or_insert_with(|| {
                calls.push(recorded(turn, call, began));
                calls.len() - 1
            })
        };
        match record {
            Record::Turn { turn: number, .. } => turn = number,
            Record::Intent { call, .. } => {
                place(call, true);
            }
            Record::Outcome { call, finished, .. } => {
                let at = match call {
                    Some(call) => Some(place(call, false)),
                    None => places.get(&finished.id).copied(),
                };
                if let Some(call) = at.and_then(|at| calls.get_mut(at)) {
                    call.finished = Some(finished.into_finished());
                }
            }
            Record::Unknown => {}
        }
    })?;
    match problem {
        Some(error) => Err(JournalError::Io { path, source: io::Error::other(error) }),
        None => Ok(calls),
    }
}

fn recorded(turn: u64, call: CallRecord, began: bool) -> RecordedCall {
    let tool_use = match call.input {
        InputRecord::Json(input) => ToolUse::new(call.id, call.name, input),
        InputRecord::Unreadable(text) => ToolUse::unreadable(call.id, call.name, text),
    };
    RecordedCall { turn, call: tool_use, cwd: call.cwd.into(), mode: call.mode, began, finished: None }
}
