//! Handlers that nobody waits for: they run beside the turn, and what they say comes later.

use crate::config::Waits;
use crate::merge::Ended;
use pegboard_tool_core::CancellationToken;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Most ended handlers that wait to be heard; the oldest are forgotten.
const MOST_LATE: usize = 256;

/// The handlers that run beside the turn. Dropping it ends them.
#[derive(Default)]
pub(crate) struct Background {
    running: Mutex<JoinSet<()>>,
    heard: Arc<Heard>,
    cancel: CancellationToken,
}

#[derive(Default)]
struct Heard {
    late: Mutex<VecDeque<Ended>>,
    wakes: Mutex<VecDeque<String>>,
    woken: Notify,
}

fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Background {
    /// What ends all of them.
    pub(crate) fn cancel(&self) -> CancellationToken {
        self.cancel.child_token()
    }

    /// Starts one.
    pub(crate) fn start(&self, waits: Waits, run: impl Future<Output = Ended> + Send + 'static) {
        let heard = Arc::clone(&self.heard);
        let mut running = open(&self.running);
        while running.try_join_next().is_some() {}
        running.spawn(async move {
            let ended = run.await;
            let wake = ended.end.answer.reason.clone().filter(|_| waits == Waits::Rewakes && ended.refuses());
            if let Some(text) = wake {
                open(&heard.wakes).push_back(text);
                heard.woken.notify_one();
            }
            let mut late = open(&heard.late);
            if late.len() == MOST_LATE {
                late.pop_front();
            }
            late.push_back(ended.undecided());
        });
    }

    /// Whether anything ended that nobody heard yet.
    pub(crate) fn has_late(&self) -> bool {
        !open(&self.heard.late).is_empty() || !open(&self.heard.wakes).is_empty()
    }

    /// What ended since it was asked last, in the order of the ends.
    pub(crate) fn take_late(&self) -> Vec<Ended> {
        open(&self.heard.late).drain(..).collect()
    }

    /// Texts of those who want to wake the model and that nobody took yet.
    pub(crate) fn take_wakes(&self) -> Vec<String> {
        open(&self.heard.wakes).drain(..).collect()
    }

    /// Waits until one wants to wake the model; gives its text.
    pub(crate) async fn woken(&self) -> String {
        loop {
            let next = self.heard.woken.notified();
            if let Some(text) = open(&self.heard.wakes).pop_front() {
                return text;
            }
            next.await;
        }
    }

    /// Ends all and waits for their ends. Gives how many there were.
    pub(crate) async fn end(&self) -> usize {
        self.cancel.cancel();
        let mut running = std::mem::take(&mut *open(&self.running));
        let mut count = 0;
        while running.join_next().await.is_some() {
            count += 1;
        }
        count
    }

    /// Waits until all that run now have ended by themselves.
    pub(crate) async fn settle(&self) {
        let mut running = std::mem::take(&mut *open(&self.running));
        while running.join_next().await.is_some() {}
    }
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Background").field("running", &open(&self.running).len()).finish_non_exhaustive()
    }
}
