//! HTML to Markdown for models: one pass over the tags, without a tree. Time and memory are in proportion
//! to the page whatever its tags are, and nothing in here is recursive: pages that are made to hurt (a million
//! nested elements, nothing ever closed) end like all others.

mod attributes;
mod class;
mod elements;
mod open;
mod output;
mod script;
mod skip;
mod table;

use elements::{Elements, Leads};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use reqwest::Url;
use skip::Leave;
use std::cell::RefCell;

/// How much of the page is read between two looks at the clock.
const PIECE: usize = 4096;

/// A page as Markdown.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Markdown {
    /// What its `title` says, in one line.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// Whether the end of the page was not read: it took too long or became too long.
    pub is_cut: bool,
    /// The address of a page that this one goes to by itself.
    pub leads_to: Option<String>,
    /// Whether it holds scripts.
    pub has_scripts: bool,
}

/// Turns a page into Markdown. Links become absolute against the address `base`; scripts, styles, navigation and what is
/// hidden are left out. `stop` is asked again and again whether to go on; the text ends after `max_bytes`.
pub fn html_to_markdown(html: &str, base: &str, max_bytes: usize, stop: &dyn Fn() -> bool) -> Markdown {
    let base = Url::parse(base).ok();
    let first = convert(html, base.as_ref(), max_bytes, stop, Leave::Noise);
    // A page that never closes its navigation would be left out as a whole.
    if first.text.is_empty() && !first.is_cut {
        convert(html, base.as_ref(), max_bytes, stop, Leave::Hidden)
    } else {
        first
    }
}

/// Reads the page, twice where lists count down: their first number is how many items they have.
fn convert(
    html: &str,
    base: Option<&Url>,
    max_bytes: usize,
    stop: &dyn Fn() -> bool,
    leave: Leave,
) -> Markdown {
    let (markdown, counted) = read(html, base, max_bytes, stop, leave, Vec::new());
    if counted.is_empty() { markdown } else { read(html, base, max_bytes, stop, leave, counted).0 }
}

fn read(
    html: &str,
    base: Option<&Url>,
    max_bytes: usize,
    stop: &dyn Fn() -> bool,
    leave: Leave,
    counts: Vec<i32>,
) -> (Markdown, Vec<i32>) {
    let sink = Sink(RefCell::new(Elements::new(base.cloned(), leave, counts)));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let (mut rest, mut is_cut) = (html, false);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        queue.push_back(StrTendril::from_slice(piece));
        // It would pause for scripts, which the sink never asks for.
        let _read = tokenizer.feed(&queue);
        rest = after;
        if stop() || tokenizer.sink.0.borrow().written() > max_bytes {
            is_cut = !rest.is_empty();
            break;
        }
    }
    if !is_cut {
        tokenizer.end();
    }
    let mut elements = tokenizer.sink.0.into_inner();
    let (counted, leads) = (elements.take_counted(), elements.take_leads());
    let (title, mut text) = elements.finish();
    if text.len() > max_bytes {
        text.truncate(text.floor_char_boundary(max_bytes));
        is_cut = true;
    }
    let Leads { to: leads_to, has_scripts } = leads;
    (Markdown { title, text, is_cut, leads_to, has_scripts }, counted)
}

struct Sink(RefCell<Elements>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut elements = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => elements.tag(&tag),
            Token::CharacterTokens(text) => {
                elements.text(&text);
                TokenSinkResult::Continue
            }
            Token::DoctypeToken(doctype) => {
                elements.doctype(&doctype);
                TokenSinkResult::Continue
            }
            Token::CommentToken(_) | Token::NullCharacterToken | Token::EOFToken | Token::ParseError(_) => {
                TokenSinkResult::Continue
            }
        }
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.borrow().is_foreign()
    }
}

#[cfg(test)]
mod tree;

#[cfg(test)]
mod tests;
