//! Outputs of cells: text as it is, long ones cut, pictures as pictures, the rest in a few words.

use crate::read::output::{CellOutput, Picture};
use serde_json::{Map, Value};
#[cfg(feature = "images")]
use std::time::Duration;
use std::time::Instant;

/// Characters of an output that are shown.
const MAX_CHARS: usize = 10_000;
/// Pictures that are shown of a notebook.
#[cfg(feature = "images")]
const MAX_PICTURES: usize = 20;
/// Base64 characters of them altogether.
#[cfg(feature = "images")]
const MAX_PICTURE_CHARS: usize = 10 * 1024 * 1024;

/// Time for the pictures of a call. Those that are not begun by then are left out.
#[cfg(feature = "images")]
const PICTURE_TIME: Duration = Duration::from_secs(10);

/// What was shown of the outputs so far.
#[derive(Debug)]
pub(super) struct Outputs {
    /// What time it is.
    #[cfg(feature = "images")]
    clock: fn() -> Instant,
    #[cfg(feature = "images")]
    since: Instant,
    #[cfg(feature = "images")]
    pictures: usize,
    #[cfg(feature = "images")]
    picture_chars: usize,
    cut: usize,
    pictures_left_out: usize,
}

impl Outputs {
    /// Of a notebook of which none was shown.
    pub(super) fn new(
        #[cfg_attr(not(feature = "images"), expect(unused_variables, reason = "only pictures take time"))]
        clock: fn() -> Instant,
    ) -> Self {
        Self {
            #[cfg(feature = "images")]
            clock,
            #[cfg(feature = "images")]
            since: clock(),
            #[cfg(feature = "images")]
            pictures: 0,
            #[cfg(feature = "images")]
            picture_chars: 0,
            cut: 0,
            pictures_left_out: 0,
        }
    }

    /// Reads one.
    pub(super) fn read(&mut self, output: &Value) -> CellOutput {
        let kind = output.get("output_type").and_then(Value::as_str).unwrap_or("unknown");
        let mut read = CellOutput { output_type: kind.to_owned(), text: None, image: None };
        let text = match kind {
            "error" | "pyerr" => Some(error(output)),
            "stream" => output.get("text").and_then(joined),
            _ => {
                // Format 3 has the kinds of data beside `output_type`.
                let data = output.get("data").and_then(Value::as_object).or_else(|| output.as_object());
                data.and_then(|data| self.data(data, &mut read.image))
            }
        };
        read.text = text.map(|text| self.shortened(&without_escapes(&text))).filter(|text| !text.is_empty());
        read
    }

    /// What to say when something is missing.
    pub(super) fn notice(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.cut > 0 {
            parts.push(format!("{} long output(s) cut", self.cut));
        }
        if self.pictures_left_out > 0 {
            parts.push(format!("{} picture(s) left out", self.pictures_left_out));
        }
        (!parts.is_empty())
            .then(|| format!("[{}: to see more, read its text with offset and limit]", parts.join(", ")))
    }

    /// Whether something is missing.
    pub(super) fn left_out(&self) -> bool {
        self.cut + self.pictures_left_out > 0
    }

