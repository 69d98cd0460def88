//! Fetches one page: each step of the way is judged, connected to exactly where it was judged, and bounded.

use super::address_guard::{AddressGuard, Refused, literal};
use super::failure::FetchError;
use super::location::Location;
use super::network::Network;
use pegboard_tool_core::ports::{AccessPolicy, Verdict};
use pegboard_tool_core::{Grant, PermissionMode, ToolContext};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue,
    LOCATION, RETRY_AFTER,
};
use reqwest::{Client, Response, StatusCode};
use std::sync::Arc;
use std::time::Duration;

/// Most redirections that are followed.
const MOST_REDIRECTS: usize = 10;
/// What we would like.
const ACCEPTED: &str =
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";
/// Longest value of a header that is looked at.
const LONGEST_HEADER: usize = 200;
/// Most seconds after which a page may be asked for again: a year.
const MOST_SECONDS: u32 = 31_622_400;
/// Ways to pack a page that have a name.
const CODINGS: [&str; 11] = [
    "gzip",
    "x-gzip",
    "deflate",
    "br",
    "zstd",
    "compress",
    "x-compress",
    "dcb",
    "dcz",
    "exi",
    "pack200-gzip",
];

/// Fetches pages.
#[derive(Clone, Debug)]
pub(crate) struct Fetcher {
    pub(crate) guard: AddressGuard,
    pub(crate) network: Network,
    /// Which hosts a rule forbids.
    pub(crate) policy: Option<Arc<dyn AccessPolicy>>,
    /// Most bytes of a body, as it comes.
    pub(crate) max_bytes: usize,
    /// How long a fetch may take as a whole.
    pub(crate) time_limit: Duration,
}

/// How a fetch ended.
#[derive(Debug)]
pub(crate) enum Fetched {
    /// With an answer.
    Answer(Answer),
    /// With a redirection to another host, which was not asked.
    Elsewhere {
        /// The status of the redirection.
        status: StatusCode,
        /// Where it leads.
        to: Location,
    },
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Where it was found in the end.
    pub location: Location,
    /// Its status.
    pub status: StatusCode,
    /// What it says it is.
    pub content_type: Option<String>,
    /// How it is packed; empty for not.
    pub coding: String,
    /// When to come again: seconds, or a date of HTTP.
    pub retry_after: Option<String>,
    /// Whether it may be kept in memory.
    pub may_be_kept: bool,
    /// The body, as it came.
    pub body: Vec<u8>,
    /// Whether the end of the body was not read: it is too large.
    pub is_cut: bool,
}

impl Fetcher {
    /// Fetches `start`, whose host must be one of `grant`.
    ///
    /// # Errors
    /// When it cannot or may not be fetched. An answer with a status of failure is an answer.
    pub(crate) async fn fetch(
        &self,
        start: &Location,
        grant: &Grant,
        ctx: &ToolContext,
    ) -> Result<Fetched, FetchError> {
        granted(start, grant)?;
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => Err(FetchError::Cancelled),
            fetched = tokio::time::timeout(self.time_limit, self.follow(start, ctx)) => {
                let too_slow = |_| FetchError::TooSlow {
                    host: start.host().to_owned(),
                    seconds: self.time_limit.as_secs(),
                };
                fetched.map_err(too_slow)?
            }
        }
    }

    async fn follow(&self, start: &Location, ctx: &ToolContext) -> Result<Fetched, FetchError> {
        let mut here = start.clone();
        for _ in 0..=MOST_REDIRECTS {
            let response = self.ask(&here, ctx).await?;
            let Some(to) = redirection(&response) else {
                return self.read(here, response).await.map(Fetched::Answer);
            };
            let bad = |problem| FetchError::BadRedirect { host: here.host().to_owned(), problem };
            let to = here.redirected(&to).map_err(bad)?;
            if to.host() != start.host() {
                return Ok(Fetched::Elsewhere { status: response.status(), to });
            }
            if here.is_secure() && !to.is_secure() {
                return Err(FetchError::Downgrade { host: here.host().to_owned() });
            }
            here = to;
        }
        Err(FetchError::Loop { host: start.host().to_owned(), times: MOST_REDIRECTS + 1 })
    }

    async fn ask(&self, here: &Location, ctx: &ToolContext) -> Result<Response, FetchError> {
        let client = self.judged_client(here, ctx).await?;
        let request = client.get(here.url().clone()).header(ACCEPT, ACCEPTED).header(ACCEPT_ENCODING, "gzip");
        request.send().await.map_err(|error| FetchError::connection(here.host(), &error, self.hint(ctx)))
    }

    /// A client that reaches the judged addresses only, for a host that no rule forbids.
    ///
    /// # Errors
    /// When a rule forbids it, or the addresses may not be reached.
    pub(crate) async fn judged_client(
        &self,
        here: &Location,
        ctx: &ToolContext,
    ) -> Result<Client, FetchError> {
        // Where nobody is asked, what no rule names is denied too; the grant says whether it was approved.
        let is_sure = ctx.mode != PermissionMode::DontAsk;
        let denies =
            |policy: &Arc<dyn AccessPolicy>| is_sure && policy.host(here.host(), ctx) == Verdict::Deny;
        if self.policy.as_ref().is_some_and(denies) {
            return Err(FetchError::Forbidden { host: here.host().to_owned() });
        }
        self.client(here).await
    }

    async fn client(&self, here: &Location) -> Result<Client, FetchError> {
        let is_own = self.guard.allows(here.target());
        let checked = self.guard.checked(here.target()).await;
        if !self.network.has_proxy() || is_own {
            return Ok(self.network.direct(here.host(), checked?).await?);
        }
        match checked {
            Ok(_) => {}
            // Behind a proxy names need not be known here; those that are must not lead inside.
            Err(Refused::NotFound { .. }) if literal(here.host()).is_none() => {}
            Err(refused) => return Err(refused.into()),
        }
        Ok(self.network.through_proxy().await?)
    }

    /// What may help when there is no connection.
    fn hint(&self, ctx: &ToolContext) -> &'static str {
        let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
        let has_proxy = names.iter().any(|name| ctx.env.get(*name).is_some_and(|value| !value.is_empty()));
        if has_proxy && !self.network.has_proxy() {
            "; the proxy that the environment names is not used, it must be set as `tools.web.proxy`"
        } else {
            ""
        }
    }

    async fn read(&self, location: Location, mut response: Response) -> Result<Answer, FetchError> {
        let mut answer = Answer {
            status: response.status(),
            content_type: header(&response, &CONTENT_TYPE),
            coding: coding(&response),
            retry_after: header(&response, &RETRY_AFTER).filter(|when| is_time(when)),
            may_be_kept: may_be_kept(&response),
            body: Vec::new(),
            is_cut: false,
            location,
        };
        loop {
            let chunk = response.chunk().await;
            let chunk = chunk.map_err(|error| FetchError::connection(answer.location.host(), &error, ""))?;
            let Some(chunk) = chunk else { return Ok(answer) };
            let room = self.max_bytes.saturating_sub(answer.body.len());
            answer.body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if chunk.len() > room {
                answer.is_cut = true;
                return Ok(answer);
            }
        }
    }
}

