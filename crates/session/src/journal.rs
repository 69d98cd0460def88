//! The journal of a session: what was begun, before it runs; how it ended, after.

mod journaled;
mod record;
mod recorded;
mod replay;
mod same_call;

pub use journaled::Journaled;
pub use recorded::{RecordedCall, read_journal};
pub use replay::{Difference, Replay};

use crate::line_log::{LineLog, Span, Sync};
use pegboard_tool_core::ports::{Finished, Journal, JournalCall, JournalError, JournalRecord};
use pegboard_tool_core::{Concurrency, ToolUse};
use record::{CallRecord, FinishedRecord, Record};
use same_call::Fingerprint;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the journal in a session's folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";

/// What a journal survives.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the three of the settings")]
pub enum Durability {
    /// The end of the process, whatever ends it: each line is written at once.
    #[default]
    Process,
    /// A loss of power: what comes before an exclusive call is on the disk before the call runs.
    Power,
    /// Nothing: no file is written, and no later process answers for this one.
    None,
}

impl Durability {
    /// From its name in settings: `process`, `power` or `none`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "process" => Some(Self::Process),
            "power" => Some(Self::Power),
            "none" => Some(Self::None),
            _ => None,
        }
    }
}

/// The journal of one session in a file of JSON lines. Only one process can have it open. Writes are short
/// and happen in the calling thread.
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    durability: Durability,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// None with [`Durability::None`].
    log: Option<LineLog>,
    calls: HashMap<String, Known>,
    turn: u64,
    is_turn_written: bool,
}

/// What is known of an id.
#[derive(Debug)]
struct Known {
    call: Fingerprint,
    outcome: Option<Kept>,
}

#[derive(Debug)]
enum Kept {
    /// In the file.
    At(Span),
    /// Here, where there is no file.
    Here(Box<Finished>),
}

impl FileJournal {
    /// Opens the journal in the session's folder, or makes it. A torn last line is cut. What follows is a new
    /// turn.
    ///
    /// # Errors
    /// When another process has it open, a line is damaged, or the system refuses.
    pub fn open(session: &Path, durability: Durability) -> Result<Self, JournalError> {
        let path = session.join(JOURNAL_FILE);
        let mut calls = HashMap::new();
        let mut turn = 0;
        let mut unreadable = None;
        let mut line = 0;
        let log = match durability {
            Durability::None => None,
            Durability::Process | Durability::Power => Some(LineLog::open(&path, |text, span| {
                line += 1;
                match serde_json::from_str(text) {
                    Ok(record) => learn(&mut calls, &mut turn, record, span),
                    Err(_) => unreadable = unreadable.or(Some(line)),
                }
            })?),
        };
        if let Some(line) = unreadable {
            return Err(JournalError::Damaged { path, line });
        }
        let state = State { log, calls, turn: turn + 1, is_turn_written: false };
        Ok(Self { path, durability, state: Mutex::new(state) })
    }

    /// Number of the turn that is written now, from 1.
    #[must_use]
    pub fn turn(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).turn
    }

    fn write(&self, state: &mut State, record: &Record, sync: Sync) -> Result<Option<Span>, JournalError> {
        let Some(log) = state.log.as_mut() else { return Ok(None) };
        let text = |record: &Record| {
            serde_json::to_string(record).map_err(|error| JournalError::Io {
                path: self.path.clone(),
                source: io::Error::other(error),
            })
        };
        if !state.is_turn_written {
            let turn = Record::Turn { turn: state.turn, ms: now(), v: record::VERSION };
            log.append(&text(&turn)?, Sync::Later)?;
            state.is_turn_written = true;
        }
        log.append(&text(record)?, sync).map(Some)
    }
}