    fn data(&mut self, data: &Map<String, Value>, image: &mut Option<Picture>) -> Option<String> {
        let plain = data.get("text/plain").or_else(|| data.get("text")).and_then(joined);
        let markdown = data.get("text/markdown").or_else(|| data.get("text/latex")).and_then(joined);
        let mut lines: Vec<String> = plain.or(markdown).into_iter().collect();
        let in_words = lines.is_empty();
        for (kind, value) in data {
            match kind.as_str() {
                "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "png" | "jpeg"
                    if image.is_none() =>
                {
                    match self.picture(value) {
                        Ok(picture) => *image = Some(picture),
                        Err(problem) => lines.push(format!("[{kind}: {problem}]")),
                    }
                }
                "application/json" if in_words => lines.push(value.to_string()),
                kind if in_words && (kind.contains('/') || matches!(kind, "html" | "svg" | "latex")) => {
                    let chars = joined(value).unwrap_or_else(|| value.to_string()).chars().count();
                    lines.push(format!("[{kind}, {chars} characters, not shown]"));
                }
                _ => {}
            }
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    #[cfg(feature = "images")]
    fn picture(&mut self, value: &Value) -> Result<Picture, String> {
        use crate::file::kind::Image;
        use base64::Engine as _;
        let text = joined(value).unwrap_or_default();
        let is_late = (self.clock)().saturating_duration_since(self.since) >= PICTURE_TIME;
        if is_late
            || self.pictures >= MAX_PICTURES
            || self.picture_chars.saturating_add(text.len()) > MAX_PICTURE_CHARS
        {
            self.pictures_left_out += 1;
            return Err(format!("{} characters, left out", text.len()));
        }
        let bare: String = text.chars().filter(|character| !character.is_ascii_whitespace()).collect();
        let engine = &base64::engine::general_purpose::STANDARD;
        let bytes = engine.decode(bare).map_err(|_| "not valid base64".to_owned())?;
        let format = Image::by_magic(&bytes).ok_or("not the image that it says")?;
        let picture =
            crate::read::image::fit(format, bytes).map_err(|_| "a damaged image".to_owned())?.picture;
        self.pictures += 1;
        self.picture_chars += picture.base64.len();
        Ok(picture)
    }

    #[cfg(not(feature = "images"))]
    fn picture(&mut self, value: &Value) -> Result<Picture, String> {
        self.pictures_left_out += 1;
        Err(format!("{} characters, not shown", joined(value).unwrap_or_default().len()))
    }

    fn shortened(&mut self, text: &str) -> String {
        let total = text.chars().count();
        if total <= MAX_CHARS {
            return text.to_owned();
        }
        self.cut += 1;
        let kept: String = text.chars().take(MAX_CHARS).collect();
        format!("{kept}\n[{} of {total} characters of this output are left out]", total - MAX_CHARS)
    }
}

/// A text that may be given as its lines.
pub(super) fn joined(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn error(output: &Value) -> String {
    let part = |name: &str| output.get(name).and_then(Value::as_str).unwrap_or_default();
    let traceback = output.get("traceback").and_then(Value::as_array);
    let lines = traceback.into_iter().flatten().filter_map(Value::as_str);
    std::iter::once(format!("{}: {}", part("ename"), part("evalue")).as_str())
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The text without the escape sequences of terminals.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            // Parameters, then one letter.
            Some('[') => while characters.next().is_some_and(|next| !('@'..='~').contains(&next)) {},
            // A title or a link, up to BEL or ESC.
            Some(']') => {
                while characters.peek().is_some_and(|next| !matches!(next, '\u{7}' | '\u{1b}')) {
                    characters.next();
                }
                if characters.next() == Some('\u{1b}') {
                    characters.next();
                }
            }
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "images")]
    use serde_json::json;

    #[cfg(feature = "images")]
    const PNG: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";

    #[test]
    fn escape_sequences_go() {
        for (text, plain) in [
            ("a\u{1b}[1;31mred\u{1b}[0mb", "aredb"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}!", "link!"),
            ("end\u{1b}[", "end"),
            ("end\u{1b}", "end"),
        ] {
            assert_eq!(without_escapes(text), plain);
        }
    }

    #[cfg(feature = "images")]
    #[test]
    fn pictures_are_shown_up_to_a_number() {
        let output = json!({"output_type": "display_data", "data": {"image/png": [PNG.split_at(9).0, "\n", PNG.split_at(9).1], "text/plain": "<Figure>"}});
        let mut outputs = Outputs::new(Instant::now);
        let read = outputs.read(&output);
        assert_eq!(read.image.unwrap().media_type, "image/png");
        assert_eq!(read.text.unwrap(), "<Figure>");
        for _ in 0..MAX_PICTURES {
            outputs.read(&output);
        }
        assert_eq!(
            outputs.notice().unwrap(),
            "[1 picture(s) left out: to see more, read its text with offset and limit]"
        );
    }

    #[cfg(feature = "images")]
    #[test]
    fn pictures_that_take_too_long_are_left_out() {
        use std::cell::Cell;
        thread_local! {
            static START: Instant = Instant::now();
            static SECONDS: Cell<u64> = const { Cell::new(0) };
        }
        // Each look at the clock is four seconds later.
        let clock = || {
            let seconds = SECONDS.replace(SECONDS.get() + 4);
            START.with(|start| *start + Duration::from_secs(seconds))
        };
        let output = json!({"output_type": "display_data", "data": {"image/png": PNG}});
        let mut outputs = Outputs::new(clock);
        let shown = (0..5).filter(|_| outputs.read(&output).image.is_some()).count();
        assert_eq!((shown, outputs.left_out()), (2, true));
        assert!(outputs.notice().unwrap().starts_with("[3 picture(s) left out:"));
    }

    #[cfg(feature = "images")]
    #[test]
    fn broken_pictures_are_words() {
        let mut outputs = Outputs::new(Instant::now);
        for (data, says) in [
            ("%%%", "not valid base64"),
            ("QUJD", "not the image that it says"),
            ("iVBORw0KGgo=", "a damaged image"),
        ] {
            let read = outputs.read(&json!({"output_type": "display_data", "data": {"image/png": data}}));
            assert_eq!((read.text.unwrap(), read.image), (format!("[image/png: {says}]"), None));
        }
    }
}
