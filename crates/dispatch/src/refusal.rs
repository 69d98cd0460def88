//! Calls that end before they run: the texts that the model reads, and how the turn goes on.

use pegboard_tool_core::ports::{Finished, Outcome};
use pegboard_tool_core::{ErrorKind, ToolResult};
use serde_json::Value;
use std::sync::Arc;

/// The model reads this when a call was cancelled.
pub(crate) const INTERRUPTED: &str = "The call was interrupted.";
/// The model reads this when a defect of ours ended a call.
pub(crate) const DEFECT: &str = "The call failed because of an internal error.";
/// The model reads this when a step was handed something that another invoker made.
pub(crate) const FOREIGN: &str = "The call did not run: it was not checked by this invoker.";

/// Who a call is: all that its result needs.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) id: Arc<str>,
    /// Canonical name, or the name as called when there is none.
    pub(crate) tool: Arc<str>,
    pub(crate) input: Arc<Value>,
}

impl Identity {
    /// An error result for a call that ends now.
    pub(crate) fn end(&self, outcome: Outcome, text: impl Into<String>) -> Box<Finished> {
        let result = ToolResult::error(Arc::clone(&self.id), text);
        Box::new(Finished::new(result, Arc::clone(&self.tool), Arc::clone(&self.input), outcome))
    }

    /// It was cancelled.
    pub(crate) fn cancelled(&self) -> Box<Finished> {
        self.end(Outcome::Cancelled, INTERRUPTED)
    }

    /// A panic of some layer ended it.
    pub(crate) fn defect(&self) -> Box<Finished> {
        self.end(Outcome::Failed(ErrorKind::Bug), DEFECT)
    }

    /// It did not run and the turn stops.
    pub(crate) fn stopped(&self, outcome: Outcome, text: impl Into<String>, stop: String) -> Box<Finished> {
        let mut finished = self.end(outcome, text);
        finished.stop = Some(stop);
        finished
    }
}
