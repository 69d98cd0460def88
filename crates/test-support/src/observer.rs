//! [`RecordingObserver`]: keeps what happened, as values without times, so that tests can compare them.

use pegboard_tool_core::ports::{Event, Observer};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// One event.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RecordedEvent {
    /// Its name in snake case, such as `phase_started`.
    pub kind: &'static str,
    /// Id of the call, empty when it is about none.
    pub id: String,
    /// The rest in words, without times.
    pub detail: String,
}

impl fmt::Display for RecordedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = [self.kind, &self.id, &self.detail];
        let words: Vec<_> = line.into_iter().filter(|word| !word.is_empty()).collect();
        f.write_str(&words.join(" "))
    }
}

/// Keeps every event.
#[derive(Debug, Default)]
pub struct RecordingObserver {
    events: Mutex<Vec<RecordedEvent>>,
}

impl RecordingObserver {
    /// Nothing happened yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What happened so far.
    #[must_use]
    pub fn events(&self) -> Vec<RecordedEvent> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same, one line an event.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.events().iter().map(ToString::to_string).collect()
    }

    /// Details of the events of one kind.
    #[must_use]
    pub fn details(&self, kind: &str) -> Vec<String> {
        self.events().into_iter().filter(|event| event.kind == kind).map(|event| event.detail).collect()
    }
}

fn recorded(event: &Event<'_>) -> RecordedEvent {
    let (kind, id, detail) = match event {
        Event::Received { id, called_as } => ("received", *id, (*called_as).to_owned()),
        Event::Validated { id, tool, input, title } => {
            ("validated", *id, format!("{tool} {input} ({title})"))
        }
        Event::PhaseStarted { id, phase } => ("phase_started", *id, format!("{phase:?}")),
        Event::PhaseEnded { id, phase } => ("phase_ended", *id, format!("{phase:?}")),
        Event::HooksRan { id, event, reports, system_messages } => {
            let detail = format!("{} {} {system_messages:?}", event.as_str(), reports.len());
            ("hooks_ran", *id, detail)
        }
        Event::Judged { id, tool, input, hook, .. } => ("judged", *id, format!("{tool} {input} {hook:?}")),
        Event::Decided { id, verdict, step, reason, approved_by, .. } => {
            let by = approved_by.map(|by| format!(" by {by}")).unwrap_or_default();
            ("decided", *id, format!("{verdict:?} at {step:?}{by}: {reason}"))
        }
        Event::Progress { id, event } => ("progress", *id, event.to_string()),
        Event::Finished { id, tool, outcome, is_error, .. } => {
            ("finished", *id, format!("{tool} {outcome:?} is_error={is_error}"))
        }
        Event::BatchStarted { ids } => ("batch_started", "", format!("{ids:?}")),
        Event::Rendered { id, text } => ("rendered", *id, (*text).to_owned()),
        Event::Notice { id, text } => ("notice", id.unwrap_or_default(), (*text).to_owned()),
        _ => ("other", "", format!("{event:?}")),
    };
    RecordedEvent { kind, id: id.to_owned(), detail }
}

impl Observer for RecordingObserver {
    fn event(&self, event: &Event<'_>) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(recorded(event));
    }
}
