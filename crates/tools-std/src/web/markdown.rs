//! HTML to Markdown for models: one pass over the tags, without a tree. Time and memory are in proportion
//! to the page whatever its tags are, and nothing in here is recursive: pages that are made to hurt (a million
//! nested elements, nothing ever closed) end like all others.

mod elements;
mod output;
mod skip;
mod table;

use elements::Elements;
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
}

/// Turns a page into Markdown. Links become absolute against the address `base`; scripts, styles, navigation and what is
/// hidden are left out. `stop` is asked again and again whether to go on; the text ends after `max_bytes`.
pub fn html_to_markdown(html: &str, base: &str, max_bytes: usize, stop: &dyn Fn() -> bool) -> Markdown {
    let base = Url::parse(base).ok();
    let first = convert(html, base.as_ref(), max_bytes, stop, Leave::Noise);
    // A page that never closes its navigation would be left out as a whole.
    if first.text.is_empty() && !first.is_cut {
        convert(html, base.as_ref(), max_bytes, stop, Leave::Code)
    } else {
        first
    }
}

fn convert(
    html: &str,
    base: Option<&Url>,
    max_bytes: usize,
    stop: &dyn Fn() -> bool,
    leave: Leave,
) -> Markdown {
    let sink = Sink(RefCell::new(Elements::new(base.cloned(), leave)));
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
    let (title, mut text) = tokenizer.sink.0.into_inner().finish();
    if text.len() > max_bytes {
        text.truncate(text.floor_char_boundary(max_bytes));
        is_cut = true;
    }
    Markdown { title, text, is_cut }
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
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => TokenSinkResult::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(html: &str) -> Markdown {
        html_to_markdown(html, "https://docs.test/a/b.html", 10_000_000, &|| false)
    }

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(whole(html).text, expected, "{html}");
    }

    #[test]
    fn blocks() {
        for (html, expected) in [
            ("<h1>A</h1><p>b\n  c</p><h2> D </h2>e", "# A\n\nb c\n\n## D\n\ne"),
            ("<h2><div>T</div></h2><p>x", "## T\n\nx"),
            ("<h2>A<br>B</h2>", "## A B"),
            ("<h2></h2><p>x", "x"),
            ("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
            ("<p>a<p>b<div>c<div>d", "a\n\nb\nc\nd"),
            ("<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
            ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n: b\n\nc\n: d"),
            ("a &amp; b&nbsp;c &lt;d&gt; &#x41;", "a & b\u{a0}c <d> A"),
            ("", ""),
            ("<p>one</p>\0<p>two", "one\n\ntwo"),
        ] {
            check(html, expected);
        }
    }

    #[test]
    fn lists() {
        for (html, expected) in [
            ("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc"),
            ("<p>x<ol start=3><li>a</li><li>b</li></ol>", "x\n\n3. a\n4. b"),
            ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"),
            ("<ol><li><p>a</p><p>b</p></li><li>c</ol>", "1. a\n\n   b\n\n2. c"),
            ("<ul><li></li><li>a</ul>", "- a"),
            ("<li>a<li>b", "- a\n- b"),
            ("<ul><li>a<pre>x\ny</pre></ul>", "- a\n\n  ```\n  x\n  y\n  ```"),
            ("<ul><li><ul><li>a</ul></ul>", "- - a"),
        ] {
            check(html, expected);
        }
    }

    #[test]
    fn words() {
        for (html, expected) in [
            ("a <b> b </b>c", "a **b** c"),
            ("<b>a<i>b</b>c</i>d", "**a*b****c*d"),
            ("<b><p>a<p>b</b>c", "**a**\n\n**b**c"),
            ("<b></b>x<i> </i>y", "x y"),
            ("<strong><b>x</b></strong>", "**x**"),
            ("<code>a</code> <code>x`y</code><code> </code>z", "`a` ``x`y`` z"),
            ("see <code>Vec&lt;<a href='/t'>T</a>&gt;</code>!", "see `Vec<`[`T`](https://docs.test/t)`>`!"),
            ("<a href=c.html>x</a>", "[x](https://docs.test/a/c.html)"),
            ("<a href='//o.test/a b(c)'>x y</a>", "[x y](https://o.test/a%20b%28c%29)"),
            (
                "<a href='#top'>x</a> <a href='javascript:alert(1)'>y</a> <a href='data:text/html,x'>z</a>",
                "x y z",
            ),
            ("<a href=/1>a<a href=/2>b</a>", "[a](https://docs.test/1)[b](https://docs.test/2)"),
            ("<a href=/1><h3>T</h3><p>d</a>", "### [T](https://docs.test/1)\n\nd"),
            ("<a href=/1></a>x", "x"),
            ("<base href='https://b.test/x/'><a href=y>z</a>", "[z](https://b.test/x/y)"),
            (
                "<img src=/i.png alt='a b'><img src=/j.png><img src=data:x alt=c>",
                "![a b](https://docs.test/i.png)c",
            ),
            ("<s>a</s><sup>2</sup>", "~~a~~2"),
        ] {
            check(html, expected);
        }
    }

    #[test]
    fn code_keeps_its_blanks() {
        check(
            "<pre><code class='x language-rust'>fn  a() {\n    b\n}\n</code></pre>",
            "```rust\nfn  a() {\n    b\n}\n```",
        );
        check("<pre>a```b</pre>c", "````\na```b\n````\n\nc");
        check("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```");
        check("<pre>never closed<h2>Next</h2>", "```\nnever closed\n```\n\n## Next");
    }

    #[test]
    fn tables() {
        check(
            "<table><caption>C</caption><thead><tr><th>A<th>B</thead><tr><td>1|2<td>x<br>y</table>z",
            "C\n\n| A | B |\n| --- | --- |\n| 1\\|2 | x y |\n\nz",
        );
        // One that only arranges the page.
        check("<table><tr><td><p>a<p>b<td>c</table>", "a\n\nb\n\nc");
        check(
            "<table><tr><td><table><tr><td>a<td>b</table><td>c</table>d",
            "| a | b |\n| --- | --- |\n\nc\n\nd",
        );
        check("<table><tr><td>only<tr><td>one", "only\n\none");
        check("<td>no table</td><td>here</td>", "no table here");
    }

    #[test]
    fn noise_is_left_out() {
        for (html, expected) in [
            ("<script>if (a</nav) {}</script>a<style>p{}</style>b", "ab"),
            ("<nav><ul><li>Home</ul></nav><main>x</main>", "x"),
            ("<nav>Home<main>x", "x"),
            ("<nav>only this", "only this"),
            (
                "<div hidden>h<div>i</div></div><span aria-hidden=true>j</span><div style='DISPLAY : none'>k</div>x",
                "x",
            ),
            ("<p hidden>a<p>b", "a\n\nb"),
            ("<svg><title>t</title><text>u</text></svg>x<svg/>y", "xy"),
            ("<head><title> T \n U </title><meta x><p>body", "body"),
            ("<select><option>a</select><button>b</button><textarea></nav></textarea>c", "c"),
            ("<!-- c --><!doctype html><![CDATA[x]]>a", "a"),
            ("<noscript>needs scripts</noscript>", "needs scripts"),
        ] {
            check(html, expected);
        }
        assert_eq!(whole("<title> T &amp;\n U </title>x").title.as_deref(), Some("T & U"));
        assert_eq!(whole("x<svg><title>no</title></svg>").title, None);
    }

    #[test]
    fn hostile_pages_end() {
        let many = |piece: &str| piece.repeat(150_000 / piece.len());
        for piece in [
            "<div>",
            "<b>",
            "<blockquote>a",
            "<ul><li>",
            "<table><tr><td>",
            "</p>",
            "<p>",
            "<a href=x>",
            "<",
            "&",
            "<font size=1><p>",
            "\0",
            "<!--",
            "<svg>",
            "<pre>",
            "<code>",
            "<table><caption>x",
            "<b>a</b>",
            "<h1>",
            "<ol start=999999><li>a",
            "<nav>",
            "x<br>",
            "<td>",
            "<dialog>",
            "<title>",
            "]]>",
            "<i><b><s><a href=/>",
        ] {
            let page = whole(&many(piece));
            assert!(page.text.len() <= 10_000_000, "{piece}");
        }
        let nested = format!(
            "{}{}",
            "<blockquote><table><tr><td><ol start=999999><li>".repeat(40),
            "a<br>".repeat(20_000)
        );
        assert!(whole(&nested).text.len() <= 10_000_000);
        let attributes: String =
            std::iter::once("<a ".to_owned()).chain((0..5000).map(|n| format!("a{n} "))).collect();
        assert_eq!(whole(&attributes).text, "");
    }

    #[test]
    fn it_stops_when_told_or_full() {
        let base = "https://a.test/";
        let page = "word ".repeat(10_000);
        let stopped = html_to_markdown(&page, base, 1_000_000, &|| true);
        assert!(stopped.is_cut && stopped.text.len() < 5000);
        let full = html_to_markdown(&page, base, 6000, &|| false);
        assert!(full.is_cut && full.text.len() <= 6000);
        let fits = html_to_markdown("word", base, 6000, &|| true);
        assert!(!fits.is_cut);
    }

    proptest! {
        #[test]
        fn any_soup_of_tags_is_read(pieces in proptest::collection::vec(prop_oneof![
            "[a-z<>&;/!\"'= \n`|#*-]{0,12}",
            proptest::sample::select(vec!["<table>", "<tr>", "<td>", "</table>", "<ul>", "<li>", "</ul>", "<pre>", "</pre>",
                "<code>", "</code>", "<a href='x'>", "</a>", "<b>", "</b>", "<h1>", "</h1>", "<blockquote>", "</blockquote>",
                "<nav>", "</nav>", "<p>", "<br>", "<i>", "</i>", "<script>", "</script>", "<ol>", "</li>", "</td>", "</tr>"])
                .prop_map(str::to_owned),
        ], 0..60)) {
            let page = whole(&pieces.concat());
            prop_assert!(!page.is_cut);
            prop_assert!(!page.text.contains("\n\n\n\n") || page.text.contains("```"));
        }

        #[test]
        fn words_are_not_lost(words in proptest::collection::vec("[a-z]{1,8}", 1..20)) {
            let html: String = words.iter().map(|word| format!("<p><b>{word}</b><ul><li>{word}</ul>")).collect();
            let text = whole(&html).text;
            for word in &words {
                prop_assert!(text.contains(word.as_str()));
            }
        }
    }
}
