//! What a search finds.

use crate::foreign::is_unseen;
use crate::web::allowed_host::normal_host;
use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest title, in characters.
const LONGEST_TITLE: usize = 200;
/// Longest address, in bytes.
const LONGEST_URL: usize = 2000;
/// Most results that are taken from one answer.
const MOST: usize = 200;

/// A result of a search.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchHit {
    /// Title of the page, in one line.
    pub title: String,
    /// Its address.
    pub url: String,
}

impl SearchHit {
    /// From an object with `url` and `title`, which `plain` turns into plain text. `None` when it names no page of
    /// the web.
    pub(super) fn read(value: &Value, plain: fn(&str) -> String) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let url = text("url").or_else(|| text("link")).or_else(|| text("href"))?.trim();
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        if url.as_str().len() > LONGEST_URL || !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        normal_host(&url)?;
        let url = String::from(url);
        let title: String = text("title").unwrap_or_default().chars().take(10 * LONGEST_TITLE).collect();
        let title = one_line(&plain(&title));
        let title = if title.is_empty() { url.clone() } else { title };
        Some(Self { title, url })
    }

    /// All of a list that are results, whose titles `plain` turns into plain text.
    pub(super) fn list(values: &[Value], plain: fn(&str) -> String) -> Vec<Self> {
        values.iter().filter_map(|value| Self::read(value, plain)).take(MOST).collect()
    }

    /// The host, in its usual form.
    pub(crate) fn host(&self) -> Option<String> {
        Url::parse(&self.url).ok().as_ref().and_then(normal_host)
    }
}

/// A text in one line, without what nobody sees.
fn one_line(text: &str) -> String {
    let visible: String =
        text.chars().filter(|c| !is_unseen(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST_TITLE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_pages_of_the_web_are_results() {
        let read = |value: Value| SearchHit::read(&value, str::to_owned).map(|hit| (hit.title, hit.url));
        let of = |title: &str, url: &str| Some((title.to_owned(), url.to_owned()));
        assert_eq!(
            read(json!({"title": " A <b>b</b>\n\u{1b}[31mc ", "url": "https://a.test/x y"})),
            of("A <b>b</b> [31mc", "https://a.test/x%20y")
        );
        assert_eq!(read(json!({"url": "http://a.test"})), of("http://a.test/", "http://a.test/"));
        assert_eq!(
            read(json!({"title": 1, "link": "https://a.test/"})),
            of("https://a.test/", "https://a.test/")
        );
        assert_eq!(read(json!({"title": "x".repeat(999), "url": "https://a.test/"})).unwrap().0.len(), 200);
        for value in [
            json!({"title": "x"}),
            json!({"url": "javascript:alert(1)"}),
            json!({"url": "file:///etc/passwd"}),
            json!({"url": "https://u:p@a.test/"}),
            json!({"url": format!("https://a.test/{}", "x".repeat(3000))}),
            json!({"url": 1}),
            json!("https://a.test/"),
            json!(null),
        ] {
            assert_eq!(SearchHit::read(&value, str::to_owned), None, "{value}");
        }
    }
}
