//! One time-limit model for every tool: a limit in total, and a limit without any sign of progress.

use crate::config::DispatchConfig;
use pegboard_tool_core::ProgressSink;
use pegboard_tool_core::ports::Event;
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Why a running call has to end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Limit {
    /// It took too long as a whole.
    Total(Duration),
    /// It showed no progress for too long.
    Idle(Duration),
}

impl Limit {
    /// The model reads this.
    pub(super) fn text(self) -> String {
        match self {
            Self::Total(limit) => format!("The call was ended at its time limit of {limit:?}."),
            Self::Idle(limit) => format!("The call was ended: it showed no progress for {limit:?}."),
        }
    }
}

/// Passes progress on to the observer and remembers when there was some.
pub(super) struct CallProgress {
    config: Arc<DispatchConfig>,
    id: Arc<str>,
    last: Option<Mutex<Instant>>,
}

impl CallProgress {
    /// Progress of the call `id`. The moment is only noted where a limit asks for it.
    pub(super) fn new(config: &Arc<DispatchConfig>, id: &Arc<str>) -> Self {
        let last = config.idle_limit.map(|_| Mutex::new(Instant::now()));
        Self { config: Arc::clone(config), id: Arc::clone(id), last }
    }

    fn last(&self) -> Option<Instant> {
        self.last.as_ref().map(|last| *last.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for CallProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallProgress").field("id", &self.id).finish_non_exhaustive()
    }
}

impl ProgressSink for CallProgress {
    fn progress(&self, event: Value) {
        if let Some(last) = &self.last {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
        self.config.emit(&Event::Progress { id: &self.id, event: &event });
    }
}

/// Waits until one of the limits is reached; for ever when there is none.
pub(super) async fn reached(total: Option<Duration>, progress: &CallProgress) -> Limit {
    let start = Instant::now();
    let total = total.and_then(|limit| Some((start.checked_add(limit)?, limit)));
    loop {
        let idle = progress.config.idle_limit.zip(progress.last());
        let idle = idle.and_then(|(limit, last)| Some((last.checked_add(limit)?, limit)));
        let (deadline, limit) = match (total, idle) {
            (None, None) => return std::future::pending().await,
            (Some((at, limit)), None) => (at, Limit::Total(limit)),
            (None, Some((at, limit))) => (at, Limit::Idle(limit)),
            (Some((total_at, total)), Some((idle_at, idle))) => {
                if total_at <= idle_at {
                    (total_at, Limit::Total(total))
                } else {
                    (idle_at, Limit::Idle(idle))
                }
            }
        };
        if deadline <= Instant::now() {
            return limit;
        }
        tokio::time::sleep_until(deadline).await;
    }
}
