//! What is accepted as a message, and what is said about the rest.

use pegboard_wire::{WireError, WireForm, anthropic, decode};
use proptest::prelude::*;
use serde_json::{Value, json};

fn calls(message: &Value) -> Result<Vec<String>, WireError> {
    let turn = anthropic::decode(message.to_string().as_bytes())?;
    assert_eq!(&turn.message, message);
    Ok(turn.calls.iter().map(|call| format!("{} {}", call.id, call.name)).collect())
}

#[test]
fn three_shapes_are_accepted_and_kept() {
    let use_a = json!({"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "x"}, "caller": {"type": "direct"}});
    let use_b = json!({"type": "tool_use", "id": "b", "name": "no such name!", "input": [1]});
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s=="});
    let server = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    let content = json!([thinking, server, use_a, {"type": "new_kind"}, use_b]);
    for message in [
        content.clone(),
        json!({"role": "assistant", "content": content}),
        json!({"id": "msg", "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": content}),
    ] {
        assert_eq!(calls(&message).unwrap(), ["a Read", "b no such name!"]);
    }
    let turn = anthropic::decode(content.to_string().as_bytes()).unwrap();
    assert_eq!(turn.calls[0].extra["caller"], json!({"type": "direct"}));
    let cut = json!({"stop_reason": "max_tokens", "content": [use_a]});
    assert_eq!(
        anthropic::decode(cut.to_string().as_bytes()).unwrap().stop_reason.as_deref(),
        Some("max_tokens")
    );
}

#[test]
fn a_call_without_input_has_an_empty_one() {
    let turn = anthropic::decode(br#"[{"type":"tool_use","id":"a","name":"X"}]"#).unwrap();
    assert_eq!(format!("{:?}", turn.calls[0].input), "Json(Object {})");
}

#[test]
fn every_refusal_says_what_to_do() {
    let texts: Vec<String> = [
        "",
        "{\"role\": \"assistant\",",
        "\"hello\"",
        "{}",
        r#"{"role":"user","content":[]}"#,
        r#"{"role":"assistant","content":"just text"}"#,
        r#"{"content":7}"#,
        r#"{"type":"tool_use","id":"a","name":"X","input":{}}"#,
        r#"[{"type":"tool_use","name":"X","input":{}}]"#,
        r#"[{"type":"tool_use","id":"a","name":7,"input":{}}]"#,
        r#"[{"type":"tool_use","id":"a","name":"X"},{"type":"tool_use","id":"a","name":"Y"}]"#,
        "[]",
    ]
    .iter()
    .map(|text| anthropic::decode(text.as_bytes()).unwrap_err().to_string())
    .collect();
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn other_forms_are_told_apart_and_not_misread() {
    for (form, message) in [
        (
            WireForm::OpenAiChat,
            r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        ),
        (WireForm::OpenAiChat, r#"{"choices":[]}"#),
        (
            WireForm::OpenAiResponses,
            r#"{"output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}"#,
        ),
        (WireForm::Gemini, r#"{"candidates":[]}"#),
        (WireForm::Gemini, r#"{"role":"model","parts":[]}"#),
        (WireForm::Anthropic, r#"{"role":"assistant","content":[]}"#),
    ] {
        assert_eq!(WireForm::guess(message.as_bytes()), Ok(form), "{message}");
        if form != WireForm::Anthropic {
            assert_eq!(decode(message.as_bytes(), form).unwrap_err(), WireError::UnsupportedForm { form });
        }
        assert_eq!(form.to_string().parse(), Ok(form));
    }
    assert!("grpc".parse::<WireForm>().is_err());
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let deep = "[".repeat(100_000);
    assert!(matches!(anthropic::decode(deep.as_bytes()), Err(WireError::NotJson { .. })));
}

proptest! {
    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = WireForm::guess(&bytes);
        let _ = anthropic::decode(&bytes);
    }
}
