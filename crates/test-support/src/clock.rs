//! [`ManualClock`]: time that stands still until a test moves it.

use pegboard_tool_core::ports::Clock;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock that a test moves.
#[derive(Debug, Default)]
pub struct ManualClock {
    passed: Mutex<Duration>,
}

impl ManualClock {
    /// Stands at the Unix epoch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves on.
    pub fn advance(&self, by: Duration) {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + self.monotonic()
    }

    fn monotonic(&self) -> Duration {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
