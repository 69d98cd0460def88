//! The default schedule: batches of shared calls, everything else alone, in call order.

use crate::call::{Ran, Turn, answer};
use crate::collect::{MessageEnd, collect};
use async_trait::async_trait;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use pegboard_tool_core::ports::{
    Event, Finished, Observer, Outcome, Prepared, Ready, Step, ToolInvoker, TurnEnd, TurnEvents,
    TurnExecutor, TurnOutcome,
};
use pegboard_tool_core::{Concurrency, ToolContext, ToolUse};
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Shared calls that run at once when nothing else is said.
pub const DEFAULT_MAX_CONCURRENCY: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// Runs the calls of a message in batches.
#[derive(Clone, Debug)]
pub struct Batches {
    invoker: Arc<dyn ToolInvoker>,
    observer: Arc<dyn Observer>,
    max_concurrency: NonZeroUsize,
}

impl Batches {
    /// Batches of at most [`DEFAULT_MAX_CONCURRENCY`] calls at once, which nobody watches.
    #[must_use]
    pub fn new(invoker: Arc<dyn ToolInvoker>) -> Self {
        Self { invoker, observer: Arc::new(()), max_concurrency: DEFAULT_MAX_CONCURRENCY }
    }

    /// The same with another limit of shared calls that run at once.
    #[must_use]
    pub fn with_max_concurrency(self, max_concurrency: NonZeroUsize) -> Self {
        Self { max_concurrency, ..self }
    }

    /// The same, watched.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer, ..self }
    }
}

#[async_trait]
impl TurnExecutor for Batches {
    async fn run(&self, events: Box<dyn TurnEvents>, ctx: ToolContext) -> TurnOutcome {
        let (calls, end) = collect(events, &ctx.cancel, &*self.observer).await;
        let refuse = |text: &str| -> Vec<Finished> {
            calls.iter().map(|call| answer(&*self.observer, call, Outcome::NotRun, text)).collect()
        };
        let context = Arc::clone(ctx.snapshot());
        match end {
            MessageEnd::Whole => {}
            MessageEnd::Cut(text) => {
                return TurnOutcome::new(refuse(&text), Vec::new(), TurnEnd::Completed, context);
            }
            MessageEnd::Failed(why) => {
                let finished = refuse(&format!("not run: the response failed ({why})"));
                return TurnOutcome::new(finished, Vec::new(), TurnEnd::Failed(why), context);
            }
        }
        let slots = Semaphore::new(self.max_concurrency.get().min(Semaphore::MAX_PERMITS));
        let turn = Turn {
            invoker: &*self.invoker,
            observer: &*self.observer,
            stop: ctx.cancel.child_token(),
            cancel: ctx.cancel.clone(),
            slots: &slots,
        };
        let ctx = ctx.with_defer(calls.len() == 1);
        Run::new(self, turn, &calls, ctx).finish().await
    }
}

/// A turn while it runs.
struct Run<'a> {
    executor: &'a Batches,
    turn: Turn<'a>,
    calls: &'a [ToolUse],
    ctx: ToolContext,
    prepared: Vec<Option<(u64, Prepared)>>,
    finished: Vec<Option<Finished>>,
    stopped: Option<String>,
}

impl<'a> Run<'a> {
    /// Validates every call; what is invalid is answered now, without waiting.
    fn new(executor: &'a Batches, turn: Turn<'a>, calls: &'a [ToolUse], ctx: ToolContext) -> Self {
        let mut run = Self {
            executor,
            turn,
            calls,
            ctx,
            prepared: calls.iter().map(|_| None).collect(),
            finished: calls.iter().map(|_| None).collect(),
            stopped: None,
        };
        for at in 0..calls.len() {
            run.validate(at);
        }
        run
    }

    fn validate(&mut self, at: usize) {
        let Some(call) = self.calls.get(at) else { return };
        let generation = self.ctx.generation;
        match self.turn.validate(call, &self.ctx) {
            Step::Next(prepared) => self.put_prepared(at, Some((generation, prepared))),
            Step::Done(finished) => self.put_finished(at, *finished),
        }
    }

    async fn finish(mut self) -> TurnOutcome {
        let mut next = 0;
        while next < self.calls.len() {
            let batch = self.batch_from(next);
            next = batch.end;
            self.run_batch(batch).await;
        }
        self.outcome().await
    }

    /// The batch that begins at `first`: the shared calls from there on, or one call.
    fn batch_from(&mut self, first: usize) -> std::ops::Range<usize> {
        let mut end = first;
        while end < self.calls.len() && self.is_shared(end) {
            end += 1;
        }
        first..end.max(first + 1)
    }

    /// Whether a call may run beside others, in the context of now. An invalid one may not.
    fn is_shared(&mut self, at: usize) -> bool {
        let stale = matches!(self.prepared.get(at), Some(Some((generation, _))) if *generation != self.ctx.generation);
        if stale {
            self.validate(at);
        }
        matches!(self.prepared.get(at), Some(Some((_, prepared))) if prepared.concurrency == Concurrency::Shared)
    }

