//! Adds a rule to the text of a settings file and leaves every other byte of a value as it is.

use jsonc_parser::cst::{CstInputValue, CstRootNode};
use pegboard_tool_core::RuleEffect;
use serde_json::{Map, Value};

use crate::layer::RULE_LISTS;
use crate::parse::{SyntaxError, parse, strict};

/// What became of the text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Edited {
    /// The new text.
    Text(String),
    /// The rule stands there already.
    AlreadyThere,
}

/// Why the text cannot take the rule.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum EditError {
    /// The text is not JSON.
    Syntax(SyntaxError),
    /// A key on the way has the wrong shape; holds its dotted name.
    Shape(String),
    /// The result would not say what it should.
    Unfaithful,
}

/// Adds `rule` at the end of the list of `effect`; creates the list when absent.
pub(crate) fn append(text: &str, effect: RuleEffect, rule: &str) -> Result<Edited, EditError> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let mut expected = parse(body).map_err(EditError::Syntax)?.value;
    let list = list_of(effect);
    if !push(&mut expected, list, rule)? {
        return Ok(Edited::AlreadyThere);
    }
    let root = CstRootNode::parse(body, &strict()).map_err(|_| EditError::Unfaithful)?;
    // The shapes were found right above.
    let object = root.object_value().ok_or(EditError::Unfaithful)?;
    let permissions = object.object_value_or_create("permissions").ok_or(EditError::Unfaithful)?;
    let array = permissions.array_value_or_create(list).ok_or(EditError::Unfaithful)?;
    array.append(CstInputValue::String(rule.to_owned()));
    let edited = root.to_string();
    // The proof that nothing else changed: the result reads as the old value plus the rule.
    match parse(&edited) {
        Ok(document) if document.value == expected => Ok(Edited::Text(format!("{mark}{edited}"))),
        _ => Err(EditError::Unfaithful),
    }
}

fn list_of(effect: RuleEffect) -> &'static str {
    RULE_LISTS.into_iter().find(|(_, of)| *of == effect).map_or("deny", |(list, _)| list)
}

/// Adds the rule to the value; false when it is there already.
fn push(value: &mut Value, list: &'static str, rule: &str) -> Result<bool, EditError> {
    let shape = |key: &str| EditError::Shape(key.to_owned());
    let root = value.as_object_mut().ok_or_else(|| shape("(the whole file)"))?;
    let permissions = root.entry("permissions").or_insert_with(|| Value::Object(Map::new()));
    let permissions = permissions.as_object_mut().ok_or_else(|| shape("permissions"))?;
    let rules = permissions.entry(list).or_insert_with(|| Value::Array(Vec::new()));
    let rules = rules.as_array_mut().ok_or_else(|| shape(&format!("permissions.{list}")))?;
    let known = rules.iter().any(|known| known == rule);
    if !known {
        rules.push(Value::from(rule));
    }
    Ok(!known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str, rule: &str) -> String {
        match append(text, RuleEffect::Allow, rule).unwrap() {
            Edited::Text(text) => text,
            Edited::AlreadyThere => panic!("already there"),
        }
    }

    #[test]
    fn the_layout_of_the_file_is_kept() {
        insta::assert_snapshot!(text("{}\n", "A"), @r#"
        {
          "permissions": {
            "allow": ["A"]
          }
        }
        "#);
        let file = "{\n    \"z\" : [1,2],\n    \"permissions\": {\n        \"allow\": [\n            \"A\"\n        ]\n    }\n}\n";
        insta::assert_snapshot!(text(file, "B"), @r#"
        {
            "z" : [1,2],
            "permissions": {
                "allow": [
                    "A",
                    "B"
                ]
            }
        }
        "#);
        assert_eq!(
            text("\u{feff}{\"permissions\":{\"allow\":[\"A\"]}}", "B"),
            "\u{feff}{\"permissions\":{\"allow\":[\"A\", \"B\"]}}"
        );
        let crlf = text("{\r\n  \"a\": 1\r\n}\r\n", "A");
        assert_eq!(crlf.matches("\r\n").count(), crlf.matches('\n').count());
    }

    #[test]
    fn a_rule_that_stands_there_changes_nothing() {
        let file = r#"{"permissions":{"allow":["A"]}}"#;
        assert_eq!(append(file, RuleEffect::Allow, "A"), Ok(Edited::AlreadyThere));
        assert!(matches!(append(file, RuleEffect::Deny, "A"), Ok(Edited::Text(_))));
    }

    #[test]
    fn what_cannot_take_a_rule_is_left_alone() {
        for file in ["[]", "1", r#"{"permissions":1}"#, r#"{"permissions":{"allow":"A"}}"#] {
            assert!(matches!(append(file, RuleEffect::Allow, "B"), Err(EditError::Shape(_))), "{file}");
        }
        for file in ["", "{", "{/**/}", r#"{"a":1,"a":2}"#] {
            assert!(matches!(append(file, RuleEffect::Allow, "B"), Err(EditError::Syntax(_))), "{file}");
        }
    }

    #[test]
    fn a_long_list_takes_one_more() {
        let rules: Vec<_> = (0..20_000).map(|number| format!("Bash(command-{number} *)")).collect();
        let file = serde_json::json!({"permissions": {"allow": rules}}).to_string();
        assert!(text(&file, "last").contains("\"Bash(command-19999 *)\", \"last\"]"));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(".{0,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn appended_rules_keep_other_keys_byte_identical(
            others in proptest::collection::btree_map("[a-oq-z]{1,4}|é.{0,3}", json(), 0..5),
            kept in proptest::option::of(proptest::collection::vec(".{0,8}", 0..3)),
            rules in proptest::collection::vec(".{1,12}", 1..4),
            pretty in any::<bool>(),
        ) {
            let print = |value: &Value| if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }.unwrap();
            let mut members: Map<String, Value> = others.clone().into_iter().collect();
            if let Some(kept) = kept {
                members.insert("permissions".to_owned(), serde_json::json!({"deny": kept, "x": 1}));
            }
            let before = print(&Value::Object(members));
            let mut after = before.clone();
            for rule in &rules {
                if let Edited::Text(edited) = append(&after, RuleEffect::Allow, rule).unwrap() {
                    after = edited;
                }
            }
            for (key, value) in &others {
                let member = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
                let member = print(&member);
                let member = member[1..member.len() - 1].trim();
                prop_assert!(before.contains(member) && after.contains(member), "{member} of {before} in {after}");
            }
            let value: Value = serde_json::from_str(&after).unwrap();
            for rule in rules {
                prop_assert!(value["permissions"]["allow"].as_array().unwrap().contains(&Value::from(rule)));
            }
        }
    }
}
