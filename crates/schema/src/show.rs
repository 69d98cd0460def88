//! Values and texts of any size as short texts.

use serde_json::Value;
use std::borrow::Cow;
use std::io;

/// Characters of a value that are shown.
const SHOWN_CHARS: usize = 80;

/// `text`, cut to `chars` characters with a mark.
pub(crate) fn cut(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// `value` as JSON, cut; a huge value costs no more than a small one.
pub(crate) fn value(value: &Value) -> String {
    let mut writer = Limited { bytes: Vec::new(), limit: 4 * SHOWN_CHARS };
    // The error says that the limit was reached; what fits is in the buffer.
    let complete = serde_json::to_writer(&mut writer, value).is_ok();
    let text = String::from_utf8_lossy(&writer.bytes);
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    match cut(text, SHOWN_CHARS) {
        Cow::Borrowed(short) if complete => short.to_owned(),
        Cow::Borrowed(short) => format!("{short}..."),
        Cow::Owned(short) => short,
    }
}

/// `value` as JSON when it has at most `max_bytes`.
pub(crate) fn whole(value: &Value, max_bytes: usize) -> Option<String> {
    let mut writer = Limited { bytes: Vec::new(), limit: max_bytes };
    serde_json::to_writer(&mut writer, value).ok()?;
    String::from_utf8(writer.bytes).ok()
}

/// A field's name in backticks, with control characters escaped, cut.
pub(crate) fn name(name: &str) -> String {
    format!("`{}`", cut(name, SHOWN_CHARS).escape_debug())
}

/// Names in backticks, at most `most` of them.
pub(crate) fn names<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let all = names.len();
    let mut text = names.take(most).map(name).collect::<Vec<_>>().join(", ");
    if all > most {
        text.push_str(&format!(" and {} more", all - most));
    }
    text
}

struct Limited {
    bytes: Vec<u8>,
    limit: usize,
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.limit.saturating_sub(self.bytes.len());
        if bytes.len() > room {
            self.bytes.extend_from_slice(&bytes[..room]);
            return Err(io::Error::other("longer than shown"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_cut_between_characters() {
        assert_eq!(value(&json!({"a": [1, "x"]})), r#"{"a":[1,"x"]}"#);
        let long = value(&json!("ä".repeat(1_000_000)));
        assert_eq!(long, format!("\"{}...", "ä".repeat(79)));
        let wide = value(&json!("😀".repeat(79)));
        assert!(wide.ends_with("...") && wide.chars().count() <= 84, "{wide}");
    }

    #[test]
    fn names_show_no_control_characters() {
        assert_eq!(name("a\0\n"), r"`a\0\n`");
        assert_eq!(names(["a", "b", "c"].into_iter(), 2), "`a`, `b` and 1 more");
    }
}
