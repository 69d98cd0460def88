//! What tools look like in each form, and the way back.

use pegboard_tool_core::ports::TurnEvent;
use pegboard_tool_core::{RawInput, ToolDefinition, ToolUse};
use pegboard_wire::{
    CacheTtl, DeferredTools, DefinitionOptions, Definitions, Examples, Strictness, WireForm, definitions,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tool(name: &str, schema: Value) -> ToolDefinition {
    ToolDefinition::new(name, format!("Does {}.", &name[..1]), schema).unwrap()
}

fn plain() -> ToolDefinition {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false});
    let mut plain = tool("Read", schema);
    plain.examples = vec![json!({"path": "a"})];
    plain
}

/// A schema with what servers write into theirs.
fn rich() -> ToolDefinition {
    tool(
        &format!("mcp__server__{}", "long_name_".repeat(8)),
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "city": {"$ref": "#/$defs/City", "description": "Which city."},
                "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
                "days": {"type": "integer", "minimum": 1, "exclusiveMaximum": 15, "format": "int32"},
                "when": {"type": ["string", "null"], "format": "date-time"},
                "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": true},
                "mode": {"const": "fast"},
                "where": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"lat": {"type": "number"}, "name": {"type": "string"}}, "required": ["lat"]}]},
                "level": {"enum": [1, 2]},
                "base": {"allOf": [{"$ref": "#/$defs/City"}]},
            },
            "required": ["city"],
            "$defs": {"City": {"type": "object", "title": "City", "properties": {"name": {"type": "string"}, "zip": {"type": "string", "pattern": "^[0-9]+$"}}, "required": ["name"]}},
        }),
    )
}

fn written(tools: &[&ToolDefinition], form: WireForm, options: &DefinitionOptions) -> String {
    let written = definitions(tools, form, options);
    let notes: Vec<String> = written.notes.iter().map(ToString::to_string).collect();
    format!("{:#}\n{}", written.tools, notes.join("\n"))
}

#[test]
fn anthropic_has_the_schema_as_it_is_and_marks() {
    let mut deferred = tool("Rare", json!({"type": "object"}));
    deferred.deferred = true;
    let options = DefinitionOptions::new().with_deferred(DeferredTools::Marked).with_cache(CacheTtl::OneHour);
    insta::assert_snapshot!(
        definitions(&[&plain(), &deferred], WireForm::Anthropic, &options).tools.to_string(),
        @r#"[{"name":"Read","description":"Does R.","input_examples":[{"path":"a"}],"input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false},"cache_control":{"type":"ephemeral","ttl":"1h"}},{"name":"Rare","description":"Does R.","input_schema":{"type":"object"},"defer_loading":true}]"#
    );
    // Not all may be deferred.
    let only = definitions(&[&deferred], WireForm::Anthropic, &options);
    assert_eq!(only.tools[0].get("defer_loading"), None);
    assert_eq!(only.notes[0].to_string(), "the tool `Rare` is offered at once, not deferred");
    let bare = DefinitionOptions::new().with_examples(Examples::LeftOut);
    let written = definitions(&[&plain(), &deferred], WireForm::Anthropic, &bare).tools.to_string();
    assert!(!["defer_loading", "cache_control", "input_examples"].iter().any(|mark| written.contains(mark)));
}

#[test]
fn anthropic_is_strict_where_it_can_be_and_within_its_bounds() {
    let options =
        DefinitionOptions::new().with_strict(Strictness::WherePossible).with_examples(Examples::LeftOut);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}, "s": {"type": "string"}}, "required": ["n"]});
    let bounded = tool("T", schema.clone());
    insta::assert_snapshot!(
        definitions(&[&bounded], WireForm::Anthropic, &options).tools.to_string(),
        @r#"[{"name":"T","description":"Does T.","input_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"s":{"type":"string"}},"additionalProperties":false},"strict":true}]"#
    );
    let many: Vec<ToolDefinition> = (0..30).map(|n| tool(&format!("T{n}"), schema.clone())).collect();
    let many: Vec<&ToolDefinition> = many.iter().collect();
    let written = definitions(&many, WireForm::Anthropic, &options);
    let strict = written.tools.as_array().unwrap().iter().filter(|tool| tool["strict"] == true).count();
    assert_eq!((strict, written.notes.len()), (20, 10));
    // What may be absent needs no null here.
    assert_eq!(restored(&written, "T0", json!({"n": 1, "s": null})).1, json!({"n": 1, "s": null}));
}

