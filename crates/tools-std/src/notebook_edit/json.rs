//! Where the parts of a JSON text are. Nothing is turned into values: what is not looked at stays as it was
//! written, with its number forms, escapes, order and doubled keys. That it is JSON is checked before.

use std::ops::Range;

/// One member of an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Member {
    /// Its name, escapes resolved.
    pub name: String,
    /// Where the name stands, with its quotes.
    pub key: Range<usize>,
    /// Where its value stands.
    pub value: Range<usize>,
}

/// The value that the text is, of a text that was checked.
pub(super) fn root(text: &str) -> Range<usize> {
    let start = blanks(text, 0);
    start..end_of_value(text, start)
}

/// The members of the object at `value`; `None` when it is none.
pub(super) fn members(text: &str, value: &Range<usize>) -> Option<Vec<Member>> {
    let mut found = Vec::new();
    each(text, value, b'{', |at| {
        let key = at..end_of_value(text, at);
        let colon = blanks(text, key.end);
        let start = blanks(text, colon + 1);
        let value = start..end_of_value(text, start);
        let end = value.end;
        let written = text.get(key.clone()).unwrap_or_default();
        // A name that is no Unicode is none that anybody looks for.
        let name = serde_json::from_str(written).unwrap_or_else(|_| written.to_owned());
        found.push(Member { name, key, value });
        end
    })?;
    Some(found)
}

/// The values of the array at `value`; `None` when it is none.
pub(super) fn items(text: &str, value: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    each(text, value, b'[', |at| {
        let item = at..end_of_value(text, at);
        let end = item.end;
        found.push(item);
        end
    })?;
    Some(found)
}

/// The member that counts, of several with one name the last.
pub(super) fn named<'m>(members: &'m [Member], name: &str) -> Option<&'m Member> {
    members.iter().rev().find(|member| member.name == name)
}

/// The text that a value is; `None` when it is none, or no Unicode.
pub(super) fn string(text: &str, value: &Range<usize>) -> Option<String> {
    serde_json::from_str(text.get(value.clone())?).ok()
}

/// Goes over what stands between the brackets at `value`; `one` takes what begins at its offset and says where
/// it ends.
fn each(text: &str, value: &Range<usize>, open: u8, mut one: impl FnMut(usize) -> usize) -> Option<()> {
    let byte = |at: usize| text.as_bytes().get(at).copied();
    if byte(value.start) != Some(open) {
        return None;
    }
    let mut at = blanks(text, value.start + 1);
    while !matches!(byte(at), Some(b']' | b'}') | None) {
        at = blanks(text, one(at));
        if byte(at) == Some(b',') {
            at = blanks(text, at + 1);
        }
    }
    Some(())
}

/// The first offset from `at` on that is no blank.
fn blanks(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// The end of the value that begins at `start`, of a text that was checked. Never before `start + 1`, so that
/// whoever goes on gets on.
fn end_of_value(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ if depth > 0 => {
                at += 1;
                continue;
            }
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                let plain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                at += rest.iter().take_while(plain).count().max(1);
            }
        }
        if depth == 0 {
            break;
        }
    }
    at.max(start + 1)
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn parts_are_where_they_are() {
        let text = " {\"a\\\"\" : [1.0, \"]\\\\\", {\"b\":1e5} ,true], \"c\":null,\"c\":-2} ";
        let object = members(text, &root(text)).unwrap();
        let shown: Vec<_> =
            object.iter().map(|member| (&*member.name, &text[member.value.clone()])).collect();
        assert_eq!(shown, [("a\"", "[1.0, \"]\\\\\", {\"b\":1e5} ,true]"), ("c", "null"), ("c", "-2")]);
        let array = items(text, &object[0].value).unwrap();
        let shown: Vec<_> = array.iter().map(|item| &text[item.clone()]).collect();
        assert_eq!(shown, ["1.0", "\"]\\\\\"", "{\"b\":1e5}", "true"]);
        assert_eq!(&text[named(&object, "c").unwrap().value.clone()], "-2");
        assert!(items(text, &root(text)).is_none() && members("[]", &(0..2)).is_none());
        assert_eq!(members("{}", &(0..2)), Some(Vec::new()));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<f32>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
            "[a\"\\\\\n{}\\[\\],:é]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a\"{,]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// Reads a value through the places alone.
    fn reread(text: &str, at: &Range<usize>) -> Value {
        if let Some(found) = members(text, at) {
            return Value::Object(
                found.iter().map(|one| (one.name.clone(), reread(text, &one.value))).collect(),
            );
        }
        if let Some(found) = items(text, at) {
            return found.iter().map(|one| reread(text, one)).collect();
        }
        serde_json::from_str(&text[at.clone()]).unwrap()
    }

    proptest! {
        #[test]
        fn every_value_is_found_by_its_places(value in value(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = format!(" {}\n", text.unwrap());
            // Printing and parsing rounds some numbers.
            prop_assert_eq!(reread(&text, &root(&text)), serde_json::from_str::<Value>(&text).unwrap());
        }

        #[test]
        fn no_text_makes_it_stop_or_panic(text in "[{}\\[\\]\",:a1\\\\ é\n]{0,20}") {
            let all = root(&text);
            members(&text, &all);
            items(&text, &all);
        }
    }
}
