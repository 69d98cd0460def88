//! Titles as HTML, in which some backends mark the words that were searched for.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawData, RawKind};
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;

/// Marks of the words that were searched for.
const MARKS: [&str; 2] = ["<strong>", "</strong>"];

/// The title as plain text: without these marks, and its entities read once. What is an entity within an entity, or
/// another element, stands in the title of the page itself.
pub(super) fn plain(html: &str) -> String {
    let html = MARKS.iter().fold(html.to_owned(), |html, mark| html.replace(mark, ""));
    // As within `<title>`: entities are read, elements are text.
    let opts = TokenizerOpts { initial_state: Some(RawData(RawKind::Rcdata)), ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Text::default(), opts);
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(&html));
    // It would pause for scripts, which the sink never asks for.
    let _read = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct Text(RefCell<String>);

impl TokenSink for Text {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::CharacterTokens(text) = token {
            self.0.borrow_mut().push_str(&text);
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_go_and_entities_are_read_once() {
        for (html, expected) in [
            ("Tom &amp; Jerry&#x27;s", "Tom & Jerry's"),
            ("A <strong>b</strong> c", "A b c"),
            ("The &lt;strong&gt; element", "The <strong> element"),
            ("&amp;lt;b&amp;gt; &amp;amp;", "&lt;b&gt; &amp;"),
            ("The <b> and <em> elements </title> <script>", "The <b> and <em> elements </title> <script>"),
            ("AT&T, R&D &nosuch; & &#xZ; &#", "AT&T, R&D &nosuch; & &#xZ; &#"),
            ("&quot;x&quot; &#8212; &eacute; &#128512;", "\"x\" \u{2014} \u{e9} \u{1f600}"),
            ("", ""),
            ("<stro<strong>ng>", "<strong>"),
        ] {
            assert_eq!(plain(html), expected, "{html}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_title_stays_as_it_is(title in "[a-z <>/é'\"!-]{0,60}") {
            prop_assume!(!MARKS.iter().any(|mark| title.contains(mark)));
            prop_assert_eq!(plain(&title), title);
        }
    }
}
