//! Backends that are asked by HTTP. The operator named the address, so it may be a private one; redirections
//! are not followed, which keeps the key where it belongs.

use super::SearchError;
use crate::web::address_guard::{AddressGuard, Resolve, Target};
use crate::web::allowed_host::{AllowedHost, normal_host};
use crate::web::failure;
use crate::web::network::Network;
use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderValue};
use serde_json::Value;
use std::sync::Arc;

/// Most bytes of an answer.
const MOST_BYTES: usize = 4_000_000;
/// Where Brave wants its key.
const KEY: &str = "X-Subscription-Token";

/// Gets JSON from `url`.
pub(super) async fn ask(
    url: Url,
    key: Option<&str>,
    network: &Network,
    resolver: &Arc<dyn Resolve>,
) -> Result<Value, SearchError> {
    let unreachable = |error: &dyn std::fmt::Display| SearchError::Unreachable(error.to_string());
    let host = normal_host(&url).ok_or(SearchError::NotUnderstood("its address has no host"))?;
    let port = url.port_or_known_default().unwrap_or(443);
    let own = AllowedHost::parse(&format!("{host}:{port}")).map_err(SearchError::Unreachable)?;
    let guard = AddressGuard::new(std::slice::from_ref(&own), Arc::clone(resolver));
    let target = Target { scheme: url.scheme(), host: &host, port };
    let found = guard.checked(target).await;
    let client = match found {
        // Names that are known here are asked directly only where no proxy is set.
        Ok(addresses) if !network.has_proxy() => network.direct(&host, addresses).await,
        Err(refused) if !network.has_proxy() => return Err(unreachable(&refused)),
        _ => network.through_proxy().await,
    };
    let client = client.map_err(|error| unreachable(&error))?;
    let mut request = client.get(url).header(ACCEPT, "application/json");
    if let Some(key) = key {
        request = request.header(KEY, key_value(key)?);
    }
    let failed =
        |error: reqwest::Error| SearchError::Unreachable(format!("`{host}` {}", failure::words(&error)));
    let mut response = request.send().await.map_err(failed)?;
    let status = response.status();
    if !status.is_success() {
        let hint = match (status.as_u16(), key) {
            (401 | 403 | 422, Some(_)) => "; its key may not be valid",
            (403, None) => {
                "; a SearXNG instance must allow the format `json` in its settings (`search.formats`)"
            }
            (429, _) => "; it wants fewer searches",
            (300..=399, _) => "; its address may have changed",
            _ => "",
        };
        return Err(SearchError::Status { status: status.as_u16(), hint });
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(SearchError::NotUnderstood("it is too large"));
        }
        body.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&body).map_err(|_| SearchError::NotUnderstood("it is no JSON"))
}

/// The key as it is sent.
///
/// # Errors
/// When it cannot be sent.
pub(super) fn key_value(key: &str) -> Result<HeaderValue, SearchError> {
    let wrong = |_| SearchError::Unreachable("its key holds characters that cannot be sent".to_owned());
    let mut value = HeaderValue::from_str(key).map_err(wrong)?;
    value.set_sensitive(true);
    Ok(value)
}
