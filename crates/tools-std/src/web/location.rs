//! The address of a page in the one form in which rules see it and it is fetched. What clients read in
//! different ways is refused, so that the host that was judged is the host that is asked.

use super::address_guard::Target;
use super::allowed_host::{AllowedHost, normal_host};
use reqwest::Url;

/// Longest address, in bytes. It keeps a page from talking the model into sending much in one.
const LONGEST: usize = 4096;

/// Where a page is. The scheme is `http` or `https`, there is no user part and no fragment, the host is in
/// ASCII form, lower case, without a dot at its end; numbers are addresses in their usual form.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Location {
    url: Url,
    host: String,
}

/// A text is no address of a page.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum NoLocation {
    /// Too long.
    #[error("the address is longer than {LONGEST} bytes")]
    TooLong,
    /// Of another kind, or of none.
    #[error("only addresses that begin with http:// or https:// are fetched")]
    Scheme,
    /// It holds what could be read in two ways.
    #[error("the address holds {0}; write it without")]
    Odd(&'static str),
    /// It names a user.
    #[error("the address holds a user name or password (before `@`); pages are fetched without")]
    User,
    /// It cannot be read.
    #[error("the address cannot be read: {0}")]
    Unreadable(String),
}

impl Location {
    /// Reads an address as the model wrote it. `http` becomes `https` unless the host is one of `allowed`.
    pub(crate) fn parse(text: &str, allowed: &[AllowedHost]) -> Result<Self, NoLocation> {
        let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
        if text.len() > LONGEST {
            return Err(NoLocation::TooLong);
        }
        let (scheme, rest) = text.split_once("://").ok_or(NoLocation::Scheme)?;
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err(NoLocation::Scheme);
        }
        if text.chars().any(char::is_control) {
            return Err(NoLocation::Odd("a control character or a line end"));
        }
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let path = tail.split(['?', '#']).next().unwrap_or_default();
        if path.contains('\\') {
            return Err(NoLocation::Odd("a backslash"));
        }
        if authority.contains('@') {
            return Err(NoLocation::User);
        }
        if authority.is_empty() {
            return Err(NoLocation::Unreadable("it has no host".to_owned()));
        }
        if authority.contains('%') {
            return Err(NoLocation::Odd("a percent sign in the host"));
        }
        if authority.chars().any(char::is_whitespace) {
            return Err(NoLocation::Odd("a blank in the host"));
        }
        let mut location = Self::of(Url::parse(text).map_err(unreadable)?)?;
        if location.url.scheme() == "http" && !allowed.iter().any(|host| host.matches(location.target())) {
            let set = location.url.set_scheme("https");
            set.map_err(|()| NoLocation::Unreadable("it cannot be made https".to_owned()))?;
        }
        Ok(location)
    }

    /// Where a redirection from here leads.
    pub(crate) fn redirected(&self, to: &str) -> Result<Self, NoLocation> {
        if to.len() > LONGEST {
            return Err(NoLocation::TooLong);
        }
        Self::of(self.url.join(to).map_err(unreadable)?)
    }

    fn of(mut url: Url) -> Result<Self, NoLocation> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NoLocation::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NoLocation::User);
        }
        let host = normal_host(&url).ok_or_else(|| NoLocation::Unreadable("it has no host".to_owned()))?;
        if url.host_str() != Some(&host) {
            url.set_host(Some(&host)).map_err(unreadable)?;
        }
        if url.port() == Some(0) {
            return Err(NoLocation::Unreadable("there is no port 0".to_owned()));
        }
        url.set_fragment(None);
        if url.as_str().len() > 2 * LONGEST {
            return Err(NoLocation::TooLong);
        }
        Ok(Self { url, host })
    }

    /// The address.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The address as text.
    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The host that is judged and asked.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Where a connection leads.
    pub(crate) fn target(&self) -> Target<'_> {
        let port = self.url.port_or_known_default().unwrap_or(443);
        Target { scheme: self.url.scheme(), host: &self.host, port }
    }

    /// Whether what is sent to it is protected.
    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }
}

