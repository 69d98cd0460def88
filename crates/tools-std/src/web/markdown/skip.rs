//! What of a page is left out.

use html5ever::tokenizer::Tag;

/// How much is left out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Leave {
    /// Code, navigation, controls and what is hidden.
    Noise,
    /// Code only.
    Code,
}

/// Elements that hold no text for readers.
const CODE: [&str; 15] = [
    "script", "style", "template", "svg", "iframe", "object", "embed", "canvas", "video", "audio", "noembed",
    "noframes", "datalist", "map", "head",
];

/// Elements that are there to operate the page.
const CONTROLS: [&str; 5] = ["nav", "button", "select", "textarea", "dialog"];

/// Elements whose end may be left out; they are never skipped by their attributes, as their end is not certain.
const OPEN_ENDED: [&str; 18] = [
    "p", "li", "dt", "dd", "td", "th", "tr", "thead", "tbody", "tfoot", "option", "optgroup", "html", "body",
    "rt", "rp", "caption", "colgroup",
];

/// Elements without content.
pub(super) const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

impl Leave {
    /// Whether the element that `tag` begins is left out with all that is in it.
    pub(super) fn leaves_out(self, tag: &Tag) -> bool {
        let name = &*tag.name;
        if VOID.contains(&name) {
            return false;
        }
        CODE.contains(&name)
            || self == Self::Noise
                && (CONTROLS.contains(&name) || !OPEN_ENDED.contains(&name) && is_hidden(tag))
    }
}

/// Whether people would not see it, or it is navigation by its role.
fn is_hidden(tag: &Tag) -> bool {
    tag.attrs.iter().any(|attribute| {
        let value = attribute.value.trim();
        match &*attribute.name.local {
            "hidden" => !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" => value.eq_ignore_ascii_case("true"),
            "role" => value.eq_ignore_ascii_case("navigation"),
            "style" => {
                let style: String = value.chars().filter(|c| !c.is_whitespace()).take(2000).collect();
                let style = style.to_ascii_lowercase();
                style.contains("display:none") || style.contains("visibility:hidden")
            }
            _ => false,
        }
    })
}
