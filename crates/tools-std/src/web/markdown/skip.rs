//! What of a page is left out.

use html5ever::tokenizer::Tag;

/// How much is left out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Leave {
    /// Code, what is hidden, navigation and controls.
    Noise,
    /// Code and what is hidden only.
    Hidden,
}

/// Elements that hold no text for readers.
const CODE: [&str; 16] = [
    "script", "style", "template", "svg", "iframe", "object", "embed", "canvas", "video", "audio", "noembed",
    "noframes", "datalist", "map", "head", "title",
];

/// Elements that are there to operate the page.
const CONTROLS: [&str; 5] = ["nav", "button", "select", "textarea", "dialog"];

impl Leave {
    /// Whether it is left out by its attributes, whatever it is.
    pub(super) fn leaves_out_by_attributes(self, tag: &Tag) -> bool {
        is_hidden(tag) || self == Self::Noise && is_navigation(tag)
    }

    /// Whether the element that `tag` begins is left out with all that is in it.
    pub(super) fn leaves_out(self, tag: &Tag) -> bool {
        let name = &*tag.name;
        CODE.contains(&name)
            || self.leaves_out_by_attributes(tag)
            || self == Self::Noise && CONTROLS.contains(&name)
    }
}

/// Whether people would not see it.
fn is_hidden(tag: &Tag) -> bool {
    tag.attrs.iter().any(|attribute| {
        let value = attribute.value.trim();
        match &*attribute.name.local {
            "hidden" => !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" => value.eq_ignore_ascii_case("true"),
            "type" => &*tag.name == "input" && value.eq_ignore_ascii_case("hidden"),
            "style" => is_hidden_by_style(value),
            _ => false,
        }
    })
}

fn is_navigation(tag: &Tag) -> bool {
    let is_role = |name: &str, value: &str| name == "role" && value.trim().eq_ignore_ascii_case("navigation");
    tag.attrs.iter().any(|attribute| is_role(&attribute.name.local, &attribute.value))
}

/// Whether a style leaves nothing to be seen, comments and escapes in it read as such.
fn is_hidden_by_style(style: &str) -> bool {
    let style = plain_style(style);
    let mut hides = [false; 2];
    let mut is_important = [false; 2];
    for declaration in style.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let at = match name {
            "display" => 0,
            "visibility" => 1,
            _ => continue,
        };
        let (value, important) = match value.split_once('!') {
            Some((value, word)) => (value, word == "important"),
            None => (value, false),
        };
        // The last one counts, and one that is important more than one that is not.
        if important || !is_important[at] {
            hides[at] = matches!(value, "none" | "hidden" | "collapse");
            is_important[at] = important;
        }
    }
    hides.contains(&true)
}

/// A style in lower case, without blanks, comments and escapes.
fn plain_style(style: &str) -> String {
    let mut plain = String::new();
    let mut rest = style;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if c == '/' && rest.starts_with('*') {
            rest = rest.get(1..).and_then(|inner| inner.split_once("*/")).map_or("", |(_, after)| after);
        } else if c == '\\' {
            let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let (code, after) = rest.split_at(digits);
            let escaped = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
            plain.extend(escaped.map(|c| c.to_ascii_lowercase()));
            rest = if digits > 0 { after.strip_prefix([' ', '\t', '\n']).unwrap_or(after) } else { after };
        } else if !c.is_whitespace() {
            plain.push(c.to_ascii_lowercase());
        }
    }
    plain
}
