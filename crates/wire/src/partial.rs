//! The value of a JSON text that is still being written, for tools that paint their input as it comes.
//!
//! What decides is the complete text, parsed when the call is ready: this is for the eye only.

mod escape;
mod path;

use escape::{Escape, Unescaped};
use path::Level;
use serde_json::{Number, Value};

/// Deepest nesting, as in `serde_json`.
const MAX_DEPTH: usize = 127;

/// Reads a JSON text piece by piece and has the best value so far at any time.
///
/// Texts, arrays and objects are seen while they grow; a number, a literal and a key only when they are
/// complete, so that nothing that was seen once turns into something else (a key that occurs twice is
/// the exception: the last value counts). Each byte is looked at once.
///
/// ```
/// let mut input = pegboard_wire::PartialJson::new();
/// input.push(r#"{"path":"a.rs","text":"fn ma"#);
/// assert_eq!(input.value().unwrap()["text"], "fn ma");
/// input.push(r#"in() {}"}"#);
/// assert!(input.is_complete());
/// ```
#[derive(Clone, Debug, Default)]
pub struct PartialJson {
    root: Option<Value>,
    levels: Vec<Level>,
    mode: Mode,
    /// The number, literal or key that is being read.
    token: String,
}

#[derive(Clone, Debug, Default)]
enum Mode {
    /// A value is to come.
    #[default]
    Value,
    /// A value, or the end of the array.
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// In a text: of a key or of a value, maybe in an escape.
    Text(Place, Escape),
    Scalar,
    Complete,
    Broken,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Key,
    Value,
}

