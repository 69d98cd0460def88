//! Settings of WebFetch and WebSearch.

use serde::Deserialize;
use std::path::PathBuf;

/// Settings of WebFetch and WebSearch, `tools.web` in a settings file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct WebSettings {
    /// Hosts that may be fetched although they are not public, and by `http` where the address says so:
    /// `localhost`, `127.0.0.1:8080`, `*.corp.example`; behind `https://` an entry holds for that scheme only.
    /// An entry that is no host allows nothing; see [`WebSettings::problems`].
    pub allow_private: Vec<String>,
    /// Hosts that are fetched without asking where no rule says otherwise; without it a list of hosts with
    /// documentation. An empty list asks about every host.
    pub preapproved: Option<Vec<String>>,
    /// Address of the proxy to use, such as `http://proxy.example:3128`. Proxies of the environment are not used:
    /// one that finds names itself reaches what is not to be reached.
    pub proxy: Option<String>,
    /// File with certificates (PEM) to trust beside those of the system.
    pub extra_ca_file: Option<PathBuf>,
    /// Most bytes of a page or file, 10,000,000 when absent or 0.
    pub max_bytes: Option<usize>,
    /// Seconds that a fetch may take as a whole, 60 when absent or 0.
    pub timeout_seconds: Option<u64>,
    /// Who answers searches; without it there is no WebSearch.
    pub search: Option<SearchSettings>,
}

/// Who answers searches, `tools.web.search`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SearchSettings {
    /// What kind of backend.
    pub backend: SearchBackend,
    /// Address of the backend: of a SearXNG instance (needed), or of what speaks Brave's form (theirs when absent).
    #[serde(default)]
    pub url: Option<String>,
    /// Name of the variable that holds Brave's key, `BRAVE_API_KEY` when absent.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// The program and its arguments, for `command`.
    #[serde(default)]
    pub command: Vec<String>,
    /// Seconds that one search may take, 20 when absent or 0.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
}

/// Kinds of search backends.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SearchBackend {
    /// A SearXNG instance whose settings allow the format `json`.
    Searxng,
    /// Brave Search.
    Brave,
    /// A program of one's own.
    Command,
}

impl SearchSettings {
    /// A backend of this kind, without any details.
    #[must_use]
    pub fn new(backend: SearchBackend) -> Self {
        Self { backend, url: None, api_key_env: None, command: Vec::new(), timeout_seconds: None }
    }
}

impl WebSettings {
    /// Settings that allow these hosts although they are not public.
    #[must_use]
    pub fn with_private<S: Into<String>>(mut self, hosts: impl IntoIterator<Item = S>) -> Self {
        self.allow_private.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// What in these settings is not understood, does not count as it stands or cannot work, in words for the
    /// operator. Such a host allows nothing.
    #[must_use]
    #[cfg(feature = "web")]
    pub fn problems(&self) -> Vec<String> {
        crate::web::problems(self)
    }
}
