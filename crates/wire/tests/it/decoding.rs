//! What a model wrote, and what is said about what it did not write.

use pegboard_tool_core::RawInput;
use pegboard_tool_core::ports::{StopReason, TurnEvent};
use pegboard_wire::{MAX_CALLS, WireError, WireForm, decode};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::error::Error;

fn error(text: &str) -> String {
    let error = decode(text.as_bytes(), None).unwrap_err();
    let cause = error.source().map(|cause| format!(" ({cause})")).unwrap_or_default();
    format!("{error}{cause}")
}

#[test]
fn a_message_a_response_and_bare_blocks_give_the_same_calls() {
    let blocks = json!([
        {"type": "thinking", "thinking": "a \u{e9} \u{0}", "signature": "s=="},
        {"type": "text", "text": "x"},
        {"type": "tool_use", "id": "b", "name": "B", "input": {"z": 1, "a": [2]}, "caller": {"type": "direct"}},
        {"type": "from_the_future", "n": {"deep": 1}},
        {"type": "tool_use", "id": "a", "name": "A", "input": {}},
    ]);
    let message = json!({"role": "assistant", "content": blocks});
    let response = json!({"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": blocks,
        "stop_reason": "tool_use", "usage": {"input_tokens": 1}});
    for given in [&blocks, &message, &response] {
        let turn = decode(given.to_string().as_bytes(), None).unwrap();
        let ids: Vec<&str> = turn.calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["b", "a"]);
        assert_eq!(turn.calls[0].extra.get("caller"), Some(&json!({"type": "direct"})));
        assert_eq!(turn.stop(), StopReason::ToolUse);
        assert_eq!(turn.raw.to_string(), given.to_string(), "everything is kept");
    }
}

#[test]
fn c_w_11_thinking_is_kept_byte_for_byte() {
    let text = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"  Ünï\n\\\"x\" ","signature":"EqQB+/=="},{"type":"redacted_thinking","data":"x"},{"type":"tool_use","id":"a","name":"A","input":{"b":1,"a":2}}]}"#;
    assert_eq!(decode(text.as_bytes(), None).unwrap().raw.to_string(), text);
}

#[test]
fn odd_calls_are_calls() {
    let text = json!([
        {"type": "tool_use", "id": "", "name": "no such\u{0}name", "input": "text"},
        {"type": "tool_use", "id": "b", "name": "", "input": null},
        {"type": "tool_use", "id": "c", "name": "C"},
    ]);
    let turn = decode(text.to_string().as_bytes(), WireForm::Anthropic).unwrap();
    let inputs: Vec<Value> = turn
        .calls
        .iter()
        .map(|call| match &call.input {
            RawInput::Json(input) => (**input).clone(),
            RawInput::Unreadable(text) => panic!("{text}"),
        })
        .collect();
    assert_eq!(inputs, [json!("text"), json!(null), json!({})]);
}

#[test]
fn another_stop_reason_is_kept_and_ends_the_events() {
    let text = json!({"type": "message", "role": "assistant", "stop_reason": "max_tokens",
        "content": [{"type": "tool_use", "id": "a", "name": "A", "input": {}}]});
    let turn = decode(text.to_string().as_bytes(), None).unwrap();
    assert_eq!(turn.stop_reason.as_deref(), Some("max_tokens"));
    let events = turn.events();
    assert!(matches!(&events[0], TurnEvent::CallReady(call) if &*call.id == "a"));
    assert!(matches!(&events[1], TurnEvent::Ended(StopReason::Other(reason)) if reason == "max_tokens"));
}

