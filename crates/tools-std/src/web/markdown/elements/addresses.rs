//! Tags that lead elsewhere: links, pictures, frames, and pages that go on to another by themselves.

use super::super::attributes::{attribute, refreshed};
use super::super::output::Gap;
use super::super::skip::Leave;
use super::Elements;
use html5ever::tokenizer::Tag;
use reqwest::Url;

/// Longest address of a link.
const LONGEST_LINK: usize = 2000;

impl Elements {
    /// A page that goes elsewhere by itself.
    pub(super) fn refresh(&mut self, tag: &Tag) {
        let is_refresh =
            attribute(tag, "http-equiv").is_some_and(|kind| kind.eq_ignore_ascii_case("refresh"));
        let content = attribute(tag, "content").filter(|_| is_refresh && self.leads.to.is_none());
        let to = content.as_deref().and_then(refreshed).and_then(|to| self.web_address(to));
        if to.is_some() {
            self.leads.to = to;
        }
    }

    /// A page within the page is a link to it.
    pub(super) fn frame(&mut self, tag: &Tag) {
        if Leave::Hidden.leaves_out_by_attributes(tag) || self.open.is_left_out() {
            return;
        }
        let Some(url) = attribute(tag, "src").and_then(|src| self.link(&src)) else { return };
        if self.pre.is_some() || self.code.is_some() || !url.starts_with("http") {
            return;
        }
        let title = attribute(tag, "title").or_else(|| attribute(tag, "name")).unwrap_or_default();
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        self.out.block(Gap::Blank);
        self.out.words("frame:");
        self.out.blank();
        self.out.word(&format!("[{}]({url})", if title.is_empty() { "frame" } else { &title }));
        self.out.block(Gap::Blank);
    }

    pub(super) fn image(&mut self, tag: &Tag) {
        let alt = attribute(tag, "alt").unwrap_or_default();
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        if alt.is_empty() || self.code.is_some() {
            return;
        }
        match attribute(tag, "src").and_then(|src| self.link(&src)) {
            Some(url) => self.out.word(&format!("![{alt}]({url})")),
            None => self.out.words(&alt),
        }
    }

    /// The address that a link means, when it is worth to be shown.
    pub(super) fn link(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') || href.len() > LONGEST_LINK {
            return None;
        }
        let url = self.absolute(href)?;
        let url = matches!(url.scheme(), "http" | "https" | "mailto" | "ftp").then(|| String::from(url))?;
        let url = url.replace('(', "%28").replace(')', "%29").replace(' ', "%20");
        (url.len() <= LONGEST_LINK).then_some(url)
    }

    /// An address of another page, made absolute.
    pub(super) fn web_address(&self, href: &str) -> Option<String> {
        let url = self.absolute(href.trim()).filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some(String::from(url)).filter(|url| url.len() <= LONGEST_LINK)
    }

    pub(super) fn absolute(&self, href: &str) -> Option<Url> {
        match &self.base {
            Some(base) => base.join(href).ok(),
            None => Url::parse(href).ok(),
        }
    }
}
