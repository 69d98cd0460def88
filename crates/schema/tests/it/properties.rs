//! What holds for every schema and every input.

use pegboard_schema::SchemaValidator;
use pegboard_tool_core::ToolDefinition;
use pegboard_tool_core::ports::InputValidator;
use proptest::prelude::*;
use serde_json::{Value, json};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-c~/\u{0}\n#$ä]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-c~/]{1,2}", inner), 0..5)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        prop::sample::select(vec!["string", "integer", "null", "array", "object", "nonsense"])
            .prop_map(|name| json!({"type": name})),
        any_value().prop_map(|value| json!({"const": value})),
        prop::collection::vec(any_value(), 0..3).prop_map(|values| json!({"enum": values})),
        "[a-c(|)*+\\\\?]{0,6}".prop_map(|pattern| json!({"pattern": pattern})),
        prop::sample::select(vec!["#", "#/properties/a", "#/$defs/x", "#/nowhere", "other.json"])
            .prop_map(|target| json!({"$ref": target})),
        any::<i8>()
            .prop_map(|limit| json!({"minimum": limit, "minLength": 2, "maxItems": 1, "maxProperties": 1})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let many = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(("[a-c]", inner.clone()), 0..4).prop_map(|fields| {
                let fields: Value = fields.into_iter().collect();
                json!({"type": "object", "properties": fields, "required": ["a", "bb"], "additionalProperties": false})
            }),
            inner.clone().prop_map(|items| json!({"items": items, "uniqueItems": true})),
            (prop::sample::select(vec!["anyOf", "oneOf", "allOf", "prefixItems"]), many)
                .prop_map(|(keyword, forms)| json!({keyword: forms})),
            (prop::sample::select(vec!["not", "if", "contains", "propertyNames", "unevaluatedProperties", "additionalProperties"]), inner)
                .prop_map(|(keyword, inner)| json!({keyword: inner, "then": false})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn checking_never_panics_and_a_refusal_says_why(schema in any_schema(), input in any_value()) {
        let root = json!({"type": "object", "properties": {"a": schema.clone(), "b": {"$ref": "#/properties/a"}}, "$defs": {"x": schema}});
        let definition = ToolDefinition::new("Try", "Tries.", root).unwrap();
        if let Ok(prepared) = SchemaValidator::new().prepare(&definition) {
            for input in [json!({"a": input, "b": input}), input] {
                let (first, second) = (prepared.check(&input), prepared.check(&input));
                prop_assert_eq!(&first, &second);
                if let Err(fault) = first {
                    let broken = fault.text.contains("is broken");
                    prop_assert!(broken || !fault.violations.is_empty(), "{}", fault.text);
                    prop_assert!(fault.text.len() < 20_000);
                }
            }
        }
    }

    #[test]
    fn what_the_engine_accepts_is_accepted(input in any_value()) {
        let definition = ToolDefinition::new("Try", "Tries.", json!({"type": "object"})).unwrap();
        let prepared = SchemaValidator::new().prepare(&definition).unwrap();
        prop_assert_eq!(prepared.check(&input).is_ok(), input.is_object());
    }
}

#[test]
fn deep_inputs_are_refused_before_the_engine_sees_them() {
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    let definition = ToolDefinition::new("Try", "Tries.", schema).unwrap();
    let prepared = SchemaValidator::new().prepare(&definition).unwrap();
    let deep = |levels: usize| {
        // `json!` would copy what it is given, by recursion.
        let level = |inner, _| Value::Object([("a".to_owned(), inner)].into_iter().collect());
        (0..levels).fold(json!({}), level)
    };
    assert!(prepared.check(&deep(100)).is_ok());
    let hostile = deep(50_000);
    assert!(prepared.check(&hostile).unwrap_err().text.contains("128 levels"));
    // Dropping it would overflow the stack.
    std::mem::forget(hostile);
}