#[test]
fn what_is_no_message_is_refused_in_one_line_that_says_what_to_do() {
    let with =
        |block: &str| error(&format!(r#"{{"role":"assistant","content":[{{"type":"text"}},{block}]}}"#));
    let said = [
        error(""),
        error("\u{feff} \n"),
        error("hello \u{1b}[31m world, this is a text and no JSON"),
        error("{\"role\": \"assistant\",\n \"content\": ["),
        error("[] []"),
        error(&"[".repeat(1000)),
        error("[]"),
        error("7"),
        error(r#"{"messages": [], "model": "m", "a": 1, "b": 2, "c": 3, "d": 4}"#),
        error(r#"{"role":"user","content":[]}"#),
        error(r#"{"role":"assistant","content":5}"#),
        error(r#"{"type":"message","role":"assistant"}"#),
        error(r#"{"type":"message"}"#),
        error(r#"{"role":"assistant","content":[],"stop_reason":7}"#),
        error(r#"{"role":"assistant","content":"just text"}"#),
        error(
            r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"w","input":{}}]}"#,
        ),
        error(r#"{"type":"tool_use","id":"a","name":"A","input":{}}"#),
        error(r#"{"role":"assistant","content":[{"role":"user","content":"x"}]}"#),
        error(r#"[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]"#),
        error(r#"[{"id":"a","name":"A","input":{}}]"#),
        error(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded\u001b"}}"#),
        with("3"),
        with("{}"),
        with(r#"{"type":"tool_use","name":"A","input":{}}"#),
        with(r#"{"type":"tool_use","id":5,"name":"A","input":{}}"#),
        with(r#"{"type":"tool_use","id":"a","name":["A"],"input":{}}"#),
        with(
            r#"{"type":"tool_use","id":"a\u001b","name":"A"},{"type":"tool_use","id":"a\u001b","name":"B"}"#,
        ),
        error(r#"{"role":"assistant","content":null,"tool_calls":[]}"#),
        error(r#"{"object":"response","output":[]}"#),
        error(r#"{"candidates":[]}"#),
    ];
    assert!(said.iter().all(|line| !line.chars().any(char::is_control)), "{said:?}");
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_form_that_is_named_is_not_guessed() {
    let call = br#"[{"type":"tool_use","id":"a","name":"A","input":{}}]"#;
    let refused = decode(call, WireForm::Gemini).unwrap_err();
    assert!(matches!(refused, WireError::NoCalls { form: WireForm::Gemini }));
    assert_eq!(WireForm::guess(call).unwrap(), WireForm::Anthropic);
}

#[test]
fn the_number_of_calls_is_bounded() {
    let call = |id: usize| json!({"type": "tool_use", "id": id.to_string(), "name": "A", "input": {}});
    let most: Value = (0..MAX_CALLS).map(call).collect();
    assert_eq!(decode(most.to_string().as_bytes(), None).unwrap().calls.len(), MAX_CALLS);
    let more: Value = (0..=MAX_CALLS).map(call).collect();
    let refused = decode(more.to_string().as_bytes(), None).unwrap_err();
    assert!(matches!(refused, WireError::TooManyCalls { found } if found == MAX_CALLS + 1));
}

pub(crate) fn json_value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("role"),
        Just("assistant"),
        Just("content"),
        Just("type"),
        Just("tool_use"),
        Just("id"),
        Just("name"),
        Just("input"),
        Just("stop_reason"),
        Just("message"),
        Just("tool_calls"),
        Just("function"),
        Just("arguments"),
        Just("choices"),
        Just("output"),
        Just("function_call"),
        Just("call_id"),
        Just("status"),
        Just("candidates"),
        Just("content"),
        Just("parts"),
        Just("functionCall"),
        Just("args"),
        Just("x"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_a_message_or_one_line_of_error(value in json_value()) {
        for form in WireForm::ALL.map(Some).into_iter().chain([None]) {
            match decode(value.to_string().as_bytes(), form) {
                Ok(turn) => {
                    prop_assert!(!turn.calls.is_empty());
                    prop_assert_eq!(&turn.raw, &value);
                }
                Err(error) => prop_assert!(!error.to_string().chars().any(char::is_control)),
            }
        }
    }

    #[test]
    fn any_bytes_are_a_message_or_one_line_of_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = decode(&bytes, None) {
            prop_assert!(!error.to_string().chars().any(char::is_control));
        }
    }
}
