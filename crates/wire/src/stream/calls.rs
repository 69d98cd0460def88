//! The calls of a message that is being read: which are open, which may start.

use super::entry::{Earlier, Entry, State, is_same};
use super::{StreamError, StreamLimits};
use crate::incoming::CallKind;
use crate::shape::excerpt;
use pegboard_tool_core::ToolUse;
use pegboard_tool_core::ports::TurnEvent;
use std::collections::HashMap;
use std::sync::Arc;

/// One call in [`Calls`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Slot(usize);

/// INVARIANT: a call is told as ready at most once, after its start, and after the calls before it.
#[derive(Debug)]
pub(crate) struct Calls {
    limits: StreamLimits,
    entries: Vec<Entry>,
    by_id: HashMap<Arc<str>, Slot>,
    /// How many entries at the front are settled.
    settled: usize,
    earlier: HashMap<Arc<str>, Earlier>,
    repeats: Vec<Arc<str>>,
    kept: usize,
    events: Vec<TurnEvent>,
}

impl Calls {
    pub(crate) fn new(limits: StreamLimits) -> Self {
        Self {
            limits,
            entries: Vec::new(),
            by_id: HashMap::new(),
            settled: 0,
            earlier: HashMap::new(),
            repeats: Vec::new(),
            kept: 0,
            events: Vec::new(),
        }
    }

    /// Accounts for `bytes` of the message that are kept.
    pub(crate) fn keep(&mut self, bytes: usize) -> Result<(), StreamError> {
        self.kept = self.kept.saturating_add(bytes);
        if self.kept > self.limits.message_bytes {
            return Err(StreamError::TooLarge { what: "the message", limit: self.limits.message_bytes });
        }
        Ok(())
    }

    /// A call begins.
    pub(crate) fn begin(&mut self, id: &str, name: &str, kind: CallKind) -> Result<Slot, StreamError> {
        if self.entries.len() >= self.limits.calls {
            return Err(StreamError::TooManyCalls { limit: self.limits.calls });
        }
        self.keep(id.len() + name.len())?;
        let slot = Slot(self.entries.len());
        let (id, name): (Arc<str>, Arc<str>) = (id.into(), name.into());
        let mut told = 0;
        let mut state = State::Open;
        if self.by_id.contains_key(&id) {
            self.repeats.push(Arc::clone(&id));
            state = State::Repeat;
        } else {
            self.by_id.insert(Arc::clone(&id), slot);
            match self.earlier.get(&id) {
                Some(earlier) if earlier.name != name => return Err(conflict(&id)),
                // Of a call that was ready nothing more is told.
                Some(earlier) => told = if earlier.call.is_some() { usize::MAX } else { earlier.told },
                None => {
                    self.events.push(TurnEvent::CallStarted { id: Arc::clone(&id), name: Arc::clone(&name) })
                }
            }
        }
        self.entries.push(Entry { id, name, kind, text: String::new(), told, state });
        Ok(slot)
    }

    /// More of a call's input.
    pub(crate) fn input(&mut self, slot: Slot, text: &str) -> Result<(), StreamError> {
        self.keep(text.len())?;
        let Some(entry) = self.entries.get_mut(slot.0) else { return Ok(()) };
        match entry.state {
            State::Open => {}
            State::Repeat | State::Dropped => return Ok(()),
            State::Held(_) | State::Complete(_) | State::Ready(_) if text.trim().is_empty() => return Ok(()),
            State::Held(_) | State::Complete(_) | State::Ready(_) => {
                let id = excerpt(&entry.id);
                return Err(StreamError::broken(format!("the call `{id}` goes on after its end")));
            }
        }
        let from = entry.told.saturating_sub(entry.text.len());
        entry.text.push_str(text);
        if let Some(new) = text.get(from..).filter(|new| !new.is_empty()) {
            self.events.push(TurnEvent::InputDelta { id: Arc::clone(&entry.id), text: new.to_owned() });
        }
        Ok(())
    }

    /// The input of a call so far.
    pub(crate) fn text(&self, slot: Slot) -> &str {
        self.entries.get(slot.0).map_or("", |entry| &entry.text)
    }

    /// The id of a call.
    pub(crate) fn id(&self, slot: Slot) -> Option<&str> {
        self.entries.get(slot.0).map(|entry| &*entry.id)
    }

    /// A call from the text of its input: what is no JSON is unreadable, nothing is `{}`.
    pub(crate) fn call(&self, slot: Slot, text: &str) -> Option<ToolUse> {
        self.entries
            .get(slot.0)
            .map(|entry| crate::incoming::call_of_text(Arc::clone(&entry.id), Arc::clone(&entry.name), text))
    }

    /// A call whose input is the text itself.
    pub(crate) fn custom(&self, slot: Slot) -> Option<ToolUse> {
        let entry = self.entries.get(slot.0)?;
        let input = serde_json::Value::String(entry.text.clone());
        Some(ToolUse::new(Arc::clone(&entry.id), Arc::clone(&entry.name), input))
    }

    /// A call is complete.
    pub(crate) fn complete(&mut self, slot: Slot, call: ToolUse) -> Result<(), StreamError> {
        self.settle(slot, State::Complete(crate::surrogate::judged(call)))
    }

