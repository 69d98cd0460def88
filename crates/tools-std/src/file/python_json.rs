//! JSON as Python writes it: with `NaN`, `Infinity` and `-Infinity`, which JSON has not.

use serde::de::IgnoredAny;

/// Levels of lists and objects that are read; what is deeper is named instead.
const DEEPEST: usize = 100;
/// What stands for a value that is nested more deeply.
const TOO_DEEP: &str = "\"[nested more than 100 levels deep, not shown]\"";

/// Checks that `text` is one JSON value, numbers that are none included.
///
/// # Errors
/// What is wrong, and where.
pub(crate) fn check(text: &str) -> Result<(), serde_json::Error> {
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).map(|_| ());
    let Err(error) = is_json(text) else { return Ok(()) };
    // As many bytes, so that an error says the right place.
    let number = |word: &str| format!("0{}", " ".repeat(word.len() - 1));
    if is_json(&written(text, usize::MAX, number).0).is_ok() { Ok(()) } else { Err(error) }
}

/// JSON that can be read.
#[derive(Debug)]
pub(crate) struct Readable {
    /// Its text: numbers that are none as strings, and what is nested too deeply named.
    pub text: String,
    /// Whether something is nested too deeply.
    pub cut: bool,
}

/// The same as JSON that can be read.
///
/// # Errors
/// When it is no JSON.
pub(crate) fn readable(text: &str) -> Result<Readable, serde_json::Error> {
    check(text)?;
    let (text, cut) = written(text, DEEPEST, |word| format!("\"{word}\""));
    Ok(Readable { text, cut })
}

/// `text` with other words for numbers that are none and at most so many levels, and whether it has more.
fn written(text: &str, deepest: usize, number: impl Fn(&str) -> String) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut depth, mut cut) = (text, 0_usize, false);
    while let Some(first) = rest.bytes().next() {
        let length = match first {
            b'"' => string(rest),
            b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => word(rest),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = behind;
        let shown = depth <= deepest;
        match first {
            b'[' | b'{' => {
                depth += 1;
                if depth <= deepest {
                    out.push_str(token);
                } else if shown {
                    out.push_str(TOO_DEEP);
                    cut = true;
                }
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if shown {
                    out.push_str(token);
                }
            }
            _ if !shown => {}
            _ if matches!(token, "NaN" | "Infinity" | "-Infinity") => out.push_str(&number(token)),
            _ => out.push_str(token),
        }
    }
    (out, cut)
}

/// The length of the string that `text` begins with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the number or word that `text` begins with.
fn word(text: &str) -> usize {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
    text.bytes().take_while(plain).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn read(text: &str) -> Option<Value> {
        serde_json::from_str(&readable(text).ok()?.text).ok()
    }

    #[test]
    fn what_python_writes_is_read() {
        for (text, value) in [
            ("[NaN, Infinity,-Infinity , -1e5]", json!(["NaN", "Infinity", "-Infinity", -1e5])),
            (
                "{\"NaN\": \"a NaN \\\" Infinity\", \"b\":NaN}",
                json!({"NaN": "a NaN \" Infinity", "b": "NaN"}),
            ),
            (" NaN\n", json!("NaN")),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
        for text in [
            "[nan]",
            "{NaN: 1}",
            "[NaN",
            "[NaNs]",
            "[- Infinity]",
            "[+Infinity]",
            "[1NaN]",
            "\"NaN",
            "[NaN 1]",
            "\"\\",
        ] {
            assert!(check(text).is_err() && readable(text).is_err(), "{text}");
        }
        let error = check("[NaN,\n  x]").unwrap_err();
        assert_eq!(error.line(), 1);
    }

    #[test]
    fn what_is_nested_deeply_is_named() {
        let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let whole = readable(&deep(100)).unwrap();
        assert!(whole.text == deep(100) && !whole.cut);
        for levels in [101, 128, 100_000] {
            let text = format!("{{\"a\": {}, \"b\": 2}}", deep(levels));
            assert!(readable(&text).unwrap().cut);
            let value = read(&text).unwrap();
            assert_eq!(value["b"], json!(2));
            assert!(value.to_string().contains("nested more than 100 levels deep"), "{levels}");
        }
        assert!(readable(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn json_stays_what_it_is(key in "[a\"\\\\N]{0,4}", text in "[NaInfity\"\\\\\\[\\]{}, é-]{0,12}", number in any::<i32>()) {
            let value = json!({key: [text, number, null, true, {"x": []}]});
            prop_assert_eq!(read(&value.to_string()), Some(value));
        }

        #[test]
        fn no_text_makes_it_stop_or_panic(text in "[{}\\[\\]\",:aN1\\\\ é\n-]{0,20}") {
            if readable(&text).is_ok() {
                prop_assert!(read(&text).is_some() || text.contains("\\u"));
            }
        }
    }
}