#[test]
fn chat_is_strict_where_it_can_be() {
    let open = tool(
        "Open",
        json!({"type": "object", "properties": {"env": {"type": "object", "additionalProperties": {"type": "string"}}}}),
    );
    let options = DefinitionOptions::new().with_strict(Strictness::WherePossible);
    insta::assert_snapshot!(written(&[&plain(), &rich(), &open], WireForm::OpenAiChat, &options));
}

#[test]
fn responses_always_say_whether_they_are_strict() {
    let choice = tool("Choice", json!({"type": "object", "properties": {}, "anyOf": [{"required": ["a"]}]}));
    insta::assert_snapshot!(written(
        &[&plain(), &choice],
        WireForm::OpenAiResponses,
        &DefinitionOptions::new()
    ));
}

#[test]
fn gemini_has_its_subset_without_references() {
    let none = tool("None", json!({"type": "object", "properties": {}}));
    let endless = tool("Tree", json!({"type": "object", "properties": {"child": {"$ref": "#"}}}));
    let mut deferred =
        tool("Far", json!({"type": "object", "properties": {"x": {"type": "string", "$ref": "other.json"}}}));
    deferred.deferred = true;
    let options = DefinitionOptions::new().with_deferred(DeferredTools::Marked);
    insta::assert_snapshot!(written(&[&rich(), &none, &endless, &deferred], WireForm::Gemini, &options));
}

#[test]
fn what_cannot_be_strict_says_why() {
    let field = |schema: Value| json!({"type": "object", "properties": {"f": schema}, "required": ["f"]});
    let mut deep = json!({"type": "string"});
    for _ in 0..12 {
        deep = json!({"type": "array", "items": deep});
    }
    let schemas = [
        field(json!({})),
        field(json!(true)),
        field(json!({"type": "object"})),
        field(json!({"type": "object", "patternProperties": {"^x": {}}, "properties": {}})),
        field(json!({"type": "array"})),
        field(json!({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "string"}})),
        field(json!({"allOf": [{"type": "string"}, {"minLength": 1}]})),
        field(json!({"$ref": "#/$defs/None"})),
        field(json!({"$ref": "#"})),
        field(deep),
        field(json!({"enum": (0..1_001).collect::<Vec<_>>()})),
        field(json!({"anyOf": [
            {"type": "object", "properties": {"x": {"type": "string"}}},
            {"type": "object", "properties": {"x": {"type": ["string", "null"]}}},
        ]})),
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "oneOf": [{"required": ["a"]}]}),
    ];
    let options = DefinitionOptions::new().with_strict(Strictness::WherePossible);
    let reasons: Vec<String> = schemas
        .into_iter()
        .map(|schema| {
            let written = definitions(&[&tool("T", schema)], WireForm::OpenAiChat, &options);
            assert_eq!(written.tools[0]["function"].get("strict"), None);
            written.notes[0].to_string()
        })
        .collect();
    insta::assert_snapshot!(reasons.join("\n"));
}

fn restored(definitions: &Definitions, name: &str, input: Value) -> (String, Value) {
    let call = definitions.restore(ToolUse::new("a", name, input));
    match call.input {
        RawInput::Json(input) => (call.name.to_string(), (*input).clone()),
        RawInput::Unreadable(text) => panic!("{text}"),
    }
}

