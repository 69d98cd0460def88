//! Hosts out of URLs, `user@host:path` and bare names.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::ProgramUse;

/// The host of a URL, of `user@host:path` or of a bare name with or without a port.
pub(super) fn host(text: &str) -> Option<String> {
    let rest = match text.split_once("://") {
        Some((_, rest)) => rest,
        None => text,
    };
    // `http:/h`: what is made of it is not the same everywhere.
    if rest.len() == text.len()
        && let Some((scheme, _)) = text.split_once(':')
        && SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('\\') || authority.matches('@').count() > 1 {
        return None;
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(address) => {
            let (address, port) = address.split_once(']')?;
            if !is_address(address) || !(port.is_empty() || port.starts_with(':')) {
                return None;
            }
            address
        }
        None if is_address(host) => host,
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_plain = !host.is_empty()
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':'))
        && !is_odd_number(host);
    is_plain.then(|| host.to_ascii_lowercase())
}

/// Schemes of URLs.
const SCHEMES: &[&str] =
    &["http", "https", "ftp", "ftps", "file", "ws", "wss", "gopher", "ldap", "dict", "tftp", "smb"];

/// Whether it is written as an address of IPv6.
fn is_address(text: &str) -> bool {
    text.matches(':').count() > 1
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
}

/// An address of IPv4 in another form than four numbers: `0x7f.1`, `2130706433`.
fn is_odd_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_number && host.parse::<std::net::Ipv4Addr>().is_err()
}

/// The host of `host:path` or `scheme://...`; `None` for a local path.
pub(super) fn remote(text: &str) -> Option<&str> {
    if text.contains("://") {
        return Some(text);
    }
    let colon = text.find(':')?;
    let before = text.get(..colon)?;
    (!before.is_empty() && !before.contains('/')).then_some(text)
}

/// A word that is a URL (its host is reached) or a local path (it is read).
pub(super) fn url_or_path(word: &Word, used: &mut ProgramUse) {
    let Some(text) = word.value.as_deref() else {
        used.network.push(None);
        return;
    };
    if let Some(path) = text.strip_prefix("file://") {
        let path = path.strip_prefix("localhost").unwrap_or(path);
        used.path(path, FileAccess::Read, true, word.at);
    } else if let Some(remote) = remote(text) {
        used.network.push(host(remote));
    } else {
        used.touch(word, FileAccess::Read, true);
    }
}

#[cfg(test)]
mod tests {
    use super::{host, remote};

    #[test]
    fn hosts_are_found() {
        for (text, expected) in [
            ("https://User:pw@Example.com:8443/a?b", Some("example.com")),
            ("example.com", Some("example.com")),
            ("git@github.com:o/r.git", Some("github.com")),
            ("http://[::1]:80/", Some("::1")),
            ("example.com:80/x", Some("example.com")),
            ("http://{a,b}.test/", None),
            ("", None),
            ("http:/h.test", None),
            ("http:///h.test", None),
            ("http://[a-z].test/", None),
            ("http://a%2etest/", None),
            ("http://a.test\\@b.test/", None),
            ("http://a@b@c.test/", None),
            ("http://2130706433/", None),
            ("http://0x7f.1/", None),
            ("http://127.0.0.1:8/", Some("127.0.0.1")),
            ("http://A.test./", Some("a.test")),
            ("http://\u{ff41}.test/", None),
            ("u@h.test::module", Some("h.test")),
        ] {
            assert_eq!(host(text).as_deref(), expected, "{text}");
        }
        assert_eq!(remote("a/b:c"), None);
        assert_eq!(remote("h:c"), Some("h:c"));
    }
}
