//! Brave Search: `/res/v1/web/search?q=..`, with a key.

use super::{Query, SearchError, SearchHit, html_title};
use reqwest::Url;
use serde_json::Value;

/// Where it is when the settings say nothing else.
pub(super) const ENDPOINT: &str = "https://api.search.brave.com/res/v1/web/search";
/// Results of one search; it gives no more.
const COUNT: &str = "20";

/// The address of one search.
pub(super) fn address(endpoint: &Url, query: &Query<'_>) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("q", &query.with_domains())
        .append_pair("count", COUNT)
        .append_pair("offset", &query.page.saturating_sub(1).to_string());
    url
}

/// What it found. An answer without pages of the web is one. Its titles are HTML.
pub(super) fn read(answer: &Value) -> Result<Vec<SearchHit>, SearchError> {
    let is_answer =
        answer.get("type").and_then(Value::as_str) == Some("search") || answer.get("web").is_some();
    let results = answer.pointer("/web/results").and_then(Value::as_array);
    match results {
        Some(list) => Ok(SearchHit::list(list, html_title::plain)),
        None if is_answer && answer.pointer("/web/results").is_none() => Ok(Vec::new()),
        None => Err(SearchError::NotUnderstood("it has no `web.results`")),
    }
}
