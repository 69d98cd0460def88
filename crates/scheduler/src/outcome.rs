//! The results that the scheduler itself gives: why a call did not run, or was cut short.

use crate::slot::State;
use crate::turn::Turn;
use futures::FutureExt;
use pegboard_tool_core::ports::{Event, Finished, Observer, Outcome, TurnEnd, TurnOutcome};
use pegboard_tool_core::{ResultContent, ToolUse};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Why nothing further of a message begins.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Ending {
    /// The turn was cancelled.
    Cancelled,
    /// A person or a hook stopped the turn.
    Stopped,
    /// This `Bash` call of the message failed.
    Sibling(Arc<str>),
    /// The response ended for this reason, and not to have its tools run.
    Cut(String),
    /// The response failed.
    Failed(String),
}

impl Ending {
    /// What a call that did not begin is told.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Cancelled => "not run: the turn was interrupted".to_owned(),
            Self::Stopped => "not run: the turn was stopped".to_owned(),
            Self::Sibling(id) => format!(
                "not run: sibling_error: the Bash call `{id}` of the same message failed; look at its result first"
            ),
            Self::Cut(reason) if reason.is_empty() => "not run: the response was cut".to_owned(),
            Self::Cut(reason) => format!("not run: the response was cut ({reason})"),
            Self::Failed(why) => format!("not run: the response failed ({why})"),
        }
    }

    /// How a call that did not begin ended.
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::Cancelled => Outcome::Cancelled,
            Self::Stopped | Self::Sibling(_) | Self::Cut(_) | Self::Failed(_) => Outcome::NotRun,
        }
    }

    /// Tells a call that was cut short why.
    pub(crate) fn explain(&self, call: &ToolUse, mut finished: Box<Finished>, began: Began) -> Box<Finished> {
        match (began, self) {
            (Began::No, _) => Box::new(Finished::not_run(call, Outcome::NotRun, self.text())),
            (Began::Yes, Self::Sibling(id)) => {
                let why = format!(
                    "sibling_error: cut short because the Bash call `{id}` of the same message failed; what it did \
                     until then stands"
                );
                finished.result.content.insert(0, ResultContent::Text(why));
                finished
            }
            (Began::Yes, Self::Cancelled | Self::Stopped | Self::Cut(_) | Self::Failed(_)) => finished,
        }
    }
}

/// Whether a call began to run before it was cut short.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Began {
    Yes,
    No,
}

/// The result of a call that the invoker gave none; whoever watches is told, as the invoker would.
pub(crate) fn answer(observer: &dyn Observer, call: &ToolUse, outcome: Outcome, text: &str) -> Finished {
    let finished = Finished::not_run(call, outcome, text);
    observer.event(&Event::Finished {
        id: &call.id,
        tool: &finished.tool,
        outcome,
        is_error: finished.result.is_error,
        duration: finished.duration,
    });
    finished
}

impl Turn<'_> {
    /// The results in call order, and how the turn ended.
    pub(crate) async fn outcome(mut self) -> TurnOutcome {
        // INVARIANT: one result for each call, in call order; a call that has none yet is answered too.
        let ending = self.calls.ending().unwrap_or(Ending::Stopped);
        let slots = std::mem::take(&mut self.slots);
        let calls: Vec<Finished> = slots
            .iter()
            .map(|slot| match &slot.state {
                State::Finished(finished) => (**finished).clone(),
                State::Waiting { .. } | State::Begun | State::Stricter(_) => {
                    self.calls.not_run(&slot.call, &ending)
                }
            })
            .collect();
        let mut messages: Vec<String> = calls.iter().flat_map(|call| call.messages.iter().cloned()).collect();
        messages.extend(self.orphans.reports());
        let context = Arc::clone(self.ctx.snapshot());
        let deferred = slots.iter().zip(&calls).find(|(_, call)| call.outcome == Outcome::Deferred);
        let is_cut = matches!(ending, Ending::Cut(_) | Ending::Failed(_));
        let end = if let Some((slot, _)) = deferred {
            TurnEnd::Deferred((*slot.call).clone())
        } else if self.calls.cancel.is_cancelled() {
            TurnEnd::Cancelled
        } else {
            if !calls.is_empty() && (self.has_begun || !is_cut) {
                let (more, stop) = self.finish_batch(&calls).await;
                messages.extend(more);
                self.stopped = self.stopped.or(stop);
            }
            match (self.failed, self.stopped) {
                (Some(why), _) => TurnEnd::Failed(why),
                (None, Some(why)) => TurnEnd::Stopped(why),
                (None, None) => TurnEnd::Completed,
            }
        };
        TurnOutcome::new(calls, messages, end, context)
    }

    async fn finish_batch(&self, calls: &[Finished]) -> (Vec<String>, Option<String>) {
        let finished = self.calls.invoker.finish_batch(calls, &self.ctx);
        AssertUnwindSafe(finished).catch_unwind().await.unwrap_or_else(|_| {
            let text = "the hooks after the calls failed because of a defect in the tool runtime";
            self.calls.observer.event(&Event::Notice { id: None, text });
            (Vec::new(), None)
        })
    }
}
