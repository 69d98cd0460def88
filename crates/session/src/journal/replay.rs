//! Runs a journal again: the same calls, answered from the record, and what differs.

use super::recorded::RecordedCall;
use super::same_call::Fingerprint;
use async_trait::async_trait;
use pegboard_tool_core::ports::{Finished, Outcome, Prepared, Ready, Step, ToolInvoker};
use pegboard_tool_core::{Accesses, Concurrency, ErrorKind, ToolContext, ToolUse};
use std::collections::HashMap;
use std::sync::Arc;

/// Answers calls with what a journal recorded; runs nothing. A call that is not in the journal, or differs
/// from the one with its id, gets an error result.
#[derive(Debug)]
pub struct Replay {
    calls: HashMap<String, (Fingerprint, Option<Finished>)>,
}

impl Replay {
    /// From the calls of a journal.
    #[must_use]
    pub fn new(calls: &[RecordedCall]) -> Self {
        let entry = |call: &RecordedCall| {
            (call.call.id.to_string(), (Fingerprint::of(&call.call), call.finished.clone()))
        };
        Self { calls: calls.iter().map(entry).collect() }
    }

    fn answer(&self, call: &ToolUse) -> Finished {
        let unavailable = |text| Finished::not_run(call, Outcome::Failed(ErrorKind::Unavailable), text);
        match self.calls.get(&*call.id) {
            Some((recorded, _)) if *recorded != Fingerprint::of(call) => {
                unavailable("not run: the journal has another call with this id")
            }
            Some((_, Some(finished))) => finished.clone(),
            Some((_, None)) => unavailable("not run: the journal has no outcome of this call"),
            None => unavailable("not run: the journal does not have this call"),
        }
    }
}

#[async_trait]
impl ToolInvoker for Replay {
    fn validate(&self, call: ToolUse, _ctx: &ToolContext) -> Step<Prepared> {
        let finished = self.answer(&call);
        let (tool, changes) = (Arc::clone(&finished.tool), finished.context_change.is_some());
        // A change of the context takes its turn; everything else is answered at once.
        if changes {
            let payload = Box::new(finished);
            Step::Next(Prepared::new(
                call.id,
                tool,
                Concurrency::Exclusive,
                Accesses::nothing(),
                true,
                payload,
            ))
        } else {
            Step::Done(Box::new(finished))
        }
    }

    async fn decide(&self, call: Prepared, _ctx: &ToolContext) -> Step<Ready> {
        let unknown = ToolUse::new(Arc::clone(&call.id), Arc::clone(&call.tool), serde_json::Value::Null);
        match call.into_payload().downcast::<Finished>() {
            Ok(finished) => Step::Done(finished),
            Err(_) => Step::Done(Box::new(self.answer(&unknown))),
        }
    }

    async fn execute(&self, ready: Ready, _ctx: ToolContext) -> Finished {
        let id = ready.prepared.id;
        self.answer(&ToolUse::new(id, ready.prepared.tool, serde_json::Value::Null))
    }
}

/// A call that ended otherwise than the journal says.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Id of the call.
    pub id: String,
    /// What the journal says: the result's text, and whether it is an error. `None`: nothing.
    pub recorded: Option<(String, bool)>,
    /// What it is now.
    pub now: (String, bool),
}

impl Replay {
    /// Compares results with the recorded ones.
    #[must_use]
    pub fn differences(&self, finished: &[Finished]) -> Vec<Difference> {
        let shown = |finished: &Finished| (finished.result.joined_text(), finished.result.is_error);
        let mut found = Vec::new();
        for now in finished {
            let id = now.result.tool_use_id.to_string();
            let recorded = self.calls.get(&id).and_then(|(_, recorded)| recorded.as_ref());
            let is_same = recorded
                .is_some_and(|recorded| recorded.result == now.result && recorded.outcome == now.outcome);
            if !is_same {
                found.push(Difference { id, recorded: recorded.map(shown), now: shown(now) });
            }
        }
        found
    }
}
