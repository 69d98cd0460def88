//! A response that is tried again: what the dropped attempt began is not begun a second time.
//!
//! A call of the new attempt that equals a begun one of a dropped attempt (same name, same input, as the n-th of
//! its kind) takes its place. What is not taken over is told after the results.

use pegboard_tool_core::ports::{Finished, Outcome};
use pegboard_tool_core::{RawInput, ToolUse};
use std::sync::Arc;

/// Begun calls of dropped attempts that no new call has taken over, in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Orphans {
    calls: Vec<Orphan>,
}

#[derive(Debug)]
struct Orphan {
    /// Which future it is.
    key: usize,
    call: Arc<ToolUse>,
    finished: Option<Box<Finished>>,
}

/// What a call of a new attempt takes over.
#[derive(Debug)]
pub(crate) enum TakenOver {
    /// A call that still runs, by the key of its future.
    Running(usize),
    /// One that is done; the result is for the new call's id.
    Finished(Box<Finished>),
}

impl Orphans {
    /// A call of a dropped attempt that began.
    pub(crate) fn add(&mut self, key: usize, call: Arc<ToolUse>, finished: Option<Box<Finished>>) {
        self.calls.push(Orphan { key, call, finished });
    }

    /// The first begun call that equals this one.
    pub(crate) fn take(&mut self, call: &ToolUse) -> Option<TakenOver> {
        let at = self.calls.iter().position(|orphan| is_same(&orphan.call, call))?;
        let orphan = self.calls.remove(at);
        Some(match orphan.finished {
            Some(finished) => TakenOver::Finished(under_id(finished, call)),
            None => TakenOver::Running(orphan.key),
        })
    }

    /// A begun call ended that nobody took over yet.
    pub(crate) fn ended(&mut self, key: usize, finished: Box<Finished>) {
        if let Some(orphan) = self.calls.iter_mut().find(|orphan| orphan.key == key) {
            orphan.finished = Some(finished);
        }
    }

    /// A call that was decided and will not run.
    pub(crate) fn forget(&mut self, key: usize) {
        self.calls.retain(|orphan| orphan.key != key);
    }

    /// Whether one of them still runs.
    pub(crate) fn any_runs(&self) -> bool {
        self.calls.iter().any(|orphan| orphan.finished.is_none())
    }

    /// What the model is told about those that nobody took over.
    pub(crate) fn reports(&self) -> Vec<String> {
        let told = self.calls.iter().filter_map(|orphan| {
            let finished = orphan.finished.as_ref()?;
            let how = match finished.outcome {
                Outcome::Succeeded => "ran and succeeded",
                Outcome::Failed(_) => "ran and failed",
                Outcome::Cancelled => "was cut short",
                Outcome::Invalid | Outcome::Refused | Outcome::NotRun | Outcome::Deferred => return None,
            };
            Some(format!(
                "A call of `{}` from an earlier attempt at this message {how}; the message was then written again \
                 without it. Its result was:\n{}",
                finished.tool,
                finished.result.joined_text()
            ))
        });
        told.collect()
    }
}

/// The same result as that of another call.
pub(crate) fn under_id(mut finished: Box<Finished>, call: &ToolUse) -> Box<Finished> {
    finished.result.tool_use_id = Arc::clone(&call.id);
    finished
}

fn is_same(a: &ToolUse, b: &ToolUse) -> bool {
    a.name == b.name
        && match (&a.input, &b.input) {
            (RawInput::Json(a), RawInput::Json(b)) => a == b,
            (RawInput::Unreadable(a), RawInput::Unreadable(b)) => a == b,
            (RawInput::Json(_), RawInput::Unreadable(_)) | (RawInput::Unreadable(_), RawInput::Json(_)) => {
                false
            }
        }
}