fn unreadable(error: impl std::fmt::Display) -> NoLocation {
    NoLocation::Unreadable(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_have_one_form() {
        let allowed =
            [AllowedHost::parse("localhost:8080").unwrap(), AllowedHost::parse("https://in.test").unwrap()];
        for (text, expected) in [
            ("https://a.test", "https://a.test/"),
            ("http://a.test/x?y#z", "https://a.test/x?y"),
            ("  HTTP://A.TEST.:80/x y\n", "https://a.test/x%20y"),
            ("http://a.test:443/", "https://a.test/"),
            ("http://a.test:8080/", "https://a.test:8080/"),
            ("http://localhost:8080/", "http://localhost:8080/"),
            ("http://localhost:8081/", "https://localhost:8081/"),
            ("http://in.test/", "https://in.test/"),
            ("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/"),
            ("https://ex\u{430}mple.com/", "https://xn--exmple-4nf.com/"),
            ("http://2130706433/", "https://127.0.0.1/"),
            ("http://0x7f.1/", "https://127.0.0.1/"),
            ("http://0177.0.0.1/", "https://127.0.0.1/"),
            ("http://127.1:81/", "https://127.0.0.1:81/"),
            ("http://127\u{3002}0\u{ff61}0\u{ff0e}1/", "https://127.0.0.1/"),
            ("http://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/"),
            ("https://a.test/?u=https://b.test/@\\", "https://a.test/?u=https://b.test/@\\"),
            ("https://a.test/../../x", "https://a.test/x"),
        ] {
            assert_eq!(
                Location::parse(text, &allowed).map(|found| found.as_str().to_owned()),
                Ok(expected.to_owned()),
                "{text}"
            );
        }
        for text in [
            "",
            "a.test",
            "https:a.test",
            "https:/a.test",
            "https:///a.test",
            "https://",
            "file:///etc/passwd",
            "ftp://a.test/",
            "javascript:alert(1)",
            "data:text/html,x",
            "https://good.test@evil.test/",
            "https://user:pw@a.test/",
            "https://good.test\u{ff0f}@evil.test/",
            "https://evil.test\\@good.test/",
            "https://a.test\\b",
            "https://a.test/x\\y",
            "https://a.\ntest/",
            "https://a.te\tst/",
            "https://a.test/\0",
            "https://a%2etest/",
            "https://a test/",
            "https://a.test:0/",
            "https://a.test:99999/",
            "https://a.test:x/",
            "https://999.1.1.1/",
            "https://[::1/",
            "https://.",
            "https://a..",
            "https://a<b.test/",
        ] {
            assert!(
                Location::parse(text, &allowed).is_err(),
                "{text}: {:?}",
                Location::parse(text, &allowed)
            );
        }
        assert_eq!(
            Location::parse(&format!("https://a.test/{}", "x".repeat(5000)), &[]),
            Err(NoLocation::TooLong)
        );
    }

    #[test]
    fn redirections_are_read_like_addresses() {
        let from = Location::parse("https://a.test/x/y", &[]).unwrap();
        for (to, expected) in [
            ("z", Some("https://a.test/x/z")),
            ("/z", Some("https://a.test/z")),
            ("//b.test/z#f", Some("https://b.test/z")),
            ("http://a.test/", Some("http://a.test/")),
            ("https://u@a.test/", None),
            ("file:///etc/passwd", None),
            ("javascript:x", None),
        ] {
            assert_eq!(
                from.redirected(to).ok().map(|found| found.as_str().to_owned()).as_deref(),
                expected,
                "{to}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_form_of_a_form_is_itself(text in "https?://[a-z0-9.:@%/\\\\?#\\[\\]-]{0,40}") {
            if let Ok(location) = Location::parse(&text, &[]) {
                prop_assert_eq!(Location::parse(location.as_str(), &[]), Ok(location));
            }
        }
    }
}