    async fn run_batch(&mut self, batch: std::ops::Range<usize>) {
        let mut waiting = Vec::with_capacity(batch.len());
        for at in batch {
            match (self.prepared.get_mut(at).and_then(Option::take), self.calls.get(at)) {
                (Some((_, prepared)), Some(call)) if self.turn.stop.is_cancelled() => {
                    drop(prepared);
                    let finished = self.turn.not_run(call);
                    self.put_finished(at, finished);
                }
                (Some((_, prepared)), Some(call)) => waiting.push((at, call, prepared)),
                _ => {}
            }
        }
        if waiting.is_empty() {
            return;
        }
        let ids: Vec<Arc<str>> = waiting.iter().map(|(_, call, _)| Arc::clone(&call.id)).collect();
        self.executor.observer.event(&Event::BatchStarted { ids: &ids });
        let stricter = self.run_together(waiting).await;
        for (at, ready) in stricter {
            self.run_alone(at, ready).await;
        }
    }

    /// Runs calls beside each other; gives back those that may not, in call order.
    async fn run_together(&mut self, waiting: Vec<(usize, &'a ToolUse, Prepared)>) -> Vec<(usize, Ready)> {
        let shared = waiting.iter().any(|(_, _, prepared)| prepared.concurrency == Concurrency::Shared);
        let mut stricter = Vec::new();
        let mut change = None;
        {
            let (turn, ctx) = (&self.turn, &self.ctx);
            let mut running: FuturesUnordered<_> = waiting
                .into_iter()
                .map(|(at, call, prepared)| async move { (at, turn.run(call, prepared, ctx).await) })
                .collect();
            while let Some((at, ran)) = running.next().await {
                match ran {
                    Ran::Stricter(ready) => stricter.push((at, *ready)),
                    Ran::Finished(mut finished) => {
                        if let Some(why) = &finished.stop
                            && self.stopped.is_none()
                        {
                            self.stopped = Some(why.clone());
                            turn.stop.cancel();
                        }
                        change = finished.context_change.take();
                        if let Some(slot) = self.finished.get_mut(at) {
                            *slot = Some(*finished);
                        }
                        if shared && change.take().is_some() {
                            let id = self.calls.get(at).map(|call| &*call.id);
                            let text = "a shared call may not change the context; its change is dropped";
                            self.executor.observer.event(&Event::Notice { id, text });
                        }
                    }
                }
            }
        }
        if let Some(change) = change {
            self.change_context(&change);
        }
        stricter.sort_by_key(|(at, _)| *at);
        stricter
    }

    async fn run_alone(&mut self, at: usize, ready: Ready) {
        let Some(call) = self.calls.get(at) else { return };
        let mut finished = if self.turn.stop.is_cancelled() {
            self.turn.not_run(call)
        } else {
            let ctx = self.ctx.for_call(Arc::clone(&call.id), self.turn.stop.child_token());
            self.turn.execute(call, ready, ctx).await
        };
        if let Some(why) = &finished.stop
            && self.stopped.is_none()
        {
            self.stopped = Some(why.clone());
            self.turn.stop.cancel();
        }
        let change = finished.context_change.take();
        self.put_finished(at, finished);
        if let Some(change) = change {
            self.change_context(&change);
        }
    }

    fn change_context(&mut self, change: &pegboard_tool_core::ContextChange) {
        let changed = self.ctx.snapshot().changed(change);
        self.ctx = self.ctx.with_snapshot(Arc::new(changed));
    }

    async fn outcome(mut self) -> TurnOutcome {
        let turn = &self.turn;
        let results = std::mem::take(&mut self.finished).into_iter().zip(self.calls);
        // INVARIANT: one result for each call, in call order; a slot that stayed empty is answered too.
        let calls: Vec<Finished> =
            results.map(|(finished, call)| finished.unwrap_or_else(|| turn.not_run(call))).collect();
        let mut messages: Vec<String> = calls.iter().flat_map(|call| call.messages.iter().cloned()).collect();
        let mut stopped = self.stopped.take();
        let deferred =
            self.calls.iter().zip(&calls).find(|(_, finished)| finished.outcome == Outcome::Deferred);
        let end = if let Some((call, _)) = deferred {
            TurnEnd::Deferred(call.clone())
        } else if self.turn.cancel.is_cancelled() {
            TurnEnd::Cancelled
        } else if calls.is_empty() {
            TurnEnd::Completed
        } else {
            let finished = self.turn.invoker.finish_batch(&calls, &self.ctx);
            let (more, stop) = AssertUnwindSafe(finished).catch_unwind().await.unwrap_or_else(|_| {
                let text = "the hooks after the calls failed because of a defect in the tool runtime";
                self.turn.observer.event(&Event::Notice { id: None, text });
                (Vec::new(), None)
            });
            messages.extend(more);
            stopped = stopped.or(stop);
            stopped.map_or(TurnEnd::Completed, TurnEnd::Stopped)
        };
        TurnOutcome::new(calls, messages, end, Arc::clone(self.ctx.snapshot()))
    }

    fn put_prepared(&mut self, at: usize, prepared: Option<(u64, Prepared)>) {
        if let Some(slot) = self.prepared.get_mut(at) {
            *slot = prepared;
        }
    }

    fn put_finished(&mut self, at: usize, finished: Finished) {
        self.put_prepared(at, None);
        if let Some(slot) = self.finished.get_mut(at) {
            *slot = Some(finished);
        }
    }
}
