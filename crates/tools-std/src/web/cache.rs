//! Pages that were fetched a short while ago, so that a second question costs no second fetch. One a session.

use super::page::Page;
use pegboard_tool_core::ToolContext;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a page is good when nothing else is said.
const USUAL: Duration = Duration::from_millis(900_000);
/// Most pages.
const MOST_PAGES: usize = 64;
/// Most bytes of all pages.
const MOST_BYTES: usize = 32_000_000;

/// The pages, the one that was used last at the end.
#[derive(Debug, Default)]
pub(crate) struct PageCache(Mutex<VecDeque<Kept>>);

#[derive(Debug)]
struct Kept {
    url: String,
    since: Instant,
    page: Arc<Page>,
}

impl PageCache {
    /// The page at `url`, if it was fetched within `good_for` before `now`, and how long ago that was.
    pub(crate) fn find(&self, url: &str, good_for: Duration, now: Instant) -> Option<(Arc<Page>, Duration)> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|kept| now.saturating_duration_since(kept.since) < good_for);
        let at = pages.iter().position(|kept| kept.url == url)?;
        let kept = pages.remove(at)?;
        let found = (Arc::clone(&kept.page), now.saturating_duration_since(kept.since));
        pages.push_back(kept);
        Some(found)
    }

    /// Keeps a page under these addresses. What is too much goes, the longest unused first.
    pub(crate) fn keep(&self, urls: &[&str], page: &Arc<Page>, now: Instant) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|kept| !urls.contains(&kept.url.as_str()));
        for (at, url) in urls.iter().enumerate() {
            if !urls.iter().take(at).any(|before| before == url) {
                pages.push_back(Kept { url: (*url).to_owned(), since: now, page: Arc::clone(page) });
            }
        }
        let bytes = |pages: &VecDeque<Kept>| pages.iter().map(|kept| kept.page.size()).sum::<usize>();
        while pages.len() > MOST_PAGES || bytes(&pages) > MOST_BYTES {
            pages.pop_front();
        }
    }
}

/// How long pages are good: `CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS` where it is digits only.
pub(crate) fn good_for(ctx: &ToolContext) -> Duration {
    let given = ctx.env.get("CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS");
    let given = given.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    given.and_then(|text| text.parse().ok()).map_or(USUAL, Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::super::page::Body;
    use super::*;
    use pegboard_tool_core::ContextSnapshot;

    fn page(size: usize) -> Arc<Page> {
        let body = Body::File { content: vec![0; size].into(), media: String::new(), extension: "bin" };
        Arc::new(Page::for_tests("", body))
    }

    #[tokio::test(start_paused = true)]
    async fn pages_are_good_for_a_while() {
        let cache = PageCache::default();
        cache.keep(&["https://a/", "https://b/", "https://a/"], &page(1), Instant::now());
        let found = |url| cache.find(url, USUAL, Instant::now()).is_some();
        tokio::time::advance(USUAL - Duration::from_millis(1)).await;
        assert!(found("https://a/") && found("https://b/") && !found("https://c/"));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!found("https://a/") && !found("https://b/"));
        cache.keep(&["https://a/"], &page(1), Instant::now());
        assert!(cache.find("https://a/", Duration::ZERO, Instant::now()).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_too_much_goes() {
        let cache = PageCache::default();
        let now = Instant::now();
        for at in 0..MOST_PAGES + 2 {
            cache.keep(&[format!("https://{at}/").as_str()], &page(1), now);
        }
        let found = |url: &str| cache.find(url, USUAL, now).is_some();
        assert!(!found("https://0/") && !found("https://1/") && found("https://2/"));
        cache.keep(&["https://large/"], &page(MOST_BYTES - 2), now);
        // The one that was used last stays beside it.
        assert!(found("https://large/") && found("https://2/") && !found("https://9/"));
        cache.keep(&["https://huge/"], &page(MOST_BYTES + 1), now);
        assert!(!found("https://huge/") && !found("https://large/"));
    }

    #[test]
    fn the_time_is_digits_or_the_usual() {
        for (given, expected) in [
            ("5", 5),
            ("0", 0),
            ("", 900_000),
            ("5s", 900_000),
            ("-5", 900_000),
            ("+5", 900_000),
            ("99999999999999999999999", 900_000),
        ] {
            let mut snapshot = ContextSnapshot::new("/w", "s");
            Arc::make_mut(&mut snapshot.env).insert("CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS".into(), given.into());
            assert_eq!(
                good_for(&ToolContext::new(Arc::new(snapshot))),
                Duration::from_millis(expected),
                "{given}"
            );
        }
    }
}
