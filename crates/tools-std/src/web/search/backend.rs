//! A backend as the settings name it.

use super::{Query, SearchHit, brave, command, http, searxng};
use crate::Services;
use crate::program;
use crate::settings::{SearchBackend, SearchSettings, number};
use crate::web::address_guard::Resolve;
use crate::web::allowed_host::normal_host;
use crate::web::network::Network;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolEnv, ToolError};
use reqwest::Url;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Who is asked.
#[derive(Clone, Debug)]
pub(crate) struct Backend {
    kind: Kind,
    time_limit: Duration,
}

#[derive(Clone, Debug)]
enum Kind {
    Searxng(Url),
    Brave { url: Url, key_env: String },
    Command(Vec<String>),
}

/// A search failed. The texts hold no keys, and nothing that a backend wrote outside of quotes.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum SearchError {
    /// It could not be reached.
    #[error("the search backend cannot be reached: {0}")]
    Unreachable(String),
    /// It answered with a status of failure.
    #[error("the search backend answered {status}{hint}")]
    Status {
        /// The status.
        status: u16,
        /// What may help, after it.
        hint: &'static str,
    },
    /// Its answer is none.
    #[error("the search backend sent an answer that is not understood ({0})")]
    NotUnderstood(&'static str),
    /// It took too long.
    #[error("the search backend did not answer within {0} seconds")]
    TooSlow(u64),
    /// The variable with the key is not set.
    #[error("the variable `{0}`, which should hold the key of the search backend, is not set")]
    NoKey(String),
    /// The program could not be started or failed.
    #[error("the search command {0}")]
    Command(String),
    /// Cancelled.
    #[error("the call was interrupted")]
    Cancelled,
}

impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        let kind = match error {
            SearchError::Cancelled => return Self::cancelled(),
            SearchError::TooSlow(_) => ErrorKind::TimedOut,
            _ => ErrorKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}

impl Backend {
    /// By the settings.
    ///
    /// # Errors
    /// When they do not say enough, in words for the operator.
    pub(crate) fn of(settings: &SearchSettings) -> Result<Self, String> {
        let url = |usual: Option<&str>| {
            let text = settings
                .url
                .as_deref()
                .or(usual)
                .ok_or("`tools.web.search` needs a `url`: the address of the SearXNG instance")?;
            let url =
                Url::parse(text).map_err(|error| format!("`tools.web.search.url` is no address: {error}"))?;
            let is_sound = matches!(url.scheme(), "http" | "https") && normal_host(&url).is_some();
            if !is_sound || !url.username().is_empty() || url.password().is_some() {
                return Err(
                    "`tools.web.search.url` must begin with http:// or https:// and name no user".to_owned()
                );
            }
            Ok(url)
        };
        let kind = match settings.backend {
            SearchBackend::Searxng => Kind::Searxng(searxng::endpoint(url(None)?)),
            SearchBackend::Brave => {
                let key_env = settings.api_key_env.as_deref().unwrap_or("BRAVE_API_KEY");
                if key_env.trim().is_empty() {
                    return Err(
                        "`tools.web.search.apiKeyEnv` is empty; it names the variable that holds the key"
                            .to_owned(),
                    );
                }
                Kind::Brave { url: url(Some(brave::ENDPOINT))?, key_env: key_env.to_owned() }
            }
            SearchBackend::Command => {
                if settings.command.first().is_none_or(|program| program.trim().is_empty()) {
                    return Err(
                        "`tools.web.search` needs a `command`: a program and its arguments".to_owned()
                    );
                }
                Kind::Command(settings.command.clone())
            }
        };
        let seconds = number::SEARCH_SECONDS.of(settings.timeout_seconds);
        Ok(Self { kind, time_limit: Duration::from_secs(seconds) })
    }

    /// The host that is asked; a command asks whom it likes.
    pub(crate) fn host(&self) -> Option<String> {
        match &self.kind {
            Kind::Searxng(url) | Kind::Brave { url, .. } => normal_host(url),
            Kind::Command(_) => None,
        }
    }

    /// What it needs and does not have, in words for the operator.
    pub(crate) fn missing(&self, env: &ToolEnv) -> Option<String> {
        match &self.kind {
            Kind::Searxng(_) => None,
            Kind::Brave { key_env, .. } => match key_of(key_env, &env.vars) {
                Ok(key) => http::key_value(key).err().map(|problem| problem.to_string()),
                Err(problem) => Some(problem.to_string()),
            },
            Kind::Command(command) => {
                let program = command.first()?;
                // What is named from the project's folder is looked for when a call says which it is.
                let is_known = Path::new(program).is_absolute() || !program.contains(std::path::is_separator);
                let found =
                    is_known.then(|| program::resolve(program, Path::new(""), env.path.iter().cloned()));
                let problem = found?.err()?;
                Some(SearchError::Command(format!("`{program}` {problem}")).to_string())
            }
        }
    }

    /// Whether it takes any number of domains at once.
    pub(crate) fn takes_domains(&self) -> bool {
        matches!(self.kind, Kind::Command(_))
    }

    /// Asks once.
    ///
    /// # Errors
    /// When there is no answer, or none that is understood.
    pub(crate) async fn search(
        &self,
        query: &Query<'_>,
        network: &Network,
        resolver: &Arc<dyn Resolve>,
        services: &Services,
        ctx: &ToolContext,
    ) -> Result<Vec<SearchHit>, SearchError> {
        let asked = async {
            match &self.kind {
                Kind::Searxng(url) => {
                    let answer = http::ask(searxng::address(url, query), None, network, resolver).await?;
                    searxng::read(&answer)
                }
                Kind::Brave { url, key_env } => {
                    let key = key_of(key_env, &ctx.env)?;
                    let answer = http::ask(brave::address(url, query), Some(key), network, resolver).await?;
                    brave::read(&answer)
                }
                Kind::Command(command) => command::ask(command, query, services, ctx).await,
            }
        };
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => Err(SearchError::Cancelled),
            asked = tokio::time::timeout(self.time_limit, asked) => {
                asked.map_err(|_| SearchError::TooSlow(self.time_limit.as_secs()))?
            }
        }
    }
}

/// The key in the variable `name`.
fn key_of<'a>(name: &str, vars: &'a BTreeMap<String, String>) -> Result<&'a str, SearchError> {
    let key = vars.get(name).map(|key| key.trim()).filter(|key| !key.is_empty());
    key.ok_or_else(|| SearchError::NoKey(name.to_owned()))
}
