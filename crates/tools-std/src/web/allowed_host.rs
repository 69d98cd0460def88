//! Hosts that may be reached although they are not public, as the settings name them.

use super::address_guard::Target;
use reqwest::Url;

/// Longest name of a host.
const LONGEST_HOST: usize = 253;

/// One entry of `tools.web.allowPrivate`: `host`, `host:port`, `*.host`, or one of these behind `http://` or
/// `https://`, which then holds for that scheme only.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct AllowedHost {
    scheme: Option<String>,
    /// Names below `host` instead of itself.
    is_below: bool,
    host: String,
    port: Option<u16>,
}

impl AllowedHost {
    /// Reads one entry.
    ///
    /// # Errors
    /// When it is none, in words for the operator.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` in `tools.web.allowPrivate` is no host; write `localhost`, `127.0.0.1:8080` or `*.corp.example`"
            )
        };
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        if scheme.as_deref().is_some_and(|scheme| !matches!(scheme, "http" | "https")) {
            return Err(wrong());
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (is_below, rest) = match rest.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        if rest.is_empty() || rest.contains(['/', '?', '#', '@', '\\', '*', ' ', '%']) {
            return Err(wrong());
        }
        // An address of version 6 may stand without its brackets.
        let bracketed =
            if rest.parse::<std::net::Ipv6Addr>().is_ok() { format!("[{rest}]") } else { rest.to_owned() };
        // The usual port of this scheme cannot be told from none, so an unusual one is added where none stands.
        let has_port = bracketed
            .rsplit_once(':')
            .is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
        let url = Url::parse(&format!("{}://{bracketed}/", if has_port { "pegboard" } else { "https" }));
        let port = if has_port { url.as_ref().ok().and_then(Url::port) } else { None };
        if has_port && port.is_none() {
            return Err(wrong());
        }
        let host = match (&url, has_port) {
            (Ok(_), true) => bracketed.rsplit_once(':').map(|(host, _)| host.to_owned()),
            (Ok(_), false) => Some(bracketed.clone()),
            (Err(_), _) => None,
        };
        let url = host.and_then(|host| Url::parse(&format!("https://{host}/")).ok()).ok_or_else(wrong)?;
        let host = normal_host(&url).ok_or_else(wrong)?;
        Ok(Self { scheme, is_below, host, port })
    }

    /// Whether this entry names `target`.
    pub(crate) fn matches(&self, target: Target<'_>) -> bool {
        let host = if self.is_below {
            target.host.strip_suffix(&self.host).is_some_and(|front| front.len() > 1 && front.ends_with('.'))
        } else {
            target.host == self.host
        };
        // The sockets of the web are as protected as its pages.
        let scheme = match target.scheme {
            "ws" => "http",
            "wss" => "https",
            other => other,
        };
        host && self.port.is_none_or(|port| port == target.port)
            && self.scheme.as_deref().is_none_or(|own| own == scheme)
    }
}

/// The host of an address as it is judged: without the dot at its end.
pub(crate) fn normal_host(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let host = host.strip_suffix('.').unwrap_or(host);
    (!host.is_empty() && host.len() <= LONGEST_HOST && !host.ends_with('.'))
        .then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_name_hosts() {
        let target = |scheme, host, port| Target { scheme, host, port };
        for (entry, to, expected) in [
            ("localhost", target("http", "localhost", 80), true),
            ("localhost", target("https", "localhost", 8443), true),
            ("LOCALHOST.", target("https", "localhost", 1), true),
            ("localhost:8080", target("http", "localhost", 8080), true),
            ("localhost:80", target("http", "localhost", 80), true),
            ("localhost:443", target("https", "localhost", 443), true),
            ("localhost:443", target("https", "localhost", 444), false),
            ("https://localhost", target("http", "localhost", 80), false),
            ("https://localhost", target("https", "localhost", 443), true),
            ("https://localhost", target("wss", "localhost", 443), true),
            ("https://localhost", target("ws", "localhost", 80), false),
            ("http://localhost:8080/", target("http", "localhost", 8080), true),
            ("::1", target("http", "[::1]", 80), true),
            ("[::1]:81", target("http", "[::1]", 81), true),
            ("0x7f.1", target("http", "127.0.0.1", 81), true),
            ("*.corp.example", target("https", "a.b.corp.example", 443), true),
            ("*.corp.example", target("https", "corp.example", 443), false),
            ("*.corp.example", target("https", "evilcorp.example", 443), false),
            ("bücher.example", target("https", "xn--bcher-kva.example", 443), true),
        ] {
            assert_eq!(AllowedHost::parse(entry).unwrap().matches(to), expected, "{entry} {to:?}");
        }
        for entry in ["", "*", "*.", "ftp://a", "a/b", "u@a", "a:99999", "10.0.0.0/8", "a b", "[::1", "a:b"] {
            assert!(AllowedHost::parse(entry).is_err(), "{entry}");
        }
    }
}