impl PartialJson {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads on. After the end and after a mistake only what came before counts.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(byte) = rest.bytes().next() {
            rest = match &self.mode {
                Mode::Broken => return,
                Mode::Text(..) => self.text(rest),
                Mode::Scalar => self.scalar(rest),
                _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => rest.get(1..).unwrap_or_default(),
                _ => {
                    self.structure(byte);
                    if matches!(self.mode, Mode::Scalar) { rest } else { rest.get(1..).unwrap_or_default() }
                }
            };
        }
    }

    /// The value so far; `None` while there is nothing to show.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.root.as_ref()
    }

    /// Whether the text is a whole value. (A number that stands alone never is: more digits may come.)
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self.mode, Mode::Complete)
    }

    /// Whether the text cannot become JSON any more.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self.mode, Mode::Broken)
    }

    /// One byte between values.
    fn structure(&mut self, byte: u8) {
        self.mode = match (&self.mode, byte) {
            (Mode::Value | Mode::ValueOrEnd, b'{') => self.open(Level::Object(String::new())),
            (Mode::Value | Mode::ValueOrEnd, b'[') => self.open(Level::Array),
            (Mode::Value | Mode::ValueOrEnd, b'"') => {
                self.place(Value::String(String::new()));
                Mode::Text(Place::Value, Escape::default())
            }
            (Mode::Value | Mode::ValueOrEnd, b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.token.clear();
                Mode::Scalar
            }
            (Mode::Key | Mode::KeyOrEnd, b'"') => {
                self.token.clear();
                Mode::Text(Place::Key, Escape::default())
            }
            (Mode::Colon, b':') => Mode::Value,
            (Mode::CommaOrEnd, b',') => match self.levels.last() {
                Some(Level::Array) => Mode::Value,
                Some(Level::Object(_)) => Mode::Key,
                None => Mode::Broken,
            },
            (Mode::CommaOrEnd | Mode::ValueOrEnd, b']')
                if matches!(self.levels.last(), Some(Level::Array)) =>
            {
                self.close()
            }
            (Mode::CommaOrEnd | Mode::KeyOrEnd, b'}')
                if matches!(self.levels.last(), Some(Level::Object(_))) =>
            {
                self.close()
            }
            _ => Mode::Broken,
        };
    }

    fn open(&mut self, level: Level) -> Mode {
        if self.levels.len() == MAX_DEPTH {
            return Mode::Broken;
        }
        let (value, mode) = match level {
            Level::Array => (Value::Array(Vec::new()), Mode::ValueOrEnd),
            Level::Object(_) => (Value::Object(serde_json::Map::new()), Mode::KeyOrEnd),
        };
        self.place(value);
        self.levels.push(level);
        mode
    }

    fn close(&mut self) -> Mode {
        self.levels.pop();
        self.after()
    }

    fn after(&self) -> Mode {
        if self.levels.is_empty() { Mode::Complete } else { Mode::CommaOrEnd }
    }

    /// Puts a value where the next one belongs.
    fn place(&mut self, value: Value) {
        match &mut self.root {
            Some(root) => path::place(root, &self.levels, value),
            root @ None => *root = Some(value),
        }
    }

    /// Reads on in a text and gives what stands after it.
    fn text<'t>(&mut self, rest: &'t str) -> &'t str {
        let Mode::Text(place, escape) = &mut self.mode else { return "" };
        let place = *place;
        let target = match place {
            Place::Key => Some(&mut self.token),
            Place::Value => self.root.as_mut().and_then(|root| path::text(root, &self.levels)),
        };
        let Some(target) = target else {
            self.mode = Mode::Broken;
            return "";
        };
        match escape.read(rest, target) {
            Unescaped::All => "",
            Unescaped::Broken => {
                self.mode = Mode::Broken;
                ""
            }
            Unescaped::End(after) => {
                self.mode = match place {
                    Place::Value => self.after(),
                    Place::Key => {
                        if let Some(Level::Object(key)) = self.levels.last_mut() {
                            *key = std::mem::take(&mut self.token);
                        }
                        Mode::Colon
                    }
                };
                after
            }
        }
    }

    /// Reads on in a number or literal and gives what stands after it.
    fn scalar<'t>(&mut self, rest: &'t str) -> &'t str {
        let first = self.token.bytes().next().or_else(|| rest.bytes().next());
        let literal = match first {
            Some(b't') => Some(("true", Value::Bool(true))),
            Some(b'f') => Some(("false", Value::Bool(false))),
            Some(b'n') => Some(("null", Value::Null)),
            _ => None,
        };
        let ends = |byte: u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
        let most =
            literal.as_ref().map_or(usize::MAX, |(text, _)| text.len().saturating_sub(self.token.len()));
        let at = rest.bytes().take(most).position(ends).unwrap_or(rest.len().min(most));
        let (token, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        self.token.push_str(token);
        let value = match literal {
            Some((text, value)) if self.token == text => Some(value),
            Some((text, _)) if text.starts_with(&self.token) && after.is_empty() => return after,
            None if after.is_empty() => return after,
            Some(_) => None,
            None => serde_json::from_str::<Number>(&self.token).ok().map(Value::Number),
        };
        self.mode = match value {
            Some(value) => {
                self.place(value);
                self.after()
            }
            None => Mode::Broken,
        };
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn after(text: &str) -> Option<Value> {
        let mut partial = PartialJson::new();
        partial.push(text);
        partial.value().cloned()
    }

    #[test]
    fn what_is_certain_is_seen() {
        let cases = [
            ("", None),
            ("  ", None),
            ("{", Some(json!({}))),
            (r#"{"a"#, Some(json!({}))),
            (r#"{"a":"#, Some(json!({}))),
            (r#"{"a":""#, Some(json!({"a": ""}))),
            (r#"{"a":"x\"#, Some(json!({"a": "x"}))),
            (r#"{"a":"x\u00e"#, Some(json!({"a": "x"}))),
            (r#"{"a":"x\u00e9"#, Some(json!({"a": "x\u{e9}"}))),
            (r#"{"a":"\ud83d\ude0"#, Some(json!({"a": ""}))),
            (r#"{"a":"\ud83d\ude00"#, Some(json!({"a": "\u{1f600}"}))),
            (r#"{"a":12"#, Some(json!({}))),
            (r#"{"a":12,"#, Some(json!({"a": 12}))),
            (r#"{"a":tru"#, Some(json!({}))),
            (r#"{"a":true"#, Some(json!({"a": true}))),
            (r#"{"a":[1,{"b":[]},"c"#, Some(json!({"a": [1, {"b": []}, "c"]}))),
            (r#"{"a":1,"a":[2"#, Some(json!({"a": []}))),
            (r#"{"a":1} "#, Some(json!({"a": 1}))),
            (r#"{"a":1}}"#, Some(json!({"a": 1}))),
            (r#"{"a" 1"#, Some(json!({}))),
            (r#"{"a":nul!"#, Some(json!({}))),
        ];
        for (text, value) in cases {
            assert_eq!(after(text), value, "{text}");
        }
    }

    #[test]
    fn mistakes_are_noticed_and_nothing_follows() {
        for text in
            ["}", "{,", "[1 2", "[1,]", r#"{"a":1,}"#, "\"\n", r#""\x"#, r#""\ud83dx"#, "01 ", "{]", "[}"]
        {
            let mut partial = PartialJson::new();
            partial.push(text);
            assert!(partial.is_broken(), "{text}");
            let before = partial.value().cloned();
            partial.push("\"more\"");
            assert_eq!(partial.value().cloned(), before, "{text}");
        }
        let mut deep = PartialJson::new();
        deep.push(&"[".repeat(100_000));
        assert!(deep.is_broken());
    }
}
