//! [`Wakeups`]: the bell of a session. Whoever has news rings it, whoever sleeps hears it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Most wake-ups that are kept while nobody listens; older ones are dropped.
const MOST: usize = 64;
/// Most characters of a text.
const MOST_CHARS: usize = 500;

/// One piece of news.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Wakeup {
    /// Whose news it is, such as `task b1`. [`Wakeups::forget`] goes by it.
    pub source: String,
    /// What happened, for the model: `finished with exit code 0`.
    pub text: String,
}

/// The session's bell; get it with `ctx.session.of::<Wakeups>()`.
///
/// Every sleeper wakes at each ring. News that came while nobody slept end the next sleep at once, so that
/// none is missed between a decision to sleep and the sleep; what the model was told in another way is taken
/// back with [`Wakeups::forget`]. Holds at most 64 wake-ups.
#[derive(Debug, Default)]
pub struct Wakeups {
    kept: Mutex<Kept>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct Kept {
    /// Number of the newest wake-up; the first is 1.
    newest: u64,
    /// Up to this number somebody was told.
    told: u64,
    queue: VecDeque<(u64, Wakeup)>,
}

impl Wakeups {
    /// Wakes everybody who sleeps. Long texts are cut at 500 characters.
    pub fn ring(&self, source: impl Into<String>, text: impl Into<String>) {
        let cut = |text: String| text.chars().take(MOST_CHARS).collect();
        let wakeup = Wakeup { source: cut(source.into()), text: cut(text.into()) };
        let mut kept = self.kept();
        kept.newest += 1;
        let number = kept.newest;
        if kept.queue.len() == MOST {
            kept.queue.pop_front();
        }
        kept.queue.push_back((number, wakeup));
        drop(kept);
        self.bell.notify_waiters();
    }

    /// Takes back what `source` rang for: the model knows it.
    pub fn forget(&self, source: &str) {
        self.kept().queue.retain(|(_, wakeup)| wakeup.source != source);
    }

    /// Begins to listen: hears what nobody was told yet.
    pub(super) fn listen(&self) -> Listener<'_> {
        Listener { wakeups: self, heard: self.kept().told }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who sleeps.
#[derive(Debug)]
pub(super) struct Listener<'a> {
    wakeups: &'a Wakeups,
    heard: u64,
}

impl Listener<'_> {
    /// Waits for news and takes them. Safe to drop: news are taken only when they are given.
    pub(super) async fn news(&mut self) -> Vec<Wakeup> {
        loop {
            let mut rung = std::pin::pin!(self.wakeups.bell.notified());
            // From here on no ring is missed.
            rung.as_mut().enable();
            let news = self.take();
            if !news.is_empty() {
                return news;
            }
            rung.await;
        }
    }

    fn take(&mut self) -> Vec<Wakeup> {
        let mut kept = self.wakeups.kept();
        let heard = self.heard;
        let news = kept.queue.iter().filter(|(number, _)| *number > heard);
        let news = news.map(|(_, wakeup)| wakeup.clone()).collect();
        self.heard = kept.newest;
        kept.told = kept.told.max(kept.newest);
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(news: &[Wakeup]) -> Vec<&str> {
        news.iter().map(|wakeup| wakeup.source.as_str()).collect()
    }

    #[tokio::test]
    async fn news_are_heard_once_by_those_who_come_later_and_by_all_who_wait() {
        let wakeups = Wakeups::default();
        wakeups.ring("a", "x");
        wakeups.ring("b", "x");
        wakeups.ring("c", "x");
        wakeups.forget("b");
        let (mut one, mut other) = (wakeups.listen(), wakeups.listen());
        assert_eq!(sources(&one.news().await), ["a", "c"]);
        assert_eq!(sources(&other.news().await), ["a", "c"]);
        let mut late = wakeups.listen();
        let (first, second, third, ()) = tokio::join!(one.news(), other.news(), late.news(), async {
            wakeups.ring("d", "x");
        });
        assert_eq!((sources(&first), sources(&second), sources(&third)), (vec!["d"], vec!["d"], vec!["d"]));
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded() {
        let wakeups = Wakeups::default();
        for number in 0..1_000 {
            wakeups.ring(number.to_string(), "x".repeat(10_000));
        }
        let news = wakeups.listen().news().await;
        assert_eq!((news.len(), news[0].source.as_str(), news[0].text.len()), (MOST, "936", MOST_CHARS));
    }
}