#[test]
fn calls_come_back_under_their_names_and_without_nulls_that_mean_nothing() {
    let rich = rich();
    let options = DefinitionOptions::new().with_strict(Strictness::WherePossible);
    let written = definitions(&[&rich, &plain()], WireForm::OpenAiResponses, &options);
    let sent = written.tools[0]["name"].as_str().unwrap();
    assert!(sent.len() <= 64 && sent != rich.name.as_str());
    let given = json!({"city": {"name": "x", "zip": null}, "unit": null, "days": null, "when": null, "tags": null,
        "mode": null, "where": {"lat": 1, "name": null}, "level": 1, "base": null});
    let (name, input) = restored(&written, sent, given);
    assert_eq!(name, rich.name.as_str());
    assert_eq!(input, json!({"city": {"name": "x"}, "when": null, "where": {"lat": 1}, "level": 1}));
    // Another tool's nulls are its own.
    assert_eq!(restored(&written, "Read", json!({"path": null})).1, json!({"path": null}));
    let event = TurnEvent::CallStarted { id: "a".into(), name: sent.into() };
    let TurnEvent::CallStarted { name, .. } = written.restore_event(event) else { panic!("another event") };
    assert_eq!(&*name, rich.name.as_str());
}

#[test]
fn c_w_18_equal_definitions_give_equal_bytes() {
    let more = tool("Zed", json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    for form in WireForm::ALL {
        let options = DefinitionOptions::new().with_strict(Strictness::WherePossible);
        let one = definitions(&[&plain(), &rich()], form, &options).tools.to_string();
        assert_eq!(one, definitions(&[&plain(), &rich()], form, &options).tools.to_string());
        let two = definitions(&[&plain(), &rich(), &more], form, &options).tools.to_string();
        let end = if form == WireForm::Gemini { "]}]" } else { "]" };
        assert!(two.starts_with(one.strip_suffix(end).unwrap()), "{form}: what was there stays");
    }
}

/// Schemas as strange as servers write them.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": ["integer", "null"], "minimum": 0})),
        Just(json!({"enum": ["a", null]})),
        Just(json!({"const": 7})),
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"$ref": "#/$defs/D"})),
        Just(json!({"$ref": "#"})),
        Just(json!({"type": "object"})),
        Just(json!({"type": 5, "enum": 7, "required": "x", "properties": [], "items": null})),
    ];
    leaf.prop_recursive(4, 30, 3, |inner| {
        prop_oneof![
            (prop::collection::vec(("[a-c]", inner.clone()), 0..3), prop::collection::vec("[a-c]", 0..3))
                .prop_map(|(fields, required)| {
                    let fields: serde_json::Map<String, Value> = fields.into_iter().collect();
                    json!({"type": "object", "properties": fields, "required": required})
                }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            (prop::collection::vec(inner, 0..3), prop_oneof![Just("anyOf"), Just("oneOf"), Just("allOf")])
                .prop_map(|(parts, keyword)| json!({keyword: parts})),
        ]
    })
}

/// Whether every object of a strict schema is closed and lists its fields as required.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let closed = fields.get("properties").and_then(Value::as_object).is_none_or(|properties| {
                let names: Vec<&String> = properties.keys().collect();
                fields.get("type").is_none_or(|kind| !kind.is_string() && !kind.is_array())
                    || fields["additionalProperties"] == json!(false) && fields["required"] == json!(names)
            });
            closed && !fields.contains_key("$ref") && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

proptest! {
    #[test]
    fn any_schema_is_written_in_any_form(field in schema(), definition in schema(), input in crate::decoding::json_value()) {
        let root = json!({"type": "object", "properties": {"f": field}, "$defs": {"D": definition}});
        let tool = tool("T", root);
        for form in WireForm::ALL {
            for strict in [Strictness::Off, Strictness::WherePossible] {
                let options = DefinitionOptions::new().with_strict(strict);
                let written = definitions(&[&tool], form, &options);
                let function = &written.tools[0];
                if form == WireForm::OpenAiResponses && function["strict"] == true {
                    prop_assert!(is_strict(&function["parameters"]), "{}", function);
                }
                if form == WireForm::Gemini {
                    let text = function["functionDeclarations"][0]["parameters"].to_string();
                    prop_assert!(!text.contains("$ref") && !text.contains("oneOf") && !text.contains("allOf"));
                }
                let restored = written.restore(ToolUse::new("a", "T", input.clone()));
                prop_assert_eq!(&*restored.name, "T");
            }
        }
    }
}
