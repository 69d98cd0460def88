//! Opens a WebSocket: judged and connected like a page, then upgraded. Messages are bounded.

use super::address_guard::{AddressGuard, SystemResolver};
use super::allowed_host::AllowedHost;
use super::failure::FetchError;
use super::fetch::{self, Fetcher};
use super::location::Location;
use super::network::Network;
use crate::Services;
use pegboard_tool_core::{Grant, ToolContext, ToolError};
use reqwest::header::{CONNECTION, HeaderValue, UPGRADE};
use reqwest::{Response, StatusCode, Upgraded};
use std::sync::Arc;
use std::time::Duration;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// Largest message, in bytes.
pub(crate) const MOST_BYTES: usize = 1024 * 1024;
/// How long opening may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The address as one of pages, by which it is judged; `ws` is `http`, `wss` is `https`.
pub(crate) fn location(url: &str, services: &Services) -> Result<Location, String> {
    let (scheme, rest) = url.trim().split_once("://").unwrap_or_default();
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "ws" => "http",
        "wss" => "https",
        _ => return Err("`ws.url` must begin with wss:// or ws://".to_owned()),
    };
    let allowed: Vec<AllowedHost> =
        services.settings.web.allow_private.iter().filter_map(|text| AllowedHost::parse(text).ok()).collect();
    Location::parse(&format!("{scheme}://{rest}"), &allowed).map_err(|error| error.to_string())
}

/// Opens it. A redirection is not followed: its server speaks no WebSocket there.
///
/// # Errors
/// When the host was not granted, is not public, is denied, cannot be reached or speaks no WebSocket there.
pub(crate) async fn open(
    place: &Location,
    protocols: &[String],
    grant: &Grant,
    services: &Services,
    ctx: &ToolContext,
) -> Result<WebSocketStream<Upgraded>, ToolError> {
    fetch::granted(place, grant)?;
    tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => Err(ToolError::cancelled()),
        opened = tokio::time::timeout(PATIENCE, connect(place, protocols, services, ctx)) => opened
            .unwrap_or_else(|_| Err(failed(place, "did not answer within 30 s"))),
    }
}

async fn connect(
    place: &Location,
    protocols: &[String],
    services: &Services,
    ctx: &ToolContext,
) -> Result<WebSocketStream<Upgraded>, ToolError> {
    let settings = &services.settings.web;
    let fetcher = Fetcher {
        guard: AddressGuard::of(settings, Arc::new(SystemResolver)),
        network: Network::new(settings),
        policy: services.access_policy.clone(),
        max_bytes: MOST_BYTES,
        time_limit: PATIENCE,
    };
    let client = fetcher.judged_client(place, ctx).await?;
    let key = generate_key();
    let mut request = client
        .get(place.url().clone())
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", &key);
    if !protocols.is_empty() {
        request = request.header("Sec-WebSocket-Protocol", protocols.join(", "));
    }
    let failed_to_connect = |error: reqwest::Error| FetchError::connection(place.host(), &error, "");
    let response = request.send().await.map_err(failed_to_connect)?;
    if let Some(problem) = problem(&response, &key, protocols) {
        return Err(failed(place, &problem));
    }
    let upgraded = response.upgrade().await.map_err(|_| failed(place, "broke the connection off"))?;
    let config =
        WebSocketConfig::default().max_message_size(Some(MOST_BYTES)).max_frame_size(Some(MOST_BYTES));
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await)
}

/// What is wrong with the server's answer (RFC 6455, section 4.1). Nothing of it is quoted.
fn problem(response: &Response, key: &str, offered: &[String]) -> Option<String> {
    let values = |name: &str| response.headers().get_all(name).iter().collect::<Vec<_>>();
    let words = |name: &str| -> Vec<String> {
        let texts =
            values(name).into_iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        texts
            .flat_map(|text| text.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>())
            .collect()
    };
    let has = |name: &str, wanted: &str| words(name).iter().any(|word| word.eq_ignore_ascii_case(wanted));
    let accepted = values("Sec-WebSocket-Accept");
    let is_taken = accepted.len() == 1
        && accepted.iter().all(|value| value.as_bytes() == derive_accept_key(key.as_bytes()).as_bytes());
    if response.status() != StatusCode::SWITCHING_PROTOCOLS
        || !has("Upgrade", "websocket")
        || !has("Connection", "upgrade")
        || !is_taken
    {
        return Some(format!("speaks no WebSocket there (status {})", response.status().as_u16()));
    }
    let chosen = values("Sec-WebSocket-Protocol");
    let is_offered = |value: &HeaderValue| offered.iter().any(|word| word.as_bytes() == value.as_bytes());
    if chosen.len() > 1 || !chosen.iter().all(|value| is_offered(value)) {
        return Some("chose a subprotocol that was not offered".to_owned());
    }
    if words("Sec-WebSocket-Extensions").iter().any(|word| !word.is_empty()) {
        return Some("wants to use an extension, such as compression, that was not offered".to_owned());
    }
    None
}

fn failed(place: &Location, problem: &str) -> ToolError {
    ToolError::failed(format!("`{}` {problem}", place.host()))
}