/// What a line of an earlier process says.
fn learn(calls: &mut HashMap<String, Known>, turn: &mut u64, record: Record, span: Span) {
    match record {
        Record::Turn { turn: number, .. } => *turn = (*turn).max(number),
        Record::Intent { call, .. } => {
            let known = Known { call: Fingerprint::of_record(&call), outcome: None };
            calls.entry(call.id).or_insert(known);
        }
        Record::Outcome { call, finished, .. } => {
            let id = call.as_ref().map_or_else(|| finished.id.clone(), |call| call.id.clone());
            if let Some(call) = call {
                let known = Known { call: Fingerprint::of_record(&call), outcome: None };
                calls.entry(id.clone()).or_insert(known);
            }
            if let Some(known) = calls.get_mut(&id) {
                known.outcome = Some(Kept::At(span));
            }
        }
        Record::Unknown => {}
    }
}

impl Journal for FileJournal {
    fn intent(&self, call: JournalCall<'_>) -> Result<(), JournalError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fingerprint = Fingerprint::of(call.call);
        match state.calls.get(&*call.call.id) {
            Some(known) if known.call != fingerprint => {
                return Err(JournalError::OtherCall { id: call.call.id.to_string() });
            }
            // A call that began is not begun again, whoever asks.
            Some(_) => return Err(already(&self.path, &call.call.id)),
            None => {}
        }
        let sync = match (self.durability, call.concurrency) {
            (Durability::Power, Concurrency::Exclusive) => Sync::Now,
            _ => Sync::Later,
        };
        self.write(&mut state, &Record::Intent { ms: now(), call: CallRecord::of(call) }, sync)?;
        state.calls.insert(call.call.id.to_string(), Known { call: fingerprint, outcome: None });
        Ok(())
    }

    fn outcome(&self, call: JournalCall<'_>, finished: &Finished) -> Result<(), JournalError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fingerprint = Fingerprint::of(call.call);
        let began = match state.calls.get(&*call.call.id) {
            Some(known) if known.call != fingerprint => {
                return Err(JournalError::OtherCall { id: call.call.id.to_string() });
            }
            Some(known) if known.outcome.is_some() => return Ok(()),
            known => known.is_some(),
        };
        let record = Record::Outcome {
            ms: now(),
            call: (!began).then(|| CallRecord::of(call)),
            finished: Box::new(FinishedRecord::of(finished)),
        };
        let sync = if self.durability == Durability::Power { Sync::Now } else { Sync::Later };
        let kept = match self.write(&mut state, &record, sync)? {
            Some(span) => Kept::At(span),
            None => Kept::Here(Box::new(finished.clone())),
        };
        let known = Known { call: fingerprint, outcome: Some(kept) };
        state.calls.insert(call.call.id.to_string(), known);
        Ok(())
    }

    fn recorded(&self, call: &ToolUse) -> Result<JournalRecord, JournalError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let span = match state.calls.get(&*call.id) {
            None => return Ok(JournalRecord::None),
            Some(known) if known.call != Fingerprint::of(call) => {
                return Err(JournalError::OtherCall { id: call.id.to_string() });
            }
            Some(Known { outcome: None, .. }) => return Ok(JournalRecord::Intent),
            Some(Known { outcome: Some(Kept::Here(finished)), .. }) => {
                return Ok(JournalRecord::Outcome(finished.clone()));
            }
            Some(Known { outcome: Some(Kept::At(span)), .. }) => *span,
        };
        let Some(log) = state.log.as_mut() else { return Ok(JournalRecord::Intent) };
        match serde_json::from_str(&log.read(span)?) {
            Ok(Record::Outcome { finished, .. }) => {
                Ok(JournalRecord::Outcome(Box::new(finished.into_finished())))
            }
            Ok(_) => Ok(JournalRecord::Intent),
            Err(error) => Err(JournalError::Io { path: self.path.clone(), source: io::Error::other(error) }),
        }
    }
}

fn already(path: &Path, id: &str) -> JournalError {
    let text = format!("the call `{id}` began already");
    JournalError::Io { path: path.to_path_buf(), source: io::Error::other(text) }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
