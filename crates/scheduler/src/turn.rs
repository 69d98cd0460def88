//! A turn while it runs: events come in, calls begin, end, and are answered in call order.

use crate::attempt::{Orphans, TakenOver};
use crate::call::{Calls, Ran};
use crate::order::{Next, Order};
use crate::outcome::Ending;
use crate::paint::Painter;
use crate::scheduler::{Scheduler, Siblings, Start};
use crate::slot::{Slot, State};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, Stream, StreamExt, unfold};
use pegboard_tool_core::ports::{
    Event, Finished, Outcome, Step, StopReason, TurnEvent, TurnEvents, TurnOutcome,
};
use pegboard_tool_core::{ContextChange, ContextSnapshot, RawInput, ToolContext, ToolUse};
use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// The calls that are being decided or run, each with its key.
type Running = FuturesUnordered<BoxFuture<'static, (usize, Ran)>>;

/// Name of the tool whose failure may cancel its siblings.
const BASH: &str = "Bash";

/// A turn while it runs.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    pub(crate) scheduler: &'a Scheduler,
    pub(crate) calls: Calls,
    pub(crate) ctx: ToolContext,
    /// The context before the turn.
    before: Arc<ContextSnapshot>,
    pub(crate) slots: Vec<Slot>,
    ids: HashSet<Arc<str>>,
    order: Order,
    message: Message,
    /// Which call each future is for; one that is missing here is an orphan's.
    keys: HashMap<usize, usize>,
    /// Of these, the ones that a dropped attempt began and that a call of this one took over.
    inherited: HashSet<usize>,
    next_key: usize,
    pub(crate) orphans: Orphans,
    painter: Painter,
    /// Calls before it were answered after nothing further may begin.
    answered: usize,
    /// Whether anything was begun.
    pub(crate) has_begun: bool,
    /// Why a person or a hook stopped the turn.
    pub(crate) stopped: Option<String>,
    /// Why the message failed.
    pub(crate) failed: Option<String>,
}

/// How far the message arrived.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Message {
    /// More may come.
    Arriving,
    /// It failed; another attempt may come.
    Failed,
    /// It is over.
    Over,
}

/// What a turn waits for.
enum Happened {
    Ended(usize, Ran),
    Arrived(Option<TurnEvent>),
    Cancelled,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(scheduler: &'a Scheduler, ctx: ToolContext) -> Self {
        let (invoker, observer) = (Arc::clone(&scheduler.invoker), Arc::clone(&scheduler.observer));
        Self {
            scheduler,
            calls: Calls::new(invoker, observer, &ctx.cancel, scheduler.max_concurrency.get()),
            before: Arc::clone(ctx.snapshot()),
            ctx,
            slots: Vec::new(),
            ids: HashSet::new(),
            order: Order::new(scheduler.schedule),
            message: Message::Arriving,
            keys: HashMap::new(),
            next_key: 0,
            orphans: Orphans::default(),
            painter: Painter::default(),
            inherited: HashSet::new(),
            answered: 0,
            has_begun: false,
            stopped: None,
            failed: None,
        }
    }

    /// Takes the events and runs the calls until both are over.
    pub(crate) async fn run(mut self, events: Box<dyn TurnEvents>) -> TurnOutcome {
        let events = unfold(events, async |mut events| events.next().await.map(|event| (event, events)));
        let mut events = pin!(events);
        let cancel = self.calls.cancel.clone();
        let mut cancelled = pin!(cancel.cancelled());
        let mut running = Running::new();
        loop {
            self.begin(&mut running);
            let listens = self.message != Message::Over;
            if !listens && running.is_empty() {
                break;
            }
            let happened = poll_fn(|task| {
                if let Poll::Ready(Some((key, ran))) = running.poll_next_unpin(task) {
                    return Poll::Ready(Happened::Ended(key, ran));
                }
                if !listens {
                    return Poll::Pending;
                }
                // A message that never ends does not hold a cancelled turn.
                if cancelled.as_mut().poll(task).is_ready() {
                    return Poll::Ready(Happened::Cancelled);
                }
                events.as_mut().poll_next(task).map(Happened::Arrived)
            });
            match happened.await {
                Happened::Ended(key, ran) => self.ended(key, ran),
                Happened::Arrived(event) => self.arrived(event),
                Happened::Cancelled => self.message = Message::Over,
            }
        }
        self.outcome().await
    }

