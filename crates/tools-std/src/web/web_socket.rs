//! Opens a WebSocket: judged and connected like a page, then upgraded. Messages are bounded.

use super::address_guard::{AddressGuard, SystemResolver};
use super::allowed_host::AllowedHost;
use super::fetch::{self, Fetcher};
use super::location::Location;
use super::network::Network;
use crate::Services;
use pegboard_tool_core::{Grant, ToolContext, ToolError};
use reqwest::header::{CONNECTION, UPGRADE};
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
    let response = request.send().await.map_err(|_| failed(place, "could not be reached"))?;
    if !agrees(&response, &key) {
        return Err(failed(
            place,
            &format!("speaks no WebSocket there (status {})", response.status().as_u16()),
        ));
    }
    let upgraded = response.upgrade().await.map_err(|_| failed(place, "broke the connection off"))?;
    let config =
        WebSocketConfig::default().max_message_size(Some(MOST_BYTES)).max_frame_size(Some(MOST_BYTES));
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await)
}

/// Whether the server took the key and changes its protocol.
fn agrees(response: &Response, key: &str) -> bool {
    let accepted = response.headers().get("Sec-WebSocket-Accept").map(|value| value.as_bytes());
    response.status() == StatusCode::SWITCHING_PROTOCOLS
        && accepted == Some(derive_accept_key(key.as_bytes()).as_bytes())
}

fn failed(place: &Location, problem: &str) -> ToolError {
    ToolError::failed(format!("`{}` {problem}", place.host()))
}
