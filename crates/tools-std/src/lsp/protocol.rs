//! The parts of the protocol's answers that we read. Lenient: an entry that is not as it should be is left out and
//! counted, the others count.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A place in a line, in the server's units, from 0.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

/// From where; to where does not matter to us.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
pub(super) struct Range {
    pub(super) start: Position,
}

/// A place in a file.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub(super) struct Location {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) range: Range,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    target_uri: String,
    target_selection_range: Range,
}

/// A symbol of a file, or of the project, or one that calls or is called.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Symbol {
    pub(super) name: String,
    #[serde(default)]
    kind: u32,
    #[serde(default)]
    pub(super) detail: Option<String>,
    #[serde(default)]
    pub(super) container_name: Option<String>,
    #[serde(default)]
    pub(super) selection_range: Option<Range>,
    #[serde(default)]
    pub(super) location: Option<Location>,
    #[serde(default)]
    pub(super) uri: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<Value>,
}

/// A call: who calls or is called, and where.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call {
    #[serde(alias = "to")]
    pub(super) from: Symbol,
    #[serde(default)]
    pub(super) from_ranges: Vec<Range>,
}

/// A problem in a file.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Diagnostic {
    pub(super) range: Range,
    #[serde(default)]
    severity: Option<u32>,
    #[serde(default)]
    code: Value,
    #[serde(default)]
    source: Option<String>,
    pub(super) message: String,
}

/// Entries that could be read, and how many could not.
#[derive(Debug)]
pub(super) struct Entries<T> {
    pub(super) all: Vec<T>,
    pub(super) unreadable: usize,
}

/// The entries of an answer: a list, one alone, or none.
pub(super) fn entries<T: DeserializeOwned>(answer: Value) -> Entries<T> {
    read(answer, |value| serde_json::from_value(value).ok())
}

/// The locations of an answer, plain ones and links.
pub(super) fn locations(answer: Value) -> Entries<Location> {
    read(answer, |value| {
        if value.get("targetUri").is_some() {
            let link: Link = serde_json::from_value(value).ok()?;
            return Some(Location { uri: link.target_uri, range: link.target_selection_range });
        }
        serde_json::from_value(value).ok()
    })
}

fn read<T>(answer: Value, one: impl Fn(Value) -> Option<T>) -> Entries<T> {
    let values = match answer {
        Value::Null => Vec::new(),
        Value::Array(values) => values,
        other => vec![other],
    };
    let count = values.len();
    let all: Vec<T> = values.into_iter().filter_map(one).collect();
    Entries { unreadable: count - all.len(), all }
}

/// The text of a hover: Markdown or plain, or code in a language.
pub(super) fn hover(answer: &Value) -> String {
    fn text(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let parts: Vec<String> = parts.iter().map(text).filter(|part| !part.is_empty()).collect();
                parts.join("\n\n")
            }
            Value::Object(object) => {
                let value = object.get("value").and_then(Value::as_str).unwrap_or_default();
                match object.get("language").and_then(Value::as_str) {
                    Some(language) => format!("```{language}\n{value}\n```"),
                    None => value.to_owned(),
                }
            }
            _ => String::new(),
        }
    }
    answer.get("contents").map(text).unwrap_or_default().trim().to_owned()
}

impl Symbol {
    /// What it is, in a word.
    pub(super) fn kind(&self) -> &'static str {
        const KINDS: [&str; 26] = [
            "file",
            "module",
            "namespace",
            "package",
            "class",
            "method",
            "property",
            "field",
            "constructor",
            "enum",
            "interface",
            "function",
            "variable",
            "constant",
            "string",
            "number",
            "boolean",
            "array",
            "object",
            "key",
            "null",
            "enum member",
            "struct",
            "event",
            "operator",
            "type parameter",
        ];
        let index = usize::try_from(self.kind).ok().and_then(|kind| kind.checked_sub(1));
        index.and_then(|index| KINDS.get(index)).copied().unwrap_or("symbol")
    }
}

impl Diagnostic {
    /// How bad it is, in a word.
    pub(super) fn severity(&self) -> &'static str {
        match self.severity {
            Some(2) => "warning",
            Some(3) => "information",
            Some(4) => "hint",
            _ => "error",
        }
    }

    /// Its code and where it comes from, when it says so.
    pub(super) fn origin(&self) -> Option<String> {
        let code = match &self.code {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        };
        match (code, &self.source) {
            (Some(code), Some(source)) => Some(format!("{code} ({source})")),
            (Some(code), None) => Some(code),
            (None, Some(source)) => Some(format!("({source})")),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_forms_of_locations_are_read_and_broken_ones_counted() {
        let range = json!({"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 3}});
        let one =
            Location { uri: "file:///a".into(), range: Range { start: Position { line: 1, character: 2 } } };
        let plain = json!({"uri": "file:///a", "range": range});
        let link = json!({"targetUri": "file:///a", "targetRange": {}, "targetSelectionRange": range});
        for (answer, expected, unreadable) in [
            (Value::Null, vec![], 0),
            (plain.clone(), vec![one.clone()], 0),
            (json!([plain, link]), vec![one.clone(), one.clone()], 0),
            (
                json!([plain, 5, {"uri": 1}, {"uri": "x", "range": {"start": {"line": -1, "character": 0}}}, null]),
                vec![one],
                4,
            ),
            (json!("x"), vec![], 1),
        ] {
            let found = locations(answer.clone());
            assert_eq!((found.all, found.unreadable), (expected, unreadable), "{answer}");
        }
    }

    #[test]
    fn all_forms_of_hovers_are_read() {
        for (contents, expected) in [
            (json!("a"), "a"),
            (json!({"kind": "markdown", "value": "**a**"}), "**a**"),
            (json!({"language": "rust", "value": "fn a()"}), "```rust\nfn a()\n```"),
            (json!(["a", {"language": "x", "value": "b"}, ""]), "a\n\n```x\nb\n```"),
            (json!(5), ""),
        ] {
            assert_eq!(hover(&json!({ "contents": contents })), expected);
        }
        assert_eq!(hover(&Value::Null), "");
    }
}