    fn arrived(&mut self, event: Option<TurnEvent>) {
        match event {
            Some(TurnEvent::CallStarted { id, name }) => {
                self.painter.began(&*self.calls.invoker, &id, &name);
            }
            Some(TurnEvent::InputDelta { id, text }) => self.painter.more(&id, &text),
            Some(TurnEvent::CallReady(call)) => {
                self.painter.done(&call.id);
                self.take(call);
            }
            Some(TurnEvent::Ended(StopReason::ToolUse)) => self.message = Message::Over,
            Some(TurnEvent::Ended(StopReason::Other(reason))) => self.cut(reason),
            Some(TurnEvent::Ended(_)) => self.cut(String::new()),
            Some(TurnEvent::Failed(why)) => {
                self.calls.close(Ending::Failed(why.clone()));
                self.failed = Some(why);
                self.message = Message::Failed;
            }
            Some(TurnEvent::Restarted) => self.restart(),
            // An event that is not known says nothing about calls.
            Some(_) => {}
            // The events are over without an end: what was complete stands.
            None => self.message = Message::Over,
        }
    }

    /// The response ended, and not to have its tools run. Arguments that are no JSON were cut with it: their calls are
    /// told that, as all others are.
    fn cut(&mut self, reason: String) {
        let ending = Ending::Cut(reason);
        for slot in self.slots.iter_mut().filter(|slot| matches!(slot.call.input, RawInput::Unreadable(_))) {
            let finished = Finished::not_run(&slot.call, ending.outcome(), ending.text());
            slot.state = State::Finished(Box::new(finished));
        }
        self.calls.close(ending);
        self.message = Message::Over;
    }

    /// A call is complete.
    fn take(&mut self, call: ToolUse) {
        if !self.ids.insert(Arc::clone(&call.id)) {
            let text = "two calls of the message have this id; the first stands, the repeat is not run";
            self.calls.observer.event(&Event::Notice { id: Some(&call.id), text });
            return;
        }
        let call = Arc::new(call);
        let at = self.slots.len();
        match self.orphans.take(&call) {
            Some(TakenOver::Running(key)) => {
                self.keys.insert(key, at);
                self.inherited.insert(key);
                self.slots.push(Slot::taken_over(call));
            }
            Some(TakenOver::Finished(finished)) => {
                let change = finished.context_change.clone();
                self.slots.push(Slot::finished(call, finished));
                if let Some(change) = change {
                    self.change_context(&change);
                }
            }
            None => {
                let slot = match self.calls.validate(&call, &self.ctx) {
                    Step::Next(prepared) => Slot::waiting(call, prepared, self.ctx.generation),
                    Step::Done(finished) => Slot::finished(call, finished),
                };
                self.slots.push(slot);
            }
        }
    }

    /// The message is written again from its beginning.
    fn restart(&mut self) {
        let keys: HashMap<usize, usize> = self.keys.drain().map(|(key, at)| (at, key)).collect();
        for (at, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            match (slot.state, keys.get(&at)) {
                (State::Finished(finished), _) if has_run(&finished) => {
                    self.orphans.add(usize::MAX, slot.call, Some(finished));
                }
                (State::Begun, Some(key)) => self.orphans.add(*key, slot.call, None),
                // What did not begin is the next attempt's, if it asks for it.
                _ => {}
            }
        }
        self.ids.clear();
        self.inherited.clear();
        self.painter.clear();
        self.order = Order::new(self.scheduler.schedule);
        self.message = Message::Arriving;
        self.answered = 0;
        self.failed = None;
        self.calls = self.calls.reopened();
        // What changes the context does so again where it is taken over.
        let mut snapshot = (*self.before).clone();
        snapshot.generation = self.ctx.generation + 1;
        self.ctx = self.ctx.with_snapshot(Arc::new(snapshot));
    }

    /// Begins whatever may begin now.
    fn begin(&mut self, running: &mut Running) {
        let mut ids: Vec<Arc<str>> = Vec::new();
        loop {
            if let Some(ending) = self.calls.ending() {
                self.answer_waiting(&ending);
                break;
            }
            // What a dropped attempt began ends before the new one begins anything, also what was taken over.
            if self.orphans.any_runs() || !self.inherited.is_empty() {
                break;
            }
            let (start, is_over) = (self.scheduler.start, self.message == Message::Over);
            let may_start = |slot: &Slot| match start {
                Start::Block => true,
                Start::ReadOnly => is_over || slot.only_reads(),
                Start::End => is_over,
            };
            match self.order.next(&self.slots, self.ctx.generation, may_start) {
                Next::Wait => break,
                Next::Check(at) => self.check(at),
                Next::Begin(at) => {
                    ids.extend(self.slots.get(at).map(|slot| Arc::clone(&slot.call.id)));
                    self.begin_one(at, running);
                }
                Next::Alone(at) => self.begin_alone(at, running),
            }
        }
        if !ids.is_empty() {
            self.has_begun = true;
            self.calls.observer.event(&Event::BatchStarted { ids: &ids });
        }
    }

