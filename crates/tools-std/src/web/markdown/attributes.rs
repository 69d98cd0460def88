//! What a tag says of itself.

use super::table::leading_number;
use html5ever::tokenizer::Tag;

/// Largest number of an item.
const LARGEST_NUMBER: i32 = 1_000_000;

/// The value of an attribute.
pub(super) fn attribute(tag: &Tag, name: &str) -> Option<String> {
    let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
    Some(found.value.to_string())
}

/// The language of a block of code, by its class.
pub(super) fn language(tag: &Tag) -> String {
    let class = attribute(tag, "class").unwrap_or_default();
    let named = class.split_whitespace().find_map(|class| {
        ["language-", "lang-", "highlight-source-", "brush:"]
            .iter()
            .find_map(|prefix| class.strip_prefix(prefix))
    });
    let is_plain = |name: &&str| {
        name.len() <= 20 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-_#.".contains(&byte))
    };
    named.filter(is_plain).unwrap_or_default().to_owned()
}

/// How many backticks stand in a row at most.
pub(super) fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A number of a list.
pub(super) fn number(tag: &Tag, name: &str) -> Option<i32> {
    let text = attribute(tag, name)?;
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = i32::try_from(leading_number(digits)?).ok().filter(|number| *number < LARGEST_NUMBER)?;
    Some(sign * number)
}

/// The address in `5; url='next.html'`.
pub(super) fn refreshed(content: &str) -> Option<&str> {
    let is_time = |c: char| c.is_ascii_digit() || c == '.' || c.is_whitespace();
    let rest = content.trim_start_matches(is_time).trim_start_matches([';', ',']).trim_start();
    let has_name = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let named = rest.get(3..).filter(|_| has_name).and_then(|rest| rest.trim_start().strip_prefix('='));
    let address = named.unwrap_or(rest).trim();
    let address = match address.chars().next() {
        Some(quote @ ('"' | '\'')) => address.trim_start_matches(quote).split(quote).next()?,
        _ => address,
    };
    Some(address.trim()).filter(|address| !address.is_empty())
}

/// Whether text before and after an element of this name is in other paragraphs.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
    )
}
