//! The size budget of results: what is too long goes to a file as a whole, and the model reads its head
//! and its tail, its size and where the rest is.

use crate::config::DispatchConfig;
use pegboard_tool_core::ResultContent;
use pegboard_tool_core::ports::{Outcome, ResultStore, StoreError, StoredText};
use std::sync::Arc;

/// Most characters of head and of tail that are shown of a stored success.
const SUCCESS_CHARS: (usize, usize) = (2_000, 1_000);
/// The same of a failure, whose end says what went wrong.
const FAILURE_CHARS: (usize, usize) = (5_000, 5_000);
/// Characters of the words around head and tail, when the budget has to hold everything.
const FRAME_CHARS: usize = 400;

/// The same content, which exceeds `limit`, with its text within `limit` characters (and a few for the words around it).
pub(crate) async fn within(
    config: &DispatchConfig,
    id: &Arc<str>,
    content: Vec<ResultContent>,
    limit: usize,
    outcome: Outcome,
) -> Vec<ResultContent> {
    let text: Arc<str> = joined(&content).into();
    let shown = match put(config.store.as_ref(), id, &text).await {
        Some(Ok(stored)) => {
            let (head, tail) = if outcome == Outcome::Succeeded { SUCCESS_CHARS } else { FAILURE_CHARS };
            stored_text(&text, &stored, (head.min(limit / 2), tail.min(limit / 2)))
        }
        Some(Err(error)) => {
            config.notice(id, &format!("{error}: {}", error.source));
            unstored_text(&text, limit, "it could not be stored")
        }
        None => unstored_text(&text, limit, "there is no place to store it"),
    };
    let mut texts = vec![ResultContent::Text(shown)];
    texts.extend(content.into_iter().filter(|block| !matches!(block, ResultContent::Text(_))));
    texts
}

/// Whether the text of `content` has more than `limit` characters.
pub(crate) fn exceeds(content: &[ResultContent], limit: usize) -> bool {
    let bytes: usize = content.iter().map(|block| text_of(block).map_or(0, str::len)).sum();
    // A character has one byte at least, so most results need no counting.
    bytes > limit && content.iter().map(ResultContent::chars).sum::<usize>() > limit
}

fn text_of(block: &ResultContent) -> Option<&str> {
    match block {
        ResultContent::Text(text) => Some(text),
        ResultContent::Image { .. } | ResultContent::Other(_) => None,
    }
}

fn joined(content: &[ResultContent]) -> String {
    content.iter().filter_map(text_of).collect::<Vec<_>>().join("\n")
}

/// Stores on the blocking pool of the runtime that we are in; without one, right here.
async fn put(
    store: Option<&Arc<dyn ResultStore>>,
    id: &Arc<str>,
    text: &Arc<str>,
) -> Option<Result<StoredText, StoreError>> {
    let store = Arc::clone(store?);
    let (id, text) = (Arc::clone(id), Arc::clone(text));
    let dir = store.dir().to_path_buf();
    let work = move || store.put(&id, &text);
    match tokio::runtime::Handle::try_current() {
        Err(_) => Some(work()),
        Ok(runtime) => Some(
            runtime
                .spawn_blocking(work)
                .await
                .unwrap_or_else(|error| Err(StoreError::new(dir, std::io::Error::other(error)))),
        ),
    }
}

fn stored_text(text: &str, stored: &StoredText, (head, tail): (usize, usize)) -> String {
    let total = text.chars().count();
    let frame = format!(
        "The output is too long to show: {total} characters. All of it ({} bytes) is in {}; read the parts \
         that you need there.",
        stored.bytes,
        stored.path.display()
    );
    cut(text, total, &frame, (head, tail))
}

fn unstored_text(text: &str, limit: usize, why: &str) -> String {
    let total = text.chars().count();
    let frame = format!("The output is too long to show: {total} characters, and {why}.");
    let half = limit.saturating_sub(FRAME_CHARS).max(limit / 2) / 2;
    cut(text, total, &frame, (half, half))
}

fn cut(text: &str, total: usize, frame: &str, (head, tail): (usize, usize)) -> String {
    let left_out = total.saturating_sub(head + tail);
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start =
        if tail == 0 { text.len() } else { text.char_indices().nth_back(tail - 1).map_or(0, |(at, _)| at) };
    format!(
        "{frame}\n\nIts beginning:\n{}\n\n[{left_out} characters left out]\n\nIts end:\n{}",
        &text[..head_end],
        &text[tail_start.max(head_end)..]
    )
}
