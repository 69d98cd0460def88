//! Finds the last whole JSON object in a text that holds other things too.

use serde_json::{Map, Value};

/// Opening braces that are tried. A text with more of them is no log with an answer in it.
const MOST_ATTEMPTS: usize = 20_000;

/// The last whole object at the top level of a text.
pub(crate) fn last_object(text: &str) -> Option<Map<String, Value>> {
    let mut last = None;
    let mut at = 0;
    for _ in 0..MOST_ATTEMPTS {
        let Some(rest) = text.get(at..) else { break };
        let Some(brace) = rest.find('{') else { break };
        let start = at + brace;
        let Some(from_brace) = text.get(start..) else { break };
        let mut values = serde_json::Deserializer::from_str(from_brace).into_iter::<Value>();
        at = match values.next() {
            Some(Ok(Value::Object(object))) => {
                last = Some(object);
                start + values.byte_offset().max(1)
            }
            _ => start + 1,
        };
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_object_is_found_between_anything() {
        for (text, expected) in [
            ("", None),
            ("no braces", None),
            ("{broken", None),
            ("log\n{\"a\":1}\nmore", Some("{\"a\":1}")),
            ("{\"a\":1}\n{\"a\":2}", Some("{\"a\":2}")),
            ("{\"a\":{\"b\":1}} {", Some("{\"a\":{\"b\":1}}")),
            ("{ {\"a\":\"}\"} ", Some("{\"a\":\"}\"}")),
            ("ä {\n  \"a\": [\n 1 ]\n}\n", Some("{\"a\":[1]}")),
        ] {
            let found = last_object(text).map(|object| Value::Object(object).to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        assert!(last_object(&"{".repeat(1_000_000)).is_none());
        assert!(last_object(&"{\"a\":".repeat(300_000)).is_none());
    }
}