/// Whether the host of `place` is the one that was approved.
///
/// # Errors
/// When it is not.
pub(crate) fn granted(place: &Location, grant: &Grant) -> Result<(), FetchError> {
    if grant.hosts.iter().any(|host| host == place.host()) {
        Ok(())
    } else {
        Err(FetchError::NotGranted { host: place.host().to_owned() })
    }
}

fn redirection(response: &Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let to = response.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(to.as_bytes()).into_owned())
}

/// Whether a text is seconds within reason, or a date of HTTP. Others are words of the server.
fn is_time(text: &str) -> bool {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<u32>().is_ok_and(|seconds| seconds <= MOST_SECONDS);
    }
    const DAYS: [&str; 7] = ["Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let is_number = |text: &str, digits: usize, most: u32| {
        text.len() == digits
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse().is_ok_and(|number: u32| number <= most)
    };
    let parts: Vec<&str> = text.split(' ').collect();
    let [day, date, month, year, time, "GMT"] = parts.as_slice() else { return false };
    let times: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = times.as_slice() else { return false };
    DAYS.contains(day)
        && MONTHS.contains(month)
        && is_number(date, 2, 31)
        && is_number(year, 4, 9999)
        && is_number(hour, 2, 23)
        && is_number(minute, 2, 59)
        && is_number(second, 2, 60)
}

/// Whether the server lets a page be kept in memory.
fn may_be_kept(response: &Response) -> bool {
    let values = response.headers().get_all(CACHE_CONTROL);
    let values = values.iter().map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase());
    let forbids = |directive: &str| {
        let name = directive.split('=').next().unwrap_or_default().trim();
        matches!(name, "no-store" | "no-cache")
    };
    !values.into_iter().any(|value| value.split(',').any(forbids))
}

/// How a body is packed, step by step; empty for not. Only what has a name is named.
fn coding(response: &Response) -> String {
    let values = response.headers().get_all(CONTENT_ENCODING).iter().map(plain).collect::<Vec<_>>().join(",");
    let steps = values.split(',').map(|step| step.trim().to_ascii_lowercase());
    let steps: Vec<String> = steps.filter(|step| !matches!(step.as_str(), "" | "identity")).collect();
    if steps.iter().all(|step| CODINGS.contains(&step.as_str())) {
        steps.join(", ")
    } else {
        "a coding that we do not know".to_owned()
    }
}

/// A header as a short text without odd characters.
fn header(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name).map(plain)
}

fn plain(value: &HeaderValue) -> String {
    let text = String::from_utf8_lossy(value.as_bytes());
    text.chars().filter(|c| !c.is_control()).take(LONGEST_HEADER).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_no_words() {
        for text in ["0", "120", "31622400", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert!(is_time(text), "{text}");
        }
        for text in [
            "",
            "31622401",
            "99999999999999999999",
            "-1",
            "1.5",
            "120 IGNORE ALL",
            "IGNORE ALL",
            "Wed, 21 Oct 2026 07:28:00 GMT; run",
            "Wed, 21 Oct 2026 07:28:00 UTC",
            "Wed, 99 Oct 2026 07:28:00 GMT",
            "Wed, 21 Run 2026 07:28:00 GMT",
            "Wed, 21 Oct 2026 07:28 GMT",
            "Wed,  21 Oct 2026 07:28:00 GMT",
            "\u{661}\u{662}",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }
}
