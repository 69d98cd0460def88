//! Domains that a search is limited to, or leaves out.

use crate::web::allowed_host::normal_host;
use reqwest::Url;
use std::fmt;

/// A domain: the host itself and every host below it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Domain(String);

impl Domain {
    /// Reads `example.com`; a leading `*.` or dot changes nothing.
    ///
    /// # Errors
    /// When it is no domain, in words for the model.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no domain; write it like `example.com`");
        let name = text.trim();
        let name = name.strip_prefix("*.").or_else(|| name.strip_prefix('.')).unwrap_or(name);
        if name.is_empty() || name.contains(['/', ':', '?', '#', '@', '\\', '*', '%', ' ']) {
            return Err(wrong());
        }
        let url = Url::parse(&format!("https://{name}/")).map_err(|_| wrong())?;
        normal_host(&url).map(Self).ok_or_else(wrong)
    }

    /// Whether a host, in its usual form, is of this domain.
    pub(crate) fn covers(&self, host: &str) -> bool {
        host.strip_suffix(self.0.as_str()).is_some_and(|front| front.is_empty() || front.ends_with('.'))
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_cover_what_is_below_them() {
        for (domain, host, expected) in [
            ("example.com", "example.com", true),
            ("Example.COM.", "docs.example.com", true),
            ("*.example.com", "example.com", true),
            (".example.com", "a.b.example.com", true),
            ("example.com", "evilexample.com", false),
            ("example.com", "example.com.evil.test", false),
            ("b\u{fc}cher.example", "xn--bcher-kva.example", true),
        ] {
            assert_eq!(Domain::parse(domain).unwrap().covers(host), expected, "{domain} {host}");
        }
        for text in ["", "https://example.com", "example.com/x", "a b", "u@a", "*", "a:80", "a*b.test"] {
            assert!(Domain::parse(text).is_err(), "{text}");
        }
    }
}
