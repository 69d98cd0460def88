//! Halves of surrogate pairs in JSON (`\ud83d` alone): no text, but what some writers of JSON send when they cut a text
//! in the middle of a character. One of them must not cost the whole message.

use pegboard_tool_core::{RawInput, ToolUse};
use serde_json::Value;

/// What stands for such a half: two characters that no text has.
const STAND_IN: &str = "\u{fdd0}\u{fdef}";
const ESCAPED: &[u8] = b"\\ufdd0\\ufdef";

/// `json` with the stand-in for each half; nothing when there is none.
pub(crate) fn mended(json: &[u8]) -> Option<Vec<u8>> {
    let mut mended = Vec::new();
    let (mut done, mut at) = (0, 0);
    while let Some(found) = json.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += found;
        match escape(json, at) {
            Some(0xd800..=0xdbff) if matches!(escape(json, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                mended.extend_from_slice(json.get(done..at)?);
                mended.extend_from_slice(ESCAPED);
                at += 6;
                done = at;
            }
            _ => at += 2,
        }
    }
    if done == 0 {
        return None;
    }
    mended.extend_from_slice(json.get(done..)?);
    Some(mended)
}

/// The number of the escape `\uXXXX` at this place.
fn escape(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at.checked_add(6)?)?.strip_prefix(b"\\u")?;
    // A sign is none of the digits.
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

/// The call as it can be answered: what holds a half was not said, so that nobody may act by it.
pub(crate) fn judged(call: ToolUse) -> ToolUse {
    match &call.input {
        RawInput::Json(input) if holds_stand_in(input) => {
            let text = input.to_string().replace(STAND_IN, "\u{fffd}");
            ToolUse::unreadable(call.id, call.name, text).with_extra(call.extra).with_caller(call.caller)
        }
        RawInput::Json(_) | RawInput::Unreadable(_) => call,
    }
}

fn holds_stand_in(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(STAND_IN),
        Value::Array(items) => items.iter().any(holds_stand_in),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name.contains(STAND_IN) || holds_stand_in(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_are_found_and_pairs_are_left() {
        for (json, expected) in [
            (r#""a""#, None),
            (r#""\ud83d\ude00 \\ud83d \n""#, None),
            (r#""x\ud83d""#, Some("x")),
            (r#""\ude00x""#, Some("x")),
            (r#""\ud83d\ud83d\ude00""#, Some("😀")),
            (r#""\uDFFF\\\uD800""#, Some("\\")),
            (r#""\ud83d\u0041""#, Some("A")),
        ] {
            let mended = mended(json.as_bytes());
            let text: Option<String> = mended.map(|json| serde_json::from_slice(&json).unwrap());
            assert_eq!(text.map(|text| text.replace(STAND_IN, "")).as_deref(), expected, "{json}");
        }
        for broken in [&b"\\"[..], b"\"\\u", b"\"\\ud8", b"\"\\u+83d\"", b"\"\\ud83d"] {
            assert!(mended(broken).is_none_or(|json| serde_json::from_slice::<Value>(&json).is_err()));
        }
    }

    proptest! {
        #[test]
        fn what_is_json_stays_as_it_is(text in "(\\PC|\\\\u[0-9a-f]{4}|\\\\){0,20}") {
            let json = format!("\"{text}\"");
            if let Ok(value) = serde_json::from_str::<Value>(&json) {
                prop_assert_eq!(mended(json.as_bytes()), None, "{:?}", value);
            }
        }
    }
}
