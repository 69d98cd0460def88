//! What `http` handlers may do: which addresses, and which variables in their headers.

use std::collections::BTreeMap;

/// Bounds of `http` handlers, from settings.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct HttpRules {
    /// `allowedHttpHookUrls`: patterns with `*`. `None` allows every address, an empty list none.
    pub allowed_urls: Option<Vec<String>>,
    /// `httpHookAllowedEnvVars`: the most that a handler's own `allowedEnvVars` may name.
    pub allowed_variables: Option<Vec<String>>,
}

impl HttpRules {
    /// These bounds.
    #[must_use]
    pub fn new(allowed_urls: Option<Vec<String>>, allowed_variables: Option<Vec<String>>) -> Self {
        Self { allowed_urls, allowed_variables }
    }

    /// Whether a handler may send to this address.
    #[must_use]
    pub fn allows(&self, url: &str) -> bool {
        let Some(patterns) = &self.allowed_urls else { return true };
        let url = normal(url);
        patterns.iter().any(|pattern| matches(normal(pattern).as_bytes(), url.as_bytes()))
    }

    /// A header's value: variables that may be used are replaced, all others become nothing.
    #[cfg_attr(not(feature = "http-hooks"), expect(dead_code, reason = "only http handlers have headers"))]
    pub(crate) fn header(&self, text: &str, own: &[String], env: &BTreeMap<String, String>) -> String {
        let may = |name: &str| {
            own.iter().any(|own| own == name)
                && self.allowed_variables.as_ref().is_none_or(|all| all.iter().any(|one| one == name))
        };
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            let after = from.get(1..).unwrap_or_default();
            let (name, next) = match after.strip_prefix('{') {
                Some(braced) => braced.split_once('}').unwrap_or((braced, "")),
                None => {
                    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                    after.split_at(after.find(|letter| !is_part(letter)).unwrap_or(after.len()))
                }
            };
            if name.is_empty() {
                filled.push('$');
            } else if may(name) {
                filled.push_str(env.get(name).map(String::as_str).unwrap_or_default());
            }
            rest = next;
        }
        filled.push_str(rest);
        filled
    }
}

/// The address with scheme and host in lower case and without the dot at the host's end.
fn normal(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.to_lowercase();
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|letter| letter.is_ascii_digit() || letter == '*') => {
            (name, format!(":{port}"))
        }
        _ => (host.as_str(), String::new()),
    };
    format!("{}://{}{port}{path}", scheme.to_lowercase(), name.strip_suffix('.').unwrap_or(name))
}

/// Whether a pattern with `*` fits the whole text. Takes time in the product of the lengths at most.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut in_text) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_text));
                at += 1;
            }
            Some(letter) if text.get(in_text) == Some(letter) => {
                at += 1;
                in_text += 1;
            }
            _ => match star {
                Some((star_at, from)) => {
                    star = Some((star_at, from + 1));
                    at = star_at + 1;
                    in_text = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_held_against_patterns() {
        let rules = |patterns: &[&str]| {
            HttpRules::new(Some(patterns.iter().map(|&pattern| pattern.to_owned()).collect()), None)
        };
        for (patterns, url, allowed) in [
            (&["https://hooks.example.com/*"][..], "https://hooks.example.com/a", true),
            (&["https://hooks.example.com/*"], "https://HOOKS.example.com./a", true),
            (&["https://hooks.example.com/*"], "https://hooks.example.com.evil.net/a", false),
            (&["https://*.example.com/*"], "https://a.b.example.com/", true),
            (&["https://*.example.com/*"], "http://a.example.com/", false),
            (&["http://localhost:*"], "http://localhost:8080/x", true),
            (&["https://a/*", "https://b/*"], "https://b/x", true),
            (&["https://a/X"], "https://a/x", false),
            (&["*"], "http://anything", true),
            (&[], "https://a/x", false),
        ] {
            assert_eq!(rules(patterns).allows(url), allowed, "{patterns:?} {url}");
        }
        assert!(HttpRules::default().allows("http://x"));
    }

    #[test]
    #[cfg(feature = "http-hooks")]
    fn only_named_variables_are_filled_in() {
        let env = BTreeMap::from([("TOK".to_owned(), "t".to_owned()), ("KEY".to_owned(), "k".to_owned())]);
        let own = ["TOK".to_owned()];
        let upper = HttpRules::new(None, Some(vec!["KEY".to_owned()]));
        for (rules, text, own, expected) in [
            (HttpRules::default(), "Bearer $TOK", &own[..], "Bearer t"),
            (HttpRules::default(), "Bearer ${TOK}!", &own[..], "Bearer t!"),
            (HttpRules::default(), "Bearer $TOK", &[], "Bearer "),
            (HttpRules::default(), "$KEY-$TOK $", &own[..], "-t $"),
            (upper, "x$TOK", &own[..], "x"),
        ] {
            assert_eq!(rules.header(text, own, &env), expected, "{text}");
        }
    }
}
