//! Pages and searches of the web.

mod address;
mod address_guard;
mod allowed_host;
mod answer;
mod cache;
mod charset;
mod failure;
mod fetch;
mod file;
mod frame;
mod keep;
mod location;
mod markdown;
mod media;
mod network;
mod page;
mod preapproved;
mod search;
mod web_fetch;
mod web_search;
#[cfg(unix)]
pub(crate) mod web_socket;

pub use address_guard::Resolve;
pub use markdown::{Markdown, html_to_markdown};
pub use search::SearchHit;
pub use web_fetch::{WebFetch, WebFetchInput, WebFetchOutput};
pub use web_search::{WebSearch, WebSearchInput, WebSearchOutput};

use crate::Services;
use crate::families::Made;
use crate::settings::{WebSettings, number};
use allowed_host::AllowedHost;
use pegboard_tool_core::dyn_tool;

/// The tools of this family.
pub(crate) fn tools(services: &Services) -> Made {
    Ok(vec![dyn_tool(WebFetch::new(services.clone()))?, dyn_tool(WebSearch::new(services))?])
}

/// What in the settings is not understood or does not count as it stands.
pub(crate) fn problems(settings: &WebSettings) -> Vec<String> {
    let hosts = settings.allow_private.iter().filter_map(|text| AllowedHost::parse(text).err());
    let search = settings.search.as_ref().and_then(|search| search::Backend::of(search).err());
    let most = settings.max_bytes.map(|bytes| u64::try_from(bytes).unwrap_or(u64::MAX));
    let seconds = settings.search.as_ref().and_then(|search| search.timeout_seconds);
    let numbers = [
        (number::MAX_PAGE_BYTES, most),
        (number::FETCH_SECONDS, settings.timeout_seconds),
        (number::SEARCH_SECONDS, seconds),
    ];
    let numbers = numbers.into_iter().filter_map(|(number, given)| number.problem(given));
    hosts.chain(search).chain(numbers).collect()
}
