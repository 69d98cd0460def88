//! A message of a model, read.

use crate::WireForm;
use pegboard_tool_core::ToolUse;
use pegboard_tool_core::ports::{StopReason, TurnEvent};
use serde_json::Value;
use std::collections::VecDeque;

/// What a model wrote. INVARIANT: at least one call, and no two with one id.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IncomingTurn {
    /// Form that it came in, and is answered in.
    pub form: WireForm,
    /// Its calls, in order.
    pub calls: Vec<ToolUse>,
    /// Why it ended, in the API's word, where the message says so.
    pub stop_reason: Option<String>,
    /// Whether a tool of the model's own provider is still open: then the answer may hold results only.
    pub server_tool_open: bool,
    /// The message as received, with all blocks and fields, to be sent back unchanged.
    pub raw: Value,
}

impl IncomingTurn {
    /// Whether its calls are to be run.
    #[must_use]
    pub fn stop(&self) -> StopReason {
        match self.stop_reason.as_deref() {
            None | Some("tool_use") => StopReason::ToolUse,
            Some(other) => StopReason::Other(other.to_owned()),
        }
    }

    /// The message as events for a turn executor.
    #[must_use]
    pub fn events(&self) -> VecDeque<TurnEvent> {
        let ready = self.calls.iter().cloned().map(TurnEvent::CallReady);
        ready.chain([TurnEvent::Ended(self.stop())]).collect()
    }
}
