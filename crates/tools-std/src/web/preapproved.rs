//! Hosts with documentation: they are fetched without asking, unless a rule says otherwise.

use super::location::Location;
use crate::settings::WebSettings;

/// The list when the settings have none.
const HOSTS: [&str; 32] = [
    "angular.dev",
    "cmake.org",
    "developer.apple.com",
    "developer.mozilla.org",
    "doc.rust-lang.org",
    "docs.djangoproject.com",
    "docs.docker.com",
    "docs.oracle.com",
    "docs.python.org",
    "docs.ruby-lang.org",
    "docs.rs",
    "docs.swift.org",
    "flask.palletsprojects.com",
    "git-scm.com",
    "go.dev",
    "kotlinlang.org",
    "kubernetes.io",
    "learn.microsoft.com",
    "nextjs.org",
    "nodejs.org",
    "numpy.org",
    "pandas.pydata.org",
    "pkg.go.dev",
    "pytorch.org",
    "react.dev",
    "redis.io",
    "svelte.dev",
    "vuejs.org",
    "www.postgresql.org",
    "www.sqlite.org",
    "www.tensorflow.org",
    "www.typescriptlang.org",
];

/// Whether `location` is on the list: by https, at the usual port.
pub(crate) fn is_preapproved(location: &Location, settings: &WebSettings) -> bool {
    let is_usual = location.is_secure() && location.url().port().is_none();
    let host = location.host();
    is_usual
        && match &settings.preapproved {
            None => HOSTS.contains(&host),
            Some(own) => own.iter().any(|own| own.trim().trim_end_matches('.').eq_ignore_ascii_case(host)),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_documentation_need_no_question() {
        let of = |url: &str, own: Option<Vec<String>>| {
            let settings = WebSettings { preapproved: own, ..WebSettings::default() };
            is_preapproved(&Location::parse(url, &[]).unwrap(), &settings)
        };
        assert!(of("https://docs.rs/x", None) && of("http://DOCS.RS./x", None));
        assert!(
            !of("https://docs.rs:8443/x", None)
                && !of("https://x.docs.rs/", None)
                && !of("https://a.test/", None)
        );
        assert!(!of("https://docs.rs/x", Some(vec![])) && of("https://a.test/", Some(vec!["A.test".into()])));
    }
}
