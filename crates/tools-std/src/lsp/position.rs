//! Columns: people and models count characters from 1, servers count units of an encoding from 0.

use serde_json::Value;

/// How a server counts columns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    /// What the server chose; UTF-16 where it says nothing.
    pub(super) fn of(capabilities: &Value) -> Self {
        match capabilities.get("positionEncoding").and_then(Value::as_str) {
            Some("utf-8") => Self::Utf8,
            Some("utf-32") => Self::Utf32,
            _ => Self::Utf16,
        }
    }

    fn units(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 => letter.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// Units before the character with index `chars`; at most those of the line.
    pub(super) fn to_units(self, line: &str, chars: usize) -> usize {
        line.chars().take(chars).map(|letter| self.units(letter)).sum()
    }

    /// Index of the character that the unit `units` is in; at most the length of the line.
    pub(super) fn to_chars(self, line: &str, units: usize) -> usize {
        let mut end = 0;
        line.chars()
            .take_while(|letter| {
                end += self.units(*letter);
                end <= units
            })
            .count()
    }
}

/// Index of the character where `symbol` is in `line`: as a word of its own, else anywhere. Of several the one at or
/// after the character `near`, else the first. In a path such as `a::b` its last name counts.
pub(super) fn find(line: &str, symbol: &str, near: Option<usize>) -> Option<usize> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let starts_with_word = symbol.starts_with(is_word);
    let ends_with_word = symbol.ends_with(is_word);
    let hits: Vec<(usize, bool)> = line
        .match_indices(symbol)
        .map(|(at, _)| {
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            let after = line.get(at + symbol.len()..).and_then(|after| after.chars().next());
            let is_whole = !(starts_with_word && before.is_some_and(is_word)
                || ends_with_word && after.is_some_and(is_word));
            (at, is_whole)
        })
        .collect();
    let whole: Vec<usize> = hits.iter().filter(|(_, is_whole)| *is_whole).map(|(at, _)| *at).collect();
    let all = if whole.is_empty() { hits.iter().map(|(at, _)| *at).collect() } else { whole };
    let index = |at: usize| line.get(..at).map_or(0, |before| before.chars().count());
    let last_name = symbol.char_indices().rev().find(|(_, letter)| !is_word(*letter));
    let offset = last_name.map_or(0, |(at, letter)| {
        // A symbol that ends with something else than a name is pointed at by its start.
        let start = at + letter.len_utf8();
        if start < symbol.len() { symbol.get(..start).map_or(0, |head| head.chars().count()) } else { 0 }
    });
    let covers = |start: usize| near.is_none_or(|near| start + symbol.chars().count() > near);
    let starts: Vec<usize> = all.into_iter().map(index).collect();
    starts.iter().find(|start| covers(**start)).or(starts.first()).map(|start| start + offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_are_converted_both_ways() {
        let line = "a😀é漢x";
        for (encoding, units) in [
            (Encoding::Utf8, [0, 1, 5, 7, 10, 11]),
            (Encoding::Utf16, [0, 1, 3, 4, 5, 6]),
            (Encoding::Utf32, [0, 1, 2, 3, 4, 5]),
        ] {
            for (chars, units) in units.into_iter().enumerate() {
                assert_eq!(encoding.to_units(line, chars), units, "{encoding:?} {chars}");
                assert_eq!(encoding.to_chars(line, units), chars, "{encoding:?} {units}");
            }
            assert_eq!(encoding.to_chars(line, 1_000), 5);
            assert_eq!(encoding.to_units(line, 1_000), units[5]);
        }
        // In the middle of a character: that character.
        assert_eq!((Encoding::Utf16.to_chars(line, 2), Encoding::Utf8.to_chars(line, 3)), (1, 1));
    }

    #[test]
    fn a_symbol_is_found_as_a_word_near_the_column() {
        for (line, symbol, near, expected) in [
            ("let foobar = foo(foo);", "foo", None, Some(13)),
            ("let foobar = foo(foo);", "foo", Some(14), Some(13)),
            ("let foobar = foo(foo);", "foo", Some(16), Some(17)),
            ("let foobar = foo(foo);", "foo", Some(99), Some(13)),
            ("foobar", "foo", None, Some(0)),
            ("😀 x.a::b::name()", "b::name", None, Some(10)),
            ("a.b()", "a.b()", None, Some(0)),
            ("x", "y", None, None),
            ("", "y", None, None),
        ] {
            assert_eq!(find(line, symbol, near), expected, "{line} {symbol} {near:?}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same_character(line in ".{0,40}", chars in 0usize..40) {
            let chars = chars.min(line.chars().count());
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                prop_assert_eq!(encoding.to_chars(&line, encoding.to_units(&line, chars)), chars);
            }
        }

        #[test]
        fn looking_for_a_symbol_never_panics(line in ".{0,40}", symbol in ".{1,6}", near in prop::option::of(0usize..50)) {
            if let Some(at) = find(&line, &symbol, near) {
                prop_assert!(at < line.chars().count().max(1) + symbol.chars().count());
            }
        }
    }
}
