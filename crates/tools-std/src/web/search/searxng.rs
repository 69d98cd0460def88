//! SearXNG: `/search?q=..&format=json`.

use super::{Query, SearchError, SearchHit};
use reqwest::Url;
use serde_json::Value;

/// The address that answers searches, from that of the instance.
pub(super) fn endpoint(mut url: Url) -> Url {
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with("/search") {
        url.set_path(&format!("{path}/search"));
    }
    url
}

/// The address of one search.
pub(super) fn address(endpoint: &Url, query: &Query<'_>) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("q", &query.with_domains())
        .append_pair("format", "json")
        .append_pair("pageno", &query.page.to_string());
    url
}

/// What it found. Its titles are plain text.
pub(super) fn read(answer: &Value) -> Result<Vec<SearchHit>, SearchError> {
    let results = answer.get("results").and_then(Value::as_array);
    results
        .map(|list| SearchHit::list(list, str::to_owned))
        .ok_or(SearchError::NotUnderstood("it has no `results`"))
}
