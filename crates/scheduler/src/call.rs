//! One call, from its decision to its result.

use crate::outcome::{self, Began, Ending};
use futures::FutureExt;
use pegboard_tool_core::ports::{Finished, Observer, Outcome, Prepared, Ready, Step, ToolInvoker};
use pegboard_tool_core::{CancellationToken, ErrorKind, ToolContext, ToolUse};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// What became of a call.
#[derive(Debug)]
pub(crate) enum Ran {
    /// It has its result.
    Finished(Box<Finished>),
    /// It was decided and did not begin to run.
    Decided(Box<Ready>),
}

/// What the calls of a turn have in common.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) invoker: Arc<dyn ToolInvoker>,
    pub(crate) observer: Arc<dyn Observer>,
    /// Fires when nothing of the message may run any more: cancelled, stopped, or a sibling failed.
    pub(crate) stop: CancellationToken,
    /// Fires when the turn is cancelled only.
    pub(crate) cancel: CancellationToken,
    /// Slots of calls that execute.
    pub(crate) slots: Arc<Semaphore>,
    /// Why `stop` fired, when nobody cancelled.
    ending: Arc<Mutex<Option<Ending>>>,
}

impl Calls {
    pub(crate) fn new(
        invoker: Arc<dyn ToolInvoker>,
        observer: Arc<dyn Observer>,
        cancel: &CancellationToken,
        limit: usize,
    ) -> Self {
        Self {
            invoker,
            observer,
            stop: cancel.child_token(),
            cancel: cancel.clone(),
            slots: Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))),
            ending: Arc::default(),
        }
    }

    /// Nothing further begins and what runs is cancelled, for this reason. The first reason stands.
    pub(crate) fn end(&self, ending: Ending) {
        self.ending.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(ending);
        self.stop.cancel();
    }

    /// Nothing further begins; what runs goes on. The first reason stands.
    pub(crate) fn close(&self, ending: Ending) {
        self.ending.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(ending);
    }

    /// The message is written again: what closed its dropped attempt does not close the new one.
    pub(crate) fn reopened(&self) -> Self {
        match self.ending() {
            Some(Ending::Failed(_) | Ending::Cut(_) | Ending::Sibling(_)) => {
                Self { stop: self.cancel.child_token(), ending: Arc::default(), ..self.clone() }
            }
            Some(Ending::Cancelled | Ending::Stopped) | None => self.clone(),
        }
    }

    /// Why nothing further begins.
    pub(crate) fn ending(&self) -> Option<Ending> {
        if self.cancel.is_cancelled() {
            return Some(Ending::Cancelled);
        }
        self.ending.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Validates a call.
    pub(crate) fn validate(&self, call: &ToolUse, ctx: &ToolContext) -> Step<Prepared> {
        let validate = AssertUnwindSafe(|| self.invoker.validate(call.clone(), ctx));
        std::panic::catch_unwind(validate).unwrap_or_else(|_| Step::Done(Box::new(self.bug(call))))
    }

    /// Decides about a call; executes it when it may run beside those that it was begun with.
    pub(crate) async fn run(
        &self,
        call: &ToolUse,
        prepared: Prepared,
        ctx: &ToolContext,
        is_stricter: impl FnOnce(&Ready) -> bool,
    ) -> Ran {
        let ctx = ctx.for_call(Arc::clone(&call.id), self.stop.child_token());
        let decided = AssertUnwindSafe(self.invoker.decide(prepared, &ctx)).catch_unwind().await;
        let ready = match decided {
            Ok(Step::Next(ready)) => ready,
            Ok(Step::Done(finished)) => return Ran::Finished(self.explained(call, finished, Began::No)),
            Err(_) => return Ran::Finished(Box::new(self.bug(call))),
        };
        if let Some(ending) = self.ending() {
            return Ran::Finished(Box::new(self.not_run(call, &ending)));
        }
        if is_stricter(&ready) {
            return Ran::Decided(Box::new(ready));
        }
        Ran::Finished(self.execute(call, ready, ctx).await)
    }

    /// Executes a call that was decided.
    pub(crate) async fn execute(&self, call: &ToolUse, ready: Ready, ctx: ToolContext) -> Box<Finished> {
        let slot = self.stop.run_until_cancelled(self.slots.acquire()).await;
        // The slot may have come from the very call that ended the turn.
        if let Some(ending) = self.ending() {
            return Box::new(self.not_run(call, &ending));
        }
        let executed = AssertUnwindSafe(self.invoker.execute(ready, ctx)).catch_unwind().await;
        drop(slot);
        match executed {
            Ok(finished) => self.explained(call, Box::new(finished), Began::Yes),
            Err(_) => Box::new(self.bug(call)),
        }
    }

    /// The result of a call that did not begin.
    pub(crate) fn not_run(&self, call: &ToolUse, ending: &Ending) -> Finished {
        outcome::answer(&*self.observer, call, ending.outcome(), &ending.text())
    }

    fn bug(&self, call: &ToolUse) -> Finished {
        let text = "the call failed because of a defect in the tool runtime; the same call will not help";
        outcome::answer(&*self.observer, call, Outcome::Failed(ErrorKind::Bug), text)
    }

    /// A call that was cut short says why, when it was not the turn that was cancelled.
    fn explained(&self, call: &ToolUse, finished: Box<Finished>, began: Began) -> Box<Finished> {
        if finished.outcome != Outcome::Cancelled || !self.stop.is_cancelled() || self.cancel.is_cancelled() {
            return finished;
        }
        match self.ending() {
            Some(ending) => ending.explain(call, finished, began),
            None => finished,
        }
    }
}
