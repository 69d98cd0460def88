//! Strict JSON with the line of every value.
//!
//! `jsonc-parser` gives positions and good messages, `serde_json` is the stricter second reader: a text counts only
//! when both take it. Comments, trailing commas and repeated keys are errors.

use std::collections::HashMap;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use crate::trust_item::shown;

/// A parsed text and the lines of its values.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// The whole text as a value.
    pub(crate) value: Value,
    /// Where each part of it stands.
    pub(crate) lines: Lines,
}

/// Why a text is not strict JSON, and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct SyntaxError {
    /// Line, from 1.
    pub(crate) line: u32,
    /// Column in characters, from 1.
    pub(crate) column: u32,
    /// What is wrong.
    pub(crate) message: String,
}

/// The lines of a value and of everything inside it. Empty for values that came from no file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    line: Option<u32>,
    list: Vec<Lines>,
    map: HashMap<String, Lines>,
}

impl Lines {
    /// Line of the value that `path` (object keys and list indices) leads to; a key's own line for a member.
    pub(crate) fn at(&self, path: &[&str]) -> Option<u32> {
        let mut here = self;
        for step in path {
            here = match here.map.get(*step) {
                Some(found) => found,
                None => here.list.get(step.parse::<usize>().ok()?)?,
            };
        }
        here.line
    }
}

/// The options under which `jsonc-parser` takes JSON only.
pub(crate) fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Parses `text`; a UTF-8 byte order mark before it is ignored.
pub(crate) fn parse(text: &str) -> Result<Document, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let starts = LineStarts::new(text);
    let tree = parse_to_ast(text, &CollectOptions::default(), &strict()).map_err(|error| {
        let message = lower_first(&error.kind().to_string());
        starts.error(text, error.range().start, message)
    })?;
    let Some(tree) = tree.value else {
        return Err(starts.error(text, 0, "the file is empty; write `{}` or remove it".to_owned()));
    };
    // The second reader also bounds the depth (128), so that the walks below cannot overflow the stack.
    let value = serde_json::from_str(text).map_err(|error| {
        let offset = starts.offset(error.line(), error.column());
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(before, _)| before);
        starts.error(text, offset, message.to_owned())
    })?;
    let lines = lines_of(text, &starts, &tree)?;
    Ok(Document { value, lines })
}

fn lines_of(text: &str, starts: &LineStarts, tree: &ast::Value<'_>) -> Result<Lines, SyntaxError> {
    let mut lines = Lines { line: Some(starts.line(tree.range().start)), ..Lines::default() };
    match tree {
        ast::Value::Array(array) => {
            for element in &array.elements {
                lines.list.push(lines_of(text, starts, element)?);
            }
        }
        ast::Value::Object(object) => {
            for member in &object.properties {
                let mut inner = lines_of(text, starts, &member.value)?;
                inner.line = Some(starts.line(member.range.start));
                let name = member.name.as_str().to_owned();
                if let Some(first) = lines.map.get(&name) {
                    let first = first.line.unwrap_or(0);
                    let message = format!("key `{name}` stands here again (first on line {first}); keep one");
                    return Err(starts.error(text, member.range.start, message));
                }
                lines.map.insert(name, inner);
            }
        }
        ast::Value::StringLit(_)
        | ast::Value::NumberLit(_)
        | ast::Value::BooleanLit(_)
        | ast::Value::NullKeyword(_) => {}
    }
    Ok(lines)
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Byte offsets at which lines start.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// Offset of `serde_json`'s line and byte column, both from 1 (0 when it has none).
    fn offset(&self, line: usize, column: usize) -> usize {
        self.0.get(line.saturating_sub(1)).copied().unwrap_or(0) + column.saturating_sub(1)
    }

    fn error(&self, text: &str, offset: usize, message: String) -> SyntaxError {
        let line = self.line(offset);
        let start = self.0.get(line as usize - 1).copied().unwrap_or(0);
        let before = text.as_bytes().get(start..offset.min(text.len())).unwrap_or_default();
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        // Keys of a foreign file may stand in the message, and messages end on a terminal.
        SyntaxError { line, column: u32::try_from(column).unwrap_or(u32::MAX), message: shown(&message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let error = parse(text).map(|document| document.value).unwrap_err();
        format!("{}:{}: {}", error.line, error.column, error.message)
    }

    #[test]
    fn only_strict_json_is_taken() {
        let deep = "[".repeat(100_000);
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for text in [
            "",
            " \n",
            "{",
            "{,}",
            "{} {}",
            "{'a':1}",
            "{a:1}",
            "[1 2]",
            "[1 {}]",
            "[01]",
            "[.5]",
            "[+1]",
            "[0x1]",
            "[NaN]",
            "{\"a\":1}\0",
            "\"a\u{1}b\"",
            "[\"\\ud800\"]",
            "[\"\\x41\"]",
            "[1e999]",
            "{\"a\" 1}",
            "{\"a\":}",
            "nul",
            "\u{a0}{}",
            &deep,
            &nested,
            "{\"a\":[1,]}",
            "{\"a\":{\"b\":1,\"b\":2}}",
            "\"line\nbreak\"",
            "{}\u{feff}",
        ] {
            assert!(parse(text).is_err(), "taken: {:?}", &text[..text.len().min(40)]);
        }
        for text in
            ["{}", "\u{feff}{}", " [1, -2.5e3, \"\\u0041\", null, true] ", "\"x\"", "{\"a\":{\"a\":1}}\r\n"]
        {
            assert!(parse(text).is_ok(), "refused: {text:?}");
        }
    }

    #[test]
    fn errors_say_where_and_what() {
        insta::assert_snapshot!(refused("{\n  \"ä\": [1,]\n}"), @"2:10: trailing commas are not allowed");
        insta::assert_snapshot!(refused("{\n  // no\n}"), @"2:3: comments are not allowed");
        insta::assert_snapshot!(refused("{\"a\":1,\n\"a\":2}"), @"2:1: key `a` stands here again (first on line 1); keep one");
        insta::assert_snapshot!(refused(""), @"1:1: the file is empty; write `{}` or remove it");
    }

    #[test]
    fn every_value_has_its_line() {
        let document = parse("{\n\"permissions\":\n {\n\"allow\": [\n\"A\",\n\"B\" ] } }").unwrap();
        let line = |path: &[&str]| document.lines.at(path);
        assert_eq!(line(&["permissions"]), Some(2));
        assert_eq!(line(&["permissions", "allow"]), Some(4));
        assert_eq!(line(&["permissions", "allow", "0"]), Some(5));
        assert_eq!(line(&["permissions", "allow", "1"]), Some(6));
        assert_eq!(line(&["permissions", "allow", "2"]), None);
        assert_eq!(line(&["nothing"]), None);
    }
}
