//! Progress of a running call: typed for the tool, JSON for whoever watches.

use serde::Serialize;
use serde_json::Value;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

/// Takes progress events. Must not block.
pub trait ProgressSink: Debug + Send + Sync {
    /// One event of a running call.
    fn progress(&self, event: Value);

    /// Whether anybody looks; an event that nobody sees need not be made.
    fn is_watched(&self) -> bool {
        true
    }
}

const _: fn(&dyn ProgressSink) = |_| ();

/// Nobody looks.
impl ProgressSink for () {
    fn progress(&self, _event: Value) {}

    fn is_watched(&self) -> bool {
        false
    }
}

/// Where a tool reports its progress.
#[derive(Clone, Debug)]
pub struct Progress<P> {
    sink: Arc<dyn ProgressSink>,
    event: PhantomData<fn(P)>,
}

impl<P: Serialize> Progress<P> {
    /// Progress that goes to `sink`.
    #[must_use]
    pub fn new(sink: Arc<dyn ProgressSink>) -> Self {
        Self { sink, event: PhantomData }
    }

    /// Reports `event`. One that is no JSON is left out: progress never fails a call.
    pub fn report(&self, event: &P) {
        if self.sink.is_watched()
            && let Ok(event) = serde_json::to_value(event)
        {
            self.sink.progress(event);
        }
    }

    /// Whether anybody looks.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.sink.is_watched()
    }
}
