//! JSON in which no key stands twice. A host and we could each take another one of two values of a key, and then what is
//! judged is not what runs.

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::RefCell;
use std::fmt;

/// Why a text is not such JSON.
#[derive(Debug)]
pub(crate) enum NotStrict {
    /// It is no JSON, or nested too deep.
    NotJson(serde_json::Error),
    /// This key stands twice in one object.
    RepeatedKey(String),
}

/// Reads the whole of `text`. The parser refuses what is nested deeper than 128 levels, and text that is not UTF-8.
pub(crate) fn parse(text: &[u8]) -> Result<Value, NotStrict> {
    let repeated = RefCell::new(None);
    let mut parser = serde_json::Deserializer::from_slice(text);
    let read = Strict { repeated: &repeated }.deserialize(&mut parser);
    let read = read.and_then(|value| parser.end().map(|()| value));
    read.map_err(|error| match repeated.take() {
        Some(key) => NotStrict::RepeatedKey(key),
        None => NotStrict::NotJson(error),
    })
}

/// Builds one value and everything below it.
#[derive(Clone, Copy)]
struct Strict<'a> {
    /// Where the key that stands twice is told.
    repeated: &'a RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Value, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                let error = A::Error::custom("a key stands twice");
                self.repeated.replace(Some(key));
                return Err(error);
            }
            let value = members.next_value_seed(self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_that_stands_twice_is_refused_at_every_depth() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": 1, "c": 2, "b": 3}}"#,
            r#"[[{"a": null, "\u0061": null}]]"#,
            r#"{"x": 1, "a": [{"": 1, "": 2}]}"#,
        ] {
            assert!(matches!(parse(text.as_bytes()), Err(NotStrict::RepeatedKey(_))), "{text}");
        }
        assert!(matches!(parse(br#"{"a": {"x": 1}, "b": {"x": 1}}"#), Ok(Value::Object(_))));
    }

    #[test]
    fn values_are_those_of_the_plain_parser() {
        let value = json!({"z": [null, true, -1, u64::MAX, 1.5, "\u{0}é"], "a": {}, "m": [[]]});
        assert_eq!(parse(value.to_string().as_bytes()).unwrap(), value);
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(100).as_bytes()).is_ok());
        for bad in ["", "{} {}", "[1e999]", "{\"a\"}", &nested(200), &"[".repeat(1_000_000)] {
            assert!(matches!(parse(bad.as_bytes()), Err(NotStrict::NotJson(_))), "{}", bad.len());
        }
    }
}
