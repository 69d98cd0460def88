//! Waiting until a screen shows something: by what is printed, not by looking again and again.

use super::pty::{Happened, Shared};
use pegboard_tool_core::CancellationToken;
use regex::Regex;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

/// The screen is looked at no more often than this while a program floods it.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// Silence after which an answer of a program counts as complete.
const SETTLED: Duration = Duration::from_millis(120);
/// Silence after which a screen that fits counts as drawn: a program writes a frame in several pieces.
const DRAWN: Duration = Duration::from_millis(40);
/// How long the rest of a frame is waited for; a program that never stops writing has no last frame.
const MOST_DRAWING: Duration = Duration::from_millis(300);
/// How long an answer may take to begin.
const REACTS: Duration = Duration::from_millis(400);
/// How long an answer is waited for when nothing is said.
const MOST_SETTLING: Duration = Duration::from_secs(2);

/// What is waited for.
#[derive(Clone, Debug)]
pub(crate) enum Until {
    /// That the answer to what was sent is there, as far as silence tells.
    Settled,
    /// Nothing.
    Now,
    /// A text on the screen.
    Text(String),
    /// A pattern on the screen.
    Pattern(Regex),
    /// So much silence.
    Silence(Duration),
    /// The end of the program.
    End,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Waited {
    /// With what was waited for.
    Met,
    /// With the end of the program.
    Ended,
    /// With the time.
    TimedOut,
    /// By cancellation.
    Cancelled,
}

/// Whether what is on the screen already counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum From {
    /// It does.
    Now,
    /// Only after something new was printed.
    NextOutput,
}

/// A wait. Made before anything is sent, so that no answer is missed.
#[derive(Debug)]
pub(crate) struct Wait<'s> {
    shared: &'s Shared,
    watch: watch::Receiver<Happened>,
}

impl<'s> Wait<'s> {
    pub(crate) fn new(shared: &'s Shared) -> Self {
        let mut watch = shared.watch();
        watch.mark_unchanged();
        Self { shared, watch }
    }

    /// Waits for at most `most`.
    pub(crate) async fn run(
        mut self,
        until: &Until,
        from: From,
        most: Duration,
        cancel: &CancellationToken,
    ) -> Waited {
        let deadline = Instant::now() + most;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Waited::Cancelled,
            waited = self.wait(until, from, deadline) => waited,
        }
    }

    async fn wait(&mut self, until: &Until, from: From, deadline: Instant) -> Waited {
        match until {
            Until::Now => Waited::Met,
            Until::Settled => {
                let now = Instant::now();
                let most = deadline.min(now + MOST_SETTLING);
                // A program that starts may be slow; one that was sent a key is not.
                let reacts = if from == From::NextOutput { now + REACTS } else { most };
                if from == From::Now && self.shared.emulator().bytes > 0 || self.next(reacts.min(most)).await
                {
                    self.silence(SETTLED, most).await;
                }
                if self.is_over() { Waited::Ended } else { Waited::Met }
            }
            Until::Silence(silence) => {
                let is_silent = self.silence(*silence, deadline).await;
                match (self.is_over(), is_silent) {
                    (true, _) => Waited::Ended,
                    (false, true) => Waited::Met,
                    (false, false) => Waited::TimedOut,
                }
            }
            Until::End => {
                while !self.is_over() {
                    if !self.next(deadline).await {
                        return Waited::TimedOut;
                    }
                }
                Waited::Met
            }
            Until::Text(text) => self.screen(|screen| screen.contains(text), from, deadline).await,
            Until::Pattern(pattern) => self.screen(|screen| pattern.is_match(screen), from, deadline).await,
        }
    }

    /// Waits until the screen fits.
    async fn screen(&mut self, fits: impl Fn(&str) -> bool, from: From, deadline: Instant) -> Waited {
        if from == From::NextOutput && !self.is_over() && !self.next(deadline).await {
            return Waited::TimedOut;
        }
        loop {
            let is_over = self.is_over();
            self.watch.mark_unchanged();
            let screen = self.shared.emulator().lines().join("\n");
            if fits(&screen) {
                self.silence(DRAWN, deadline.min(Instant::now() + MOST_DRAWING)).await;
                return Waited::Met;
            }
            if is_over {
                return Waited::Ended;
            }
            if !self.next(deadline).await {
                return Waited::TimedOut;
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    fn is_over(&self) -> bool {
        self.watch.borrow().end.is_some()
    }

    /// Waits for something new. Whether there was.
    async fn next(&mut self, deadline: Instant) -> bool {
        matches!(timeout_at(deadline, self.watch.changed()).await, Ok(Ok(())))
    }

    /// Waits until nothing is printed for `silence`. Whether that was before the deadline.
    async fn silence(&mut self, silence: Duration, deadline: Instant) -> bool {
        loop {
            if self.is_over() {
                return true;
            }
            let quiet_at = Instant::now() + silence;
            tokio::select! {
                biased;
                () = sleep_until(quiet_at.min(deadline)) => return quiet_at <= deadline,
                changed = self.watch.changed() => if changed.is_err() { return true },
            }
        }
    }
}
