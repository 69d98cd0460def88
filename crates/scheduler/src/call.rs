//! One call of a batch, from its decision to its result.

use futures::FutureExt;
use pegboard_tool_core::ports::{Event, Finished, Observer, Outcome, Prepared, Ready, Step, ToolInvoker};
use pegboard_tool_core::{CancellationToken, Concurrency, ErrorKind, ToolContext, ToolUse};
use std::panic::AssertUnwindSafe;
use tokio::sync::Semaphore;

/// What became of a call.
pub(crate) enum Ran {
    /// It has its result.
    Finished(Box<Finished>),
    /// It turned out stricter than its batch and runs alone after it.
    Stricter(Box<Ready>),
}

/// What the calls of a turn have in common.
pub(crate) struct Turn<'a> {
    pub(crate) invoker: &'a dyn ToolInvoker,
    pub(crate) observer: &'a dyn Observer,
    /// Fires when the turn is cancelled, and when it stops.
    pub(crate) stop: CancellationToken,
    /// Fires when the turn is cancelled only.
    pub(crate) cancel: CancellationToken,
    /// Slots of shared calls that execute.
    pub(crate) slots: &'a Semaphore,
}

impl Turn<'_> {
    /// Validates a call.
    pub(crate) fn validate(&self, call: &ToolUse, ctx: &ToolContext) -> Step<Prepared> {
        let validate = AssertUnwindSafe(|| self.invoker.validate(call.clone(), ctx));
        std::panic::catch_unwind(validate).unwrap_or_else(|_| Step::Done(Box::new(self.bug(call))))
    }

    /// Decides about a call and executes it, unless it may not run beside its batch any more.
    pub(crate) async fn run(&self, call: &ToolUse, prepared: Prepared, ctx: &ToolContext) -> Ran {
        let beside = prepared.concurrency;
        let ctx = ctx.for_call(call.id.clone(), self.stop.child_token());
        let decided = AssertUnwindSafe(self.invoker.decide(prepared, &ctx)).catch_unwind().await;
        let ready = match decided {
            Ok(Step::Next(ready)) => ready,
            Ok(Step::Done(finished)) => return Ran::Finished(self.explained(call, finished)),
            Err(_) => return Ran::Finished(Box::new(self.bug(call))),
        };
        if self.stop.is_cancelled() {
            return Ran::Finished(Box::new(self.not_run(call)));
        }
        if beside == Concurrency::Shared && ready.prepared.concurrency == Concurrency::Exclusive {
            return Ran::Stricter(Box::new(ready));
        }
        Ran::Finished(Box::new(self.execute(call, ready, ctx).await))
    }

    /// Executes a call that was decided.
    pub(crate) async fn execute(&self, call: &ToolUse, ready: Ready, ctx: ToolContext) -> Finished {
        let Some(slot) = self.stop.run_until_cancelled(self.slots.acquire()).await else {
            return self.not_run(call);
        };
        // The slot may have come from the very call that stopped the turn.
        if self.stop.is_cancelled() {
            return self.not_run(call);
        }
        let executed = AssertUnwindSafe(self.invoker.execute(ready, ctx)).catch_unwind().await;
        drop(slot);
        executed.unwrap_or_else(|_| self.bug(call))
    }

    /// The result of a call that did not start.
    pub(crate) fn not_run(&self, call: &ToolUse) -> Finished {
        if self.cancel.is_cancelled() {
            answer(self.observer, call, Outcome::Cancelled, "not run: the turn was interrupted")
        } else {
            answer(self.observer, call, Outcome::NotRun, STOPPED)
        }
    }

    fn bug(&self, call: &ToolUse) -> Finished {
        let text = "the call failed because of a defect in the tool runtime; the same call will not help";
        answer(self.observer, call, Outcome::Failed(ErrorKind::Bug), text)
    }

    /// A call whose decision was cut short because the turn stopped says so.
    fn explained(&self, call: &ToolUse, finished: Box<Finished>) -> Box<Finished> {
        if finished.outcome == Outcome::Cancelled && self.stop.is_cancelled() && !self.cancel.is_cancelled() {
            Box::new(Finished::not_run(call, Outcome::NotRun, STOPPED))
        } else {
            finished
        }
    }
}

const STOPPED: &str = "not run: the turn was stopped";

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
