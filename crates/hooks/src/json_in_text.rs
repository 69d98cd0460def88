//! Finds the whole JSON objects in a text that holds other things too.

use serde_json::{Map, Value};

/// Opening braces that may turn out to open nothing. A text with more of them is no log with answers in it.
const MOST_FAILURES: usize = 20_000;
/// Bytes that may be read in vain after such braces.
const MOST_IN_VAIN: usize = 256 * 1024 * 1024;

/// Shows every whole object at the top level of a text, in order. Gives whether all of the text was looked at.
pub(crate) fn each_object(text: &str, mut show: impl FnMut(Map<String, Value>)) -> bool {
    let (mut at, mut failures, mut in_vain) = (0, 0, 0);
    while let Some(rest) = text.get(at..) {
        let Some(brace) = rest.find('{') else { return true };
        let start = at + brace;
        let Some(from_brace) = text.get(start..) else { return true };
        let mut values = serde_json::Deserializer::from_str(from_brace).into_iter::<Value>();
        at = match values.next() {
            Some(Ok(Value::Object(object))) => {
                show(object);
                start + values.byte_offset().max(1)
            }
            Some(Err(error)) => {
                failures += 1;
                in_vain += reached(from_brace, &error);
                if failures >= MOST_FAILURES || in_vain >= MOST_IN_VAIN {
                    return false;
                }
                start + 1
            }
            _ => start + 1,
        };
    }
    true
}

/// How far a reader came before it failed.
fn reached(text: &str, error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return text.len();
    }
    let lines = text.split('\n').take(error.line().saturating_sub(1));
    lines.map(|line| line.len() + 1).sum::<usize>() + error.column()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each_object(text, |object| all.push(Value::Object(object).to_string()));
        all
    }

    #[test]
    fn whole_objects_are_found_between_anything() {
        for (text, expected) in [
            ("", &[] as &[&str]),
            ("no braces", &[]),
            ("{broken", &[]),
            ("log\n{\"a\":1}\nmore", &["{\"a\":1}"]),
            ("{\"a\":1}\n{\"a\":2}", &["{\"a\":1}", "{\"a\":2}"]),
            ("{\"a\":{\"b\":1}} {", &["{\"a\":{\"b\":1}}"]),
            ("{ {\"a\":\"}\"} ", &["{\"a\":\"}\"}"]),
            ("ä {\n  \"a\": [\n 1 ]\n}\n", &["{\"a\":[1]}"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        // As many as there are, when all are whole.
        assert_eq!(found(&"{\"a\":1}\n".repeat(50_000)).len(), 50_000);
        assert!(!each_object(&"{".repeat(1_000_000), |_| {}));
        assert!(!each_object(&"{\"a\":".repeat(300_000), |_| {}));
    }
}
