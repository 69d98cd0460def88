//! The value of a JSON text while it comes.

use crate::decoding::json_value;
use pegboard_wire::PartialJson;
use proptest::prelude::*;
use serde_json::Value;

/// Whether `now` is `before` grown: texts and lists longer, fields more, anything else the same.
fn is_grown(before: &Value, now: &Value) -> bool {
    match (before, now) {
        (Value::String(before), Value::String(now)) => now.starts_with(before.as_str()),
        (Value::Array(before), Value::Array(now)) => {
            before.len() <= now.len() && before.iter().zip(now).all(|(before, now)| is_grown(before, now))
        }
        (Value::Object(before), Value::Object(now)) => {
            before.iter().all(|(name, before)| now.get(name).is_some_and(|now| is_grown(before, now)))
        }
        _ => before == now,
    }
}

fn pieces(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut sizes = sizes.iter().cycle();
    let mut left = *sizes.next().unwrap();
    for character in text.chars() {
        if left == 0 {
            pieces.push(String::new());
            left = *sizes.next().unwrap();
        }
        left = left.saturating_sub(1);
        pieces.last_mut().unwrap().push(character);
    }
    pieces
}

proptest! {
    #[test]
    fn the_value_grows_into_the_whole(
        value in json_value(),
        pretty in any::<bool>(),
        ascii in any::<bool>(),
        sizes in prop::collection::vec(0_usize..7, 1..9),
    ) {
        let value = Value::from(vec![value]);
        let mut text = if pretty { format!("{value:#}") } else { value.to_string() };
        if ascii {
            text = text.chars().map(|character| match character {
                ' '..='~' | '\n' => character.to_string(),
                _ => character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
            }).collect();
        }
        let mut partial = PartialJson::new();
        let mut before: Option<Value> = None;
        for piece in pieces(&text, &sizes) {
            prop_assert!(!partial.is_complete());
            partial.push(&piece);
            let now = partial.value().cloned();
            if let (Some(before), Some(now)) = (&before, &now) {
                prop_assert!(is_grown(before, now), "{before} {now}");
            }
            before = now;
        }
        prop_assert!(partial.is_complete());
        prop_assert_eq!(partial.value(), Some(&value));
    }

    #[test]
    fn pieces_do_not_matter(text in "[\\[\\]{},:\"\\\\ua0tre1.-e9é😀 ]{0,60}", sizes in prop::collection::vec(0_usize..5, 1..9)) {
        let mut whole = PartialJson::new();
        whole.push(&text);
        let mut partial = PartialJson::new();
        for piece in pieces(&text, &sizes) {
            partial.push(&piece);
        }
        prop_assert_eq!(partial.value(), whole.value());
        prop_assert_eq!(partial.is_broken(), whole.is_broken());
        prop_assert_eq!(partial.is_complete(), whole.is_complete());
        let parsed = serde_json::from_str::<Value>(&text).ok();
        if whole.is_complete() {
            prop_assert_eq!(parsed.as_ref(), whole.value());
        } else if whole.is_broken() {
            prop_assert!(parsed.is_none());
        }
    }
}
