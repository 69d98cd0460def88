//! Search backends: who is asked, and what comes back from each, in one form.

mod backend;
mod brave;
mod command;
mod complaint;
mod domain;
mod hit;
mod html_title;
mod http;
mod searxng;

pub(crate) use backend::{Backend, SearchError};
pub(crate) use domain::Domain;
pub use hit::SearchHit;

/// One search of a backend.
#[derive(Clone, Debug)]
pub(crate) struct Query<'a> {
    /// The words, without domains.
    pub words: &'a str,
    /// The only domains that count; empty for all.
    pub allowed: &'a [Domain],
    /// Domains that do not count.
    pub blocked: &'a [Domain],
    /// Which part of the results, from 1.
    pub page: usize,
}

impl Query<'_> {
    /// Most domains that are named in the words.
    const MOST_NAMED: usize = 8;

    /// The words with the domains, as search engines understand them. Results are filtered all the same.
    fn with_domains(&self) -> String {
        let mut text = self.words.to_owned();
        let sites: Vec<String> = self.allowed.iter().map(|domain| format!("site:{domain}")).collect();
        if !sites.is_empty() {
            text = format!("{text} {}", sites.join(" OR "));
        }
        for domain in self.blocked.iter().take(Self::MOST_NAMED) {
            text = format!("{text} -site:{domain}");
        }
        text
    }
}
