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
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None if host.matches(':').count() > 1 => host,
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_plain = !host.is_empty() && !host.contains(['{', '}', '[', ']', '*', '$', ' ', '\\', '%']);
    is_plain.then(|| host.to_ascii_lowercase())
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
        ] {
            assert_eq!(host(text).as_deref(), expected, "{text}");
        }
        assert_eq!(remote("a/b:c"), None);
        assert_eq!(remote("h:c"), Some("h:c"));
    }
}