    /// A call's block ended, but its input may have been cut.
    pub(crate) fn hold(&mut self, slot: Slot, call: ToolUse) -> Result<(), StreamError> {
        self.settle(slot, State::Held(call))
    }

    fn settle(&mut self, slot: Slot, state: State) -> Result<(), StreamError> {
        if let Some(entry) = self.entries.get_mut(slot.0)
            && matches!(entry.state, State::Open)
        {
            entry.state = state;
        }
        self.advance()
    }

    /// What was held back is complete: the message went on after it.
    pub(crate) fn release(&mut self) -> Result<(), StreamError> {
        for entry in self.entries.get_mut(self.settled..).unwrap_or_default() {
            entry.state = match std::mem::replace(&mut entry.state, State::Open) {
                State::Held(call) => State::Complete(call),
                other => other,
            };
        }
        self.advance()
    }

    /// The message was cut: what is not ready never will be.
    pub(crate) fn cut(&mut self) {
        for entry in self.entries.get_mut(self.settled..).unwrap_or_default() {
            if !matches!(entry.state, State::Repeat) {
                entry.state = State::Dropped;
            }
        }
        self.settled = self.entries.len();
    }

    /// Tells every call that is complete and has only settled ones before it.
    fn advance(&mut self) -> Result<(), StreamError> {
        while let Some(entry) = self.entries.get_mut(self.settled) {
            match std::mem::replace(&mut entry.state, State::Dropped) {
                State::Complete(call) => {
                    match self.earlier.get(&entry.id).and_then(|earlier| earlier.call.as_ref()) {
                        Some(earlier) if is_same(earlier, &call) => {}
                        Some(_) => return Err(conflict(&entry.id)),
                        None => self.events.push(TurnEvent::CallReady(call.clone())),
                    }
                    entry.state = State::Ready(call);
                }
                state @ (State::Open | State::Held(_)) => {
                    entry.state = state;
                    break;
                }
                state => entry.state = state,
            }
            self.settled += 1;
        }
        Ok(())
    }

    /// The same message is sent again from its beginning.
    pub(crate) fn restart(&mut self) {
        for entry in self.entries.drain(..) {
            if matches!(entry.state, State::Repeat) {
                continue;
            }
            let before = self.earlier.remove(&entry.id);
            let call = match entry.state {
                State::Ready(call) => Some(call),
                _ => before.and_then(|before| before.call),
            };
            let told = entry.told.max(entry.text.len());
            self.earlier.insert(entry.id, Earlier { name: entry.name, told, call });
        }
        self.by_id.clear();
        self.settled = 0;
    }

    /// The attempt failed: what is not ready never will be.
    pub(crate) fn fail(&mut self, why: String) {
        self.cut();
        self.events.push(TurnEvent::Failed(why));
    }

    /// The message is tried again, under another id and with new calls.
    pub(crate) fn renew(&mut self) {
        let mut events = std::mem::take(&mut self.events);
        events.push(TurnEvent::Restarted);
        *self = Self { events, ..Self::new(self.limits) };
    }

    /// The message is complete: nothing may be open, and no call that was told may be missing.
    pub(crate) fn end(&self) -> Result<(), StreamError> {
        if let Some(place) = self.open_place() {
            return Err(StreamError::broken(format!("the message ended {place}")));
        }
        let lost =
            self.earlier.iter().find(|(id, earlier)| earlier.call.is_some() && !self.by_id.contains_key(*id));
        match lost {
            Some((id, _)) => {
                let id = excerpt(id);
                Err(StreamError::broken(format!("the message came again without its call `{id}`")))
            }
            None => Ok(()),
        }
    }

    /// Where the message stands, when that is inside a call.
    pub(crate) fn open_place(&self) -> Option<String> {
        let entry = self.entries.iter().find(|entry| matches!(entry.state, State::Open))?;
        Some(format!("in the input of the call `{}` ({})", excerpt(&entry.id), excerpt(&entry.name)))
    }

    /// The call of a slot, when it was told as ready.
    pub(crate) fn ready(&self, slot: Slot) -> Option<&ToolUse> {
        match &self.entries.get(slot.0)?.state {
            State::Ready(call) => Some(call),
            _ => None,
        }
    }

    /// Whether any call was told as ready.
    pub(crate) fn any_ready(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.state, State::Ready(_)))
    }

    /// Whether a call was dropped.
    pub(crate) fn any_dropped(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.state, State::Dropped))
    }

    /// All calls that were told as ready, in order.
    pub(crate) fn all_ready(&self) -> impl Iterator<Item = (&ToolUse, CallKind)> {
        self.entries.iter().filter_map(|entry| match &entry.state {
            State::Ready(call) => Some((call, entry.kind)),
            _ => None,
        })
    }

    /// Ids that came with more than one call; the first stands.
    pub(crate) fn repeats(&self) -> &[Arc<str>] {
        &self.repeats
    }

    /// What happened since this was asked last.
    pub(crate) fn take_events(&mut self) -> Vec<TurnEvent> {
        std::mem::take(&mut self.events)
    }
}

fn conflict(id: &str) -> StreamError {
    StreamError::Conflict { id: excerpt(id) }
}
