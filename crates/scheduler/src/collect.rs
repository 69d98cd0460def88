//! From the events of a message to its calls.

use pegboard_tool_core::ports::{Event, Observer, StopReason, TurnEvent, TurnEvents};
use pegboard_tool_core::{CancellationToken, ToolUse};
use std::collections::HashSet;

/// How a message ended.
pub(crate) enum MessageEnd {
    /// Its calls are to be run.
    Whole,
    /// Its calls are not run, with this text as their result.
    Cut(String),
    /// It failed, with this text.
    Failed(String),
}

/// Takes all events. Of two calls with one id the first stands and the repeat is reported.
pub(crate) async fn collect(
    mut events: Box<dyn TurnEvents>,
    cancel: &CancellationToken,
    observer: &dyn Observer,
) -> (Vec<ToolUse>, MessageEnd) {
    let mut calls: Vec<ToolUse> = Vec::new();
    let mut ids = HashSet::new();
    let end = loop {
        let event = match cancel.run_until_cancelled(events.next()).await {
            Some(Some(event)) => event,
            // The events are over without an end: what was complete stands.
            Some(None) | None => break MessageEnd::Whole,
        };
        match event {
            TurnEvent::CallReady(call) if ids.insert(call.id.clone()) => calls.push(call),
            TurnEvent::CallReady(call) => {
                let text = "two calls of the message have this id; the first stands, the repeat is not run";
                observer.event(&Event::Notice { id: Some(&call.id), text });
            }
            TurnEvent::Ended(StopReason::ToolUse) => break MessageEnd::Whole,
            TurnEvent::Ended(StopReason::Other(reason)) => {
                break MessageEnd::Cut(format!("not run: the response was cut ({reason})"));
            }
            TurnEvent::Ended(_) => break MessageEnd::Cut("not run: the response was cut".to_owned()),
            TurnEvent::Failed(why) => break MessageEnd::Failed(why),
            // Starts and deltas of inputs matter to whoever starts calls before the message ends.
            _ => {}
        }
    };
    (calls, end)
}
