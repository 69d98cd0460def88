//! How a notebook's JSON is laid out, so that what is put into it looks like the rest.

use super::json::{self, Member};
use std::ops::Range;

/// Lines and blanks between the parts of a JSON text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Layout {
    /// The line end; `None` when all is on one line.
    line: Option<&'static str>,
    /// One step of indentation.
    unit: String,
    /// What stands between a name and its value.
    pub colon: String,
    /// What stands after a comma where there is no new line.
    gap: String,
}

impl Layout {
    /// The layout of the object that has these members.
    pub(super) fn of(text: &str, object: &Range<usize>, members: &[Member]) -> Self {
        let between = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let lead = members.first().map_or("", |first| between(object.start + 1, first.key.start));
        let colon = members.first().map_or(": ", |first| between(first.key.end, first.value.start));
        let gap = match members {
            [first, second, ..] => {
                between(first.value.end, second.key.start).trim_start().trim_start_matches(',')
            }
            _ => " ",
        };
        let line = match lead.rsplit_once('\n') {
            Some((before, _)) if before.ends_with('\r') => Some("\r\n"),
            Some(_) => Some("\n"),
            None => None,
        };
        let unit = lead.rsplit_once('\n').map_or("", |(_, unit)| unit);
        Self {
            line,
            unit: unit.to_owned(),
            colon: colon.to_owned(),
            gap: if line.is_some() { " ".to_owned() } else { gap.to_owned() },
        }
    }

    /// What comes before a part that is `depth` steps in: a new line, or nothing.
    pub(super) fn lead(&self, depth: usize) -> String {
        self.line.map_or_else(String::new, |line| format!("{line}{}", self.unit.repeat(depth)))
    }

    /// What stands between a comma and the next part.
    pub(super) fn after_comma(&self, depth: usize) -> String {
        if self.line.is_some() { self.lead(depth) } else { self.gap.clone() }
    }

    /// An array whose brackets are `depth` steps in.
    pub(super) fn array(&self, depth: usize, items: &[String]) -> String {
        self.put(depth, '[', items, ']')
    }

    /// An object whose brackets are `depth` steps in.
    pub(super) fn object(&self, depth: usize, members: &[(&str, String)]) -> String {
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("{}{}{value}", quoted(name), self.colon)).collect();
        self.put(depth, '{', &members, '}')
    }

    fn put(&self, depth: usize, open: char, parts: &[String], close: char) -> String {
        if parts.is_empty() {
            return format!("{open}{close}");
        }
        let comma = format!(",{}", self.after_comma(depth + 1));
        format!("{open}{}{}{}{close}", self.lead(depth + 1), parts.join(&comma), self.lead(depth))
    }
}

/// A text as JSON; letters stay letters.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `source` as a value in the place and form of `old`: a text, or a list of its lines laid out like the old one.
pub(super) fn source_like(text: &str, old: &Range<usize>, layout: &Layout, source: &str) -> String {
    let Some(items) = json::items(text, old) else { return quoted(source) };
    let lines = lines(source);
    if lines.is_empty() {
        return "[]".to_owned();
    }
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        return layout.array(3, &lines);
    };
    let between = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let lead = between(old.start + 1, first.start);
    let trail = between(last.end, old.end - 1);
    let comma = match items.get(1) {
        Some(second) => between(first.end, second.start).to_owned(),
        None if lead.contains('\n') => format!(",{lead}"),
        None => format!(",{}", layout.gap),
    };
    format!("[{lead}{}{trail}]", lines.join(&comma))
}

/// The lines of a source as JSON texts, with their ends, as notebooks have them.
pub(super) fn lines(source: &str) -> Vec<String> {
    source.split_inclusive('\n').map(quoted).collect()
}
