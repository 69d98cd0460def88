//! When a search ends early: cancelled, or out of time.

use pegboard_tool_core::CancellationToken;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Tells all threads of a search whether to go on.
#[derive(Debug)]
pub(crate) struct Stop {
    cancel: CancellationToken,
    deadline: Option<Instant>,
    stopped: AtomicBool,
}

impl Stop {
    /// Stops when `cancel` fires or at `deadline`.
    pub(crate) fn new(cancel: CancellationToken, deadline: Option<Instant>) -> Self {
        Self { cancel, deadline, stopped: AtomicBool::new(false) }
    }

    /// Whether to end now. Cheap enough to ask for every few entries.
    pub(crate) fn now(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stop =
            self.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop
    }

    /// Whether the search was ended before its time.
    pub(crate) fn happened(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether somebody cancelled it.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// A reader that fails once the search is to stop, so that a huge file does not hold it up.
#[derive(Debug)]
pub(crate) struct Stoppable<'a, R> {
    /// Where the bytes are.
    pub inner: R,
    /// When to stop.
    pub stop: &'a Stop,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.now() {
            return Err(io::Error::other("the search was stopped"));
        }
        self.inner.read(buffer)
    }
}