    /// Validates a call again, in the context of now.
    fn check(&mut self, at: usize) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        match self.calls.validate(&slot.call, &self.ctx) {
            Step::Next(prepared) => slot.wait(prepared, self.ctx.generation),
            Step::Done(finished) => self.finish(at, finished),
        }
    }

    fn begin_one(&mut self, at: usize, running: &mut Running) {
        let may_defer = self.message == Message::Over && self.slots.len() == 1;
        let Some(slot) = self.slots.get_mut(at) else { return };
        let State::Waiting { prepared, .. } = std::mem::replace(&mut slot.state, State::Begun) else {
            return;
        };
        let limits = self.order.limits(slot);
        let (calls, call, ctx) = (self.calls.clone(), Arc::clone(&slot.call), self.ctx.with_defer(may_defer));
        let key = self.key(at);
        running.push(Box::pin(async move {
            (key, calls.run(&call, prepared, &ctx, |ready| limits.are_exceeded_by(ready)).await)
        }));
    }

    fn begin_alone(&mut self, at: usize, running: &mut Running) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        let State::Stricter(ready) = std::mem::replace(&mut slot.state, State::Begun) else { return };
        slot.may_change = true;
        let ctx = self.ctx.for_call(Arc::clone(&slot.call.id), self.calls.stop.child_token());
        let (calls, call) = (self.calls.clone(), Arc::clone(&slot.call));
        let key = self.key(at);
        running.push(Box::pin(async move { (key, Ran::Finished(calls.execute(&call, *ready, ctx).await)) }));
    }

    fn key(&mut self, at: usize) -> usize {
        self.next_key += 1;
        self.keys.insert(self.next_key, at);
        self.next_key
    }

    /// A call was decided, or has its result.
    fn ended(&mut self, key: usize, ran: Ran) {
        self.inherited.remove(&key);
        match (self.keys.remove(&key), ran) {
            (Some(at), Ran::Finished(finished)) => {
                let id = self.slots.get(at).map(|slot| Arc::clone(&slot.call));
                let finished = match id {
                    Some(call) => crate::attempt::under_id(finished, &call),
                    None => finished,
                };
                self.finish(at, finished);
            }
            (Some(at), Ran::Decided(ready)) => {
                let Some(slot) = self.slots.get_mut(at) else { return };
                slot.state = State::Stricter(ready);
                self.order.stricter(at);
                // It is answered with the others when nothing further may begin.
                self.answered = self.answered.min(at);
            }
            (None, Ran::Finished(finished)) => {
                // It stops the turn where it says so, and is no sibling of the calls of now.
                self.note_stop(&finished);
                self.orphans.ended(key, finished);
            }
            // Decided and not run: nothing of it is left, so the next attempt may begin it anew.
            (None, Ran::Decided(_)) => self.orphans.forget(key),
        }
    }

    fn finish(&mut self, at: usize, finished: Box<Finished>) {
        self.note(&finished);
        let change = finished.context_change.clone();
        let Some(slot) = self.slots.get_mut(at) else { return };
        let may_change = slot.may_change;
        slot.state = State::Finished(finished);
        self.order.finished(at);
        match change {
            Some(change) if may_change => self.change_context(&change),
            Some(_) => {
                let id = self.slots.get(at).map(|slot| Arc::clone(&slot.call.id));
                let text = "a shared call may not change the context; its change is dropped";
                self.calls.observer.event(&Event::Notice { id: id.as_deref(), text });
            }
            None => {}
        }
    }

    fn note_stop(&mut self, finished: &Finished) {
        if let Some(why) = &finished.stop {
            self.stopped.get_or_insert_with(|| why.clone());
            self.calls.end(Ending::Stopped);
        }
    }

    /// What a result means for the calls beside it.
    fn note(&mut self, finished: &Finished) {
        self.note_stop(finished);
        let failed = matches!(finished.outcome, Outcome::Failed(_)) && &*finished.tool == BASH;
        if failed && self.scheduler.siblings == Siblings::Cancelled {
            self.calls.end(Ending::Sibling(Arc::clone(&finished.result.tool_use_id)));
        }
    }

    /// Answers every call that did not begin.
    fn answer_waiting(&mut self, ending: &Ending) {
        for at in self.answered..self.slots.len() {
            let Some(slot) = self.slots.get_mut(at) else { continue };
            if slot.is_waiting() || slot.is_stricter() {
                let finished = self.calls.not_run(&slot.call, ending);
                slot.state = State::Finished(Box::new(finished));
                self.order.finished(at);
            }
        }
        self.answered = self.slots.len();
    }

    fn change_context(&mut self, change: &ContextChange) {
        let changed = self.ctx.snapshot().changed(change);
        self.ctx = self.ctx.with_snapshot(Arc::new(changed));
    }
}

/// Whether a call did something, so that it must not be begun again.
fn has_run(finished: &Finished) -> bool {
    match finished.outcome {
        Outcome::Succeeded | Outcome::Failed(_) => true,
        Outcome::Cancelled => !finished.duration.is_zero(),
        Outcome::Invalid | Outcome::Refused | Outcome::NotRun | Outcome::Deferred => false,
    }
}
