//! Whole messages of the other forms, and their answers.

use pegboard_tool_core::ports::StopReason;
use pegboard_tool_core::{RawInput, ResultContent, ToolResult};
use pegboard_wire::{IncomingTurn, WireError, WireForm, decode, encode_results};
use serde_json::{Value, json};

fn turn(message: &Value) -> IncomingTurn {
    decode(message.to_string().as_bytes(), None).unwrap()
}

fn inputs(turn: &IncomingTurn) -> Vec<String> {
    let shown = turn.calls.iter().map(|call| match &call.input {
        RawInput::Json(input) => format!("{} {} {input}", call.id, call.name),
        RawInput::Unreadable(text) => format!("{} {} unreadable {text}", call.id, call.name),
    });
    shown.collect()
}

fn chat_call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn chat() -> Value {
    json!({"role": "assistant", "content": null, "refusal": null, "tool_calls": [
        chat_call("call_1", "Read", r#"{"path": "a"}"#),
        chat_call("call_2", "Bash", "{a:1}"),
        chat_call("call_3", "Todo", ""),
        {"id": "call_4", "type": "custom", "custom": {"name": "patch", "input": "*** raw"}},
    ]})
}

fn responses() -> Value {
    json!([
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "id": "fc_1", "call_id": "call_9", "name": "Read", "arguments": "{\"path\":\"a\"}", "status": "completed"},
        {"type": "from_the_future", "x": 1},
        {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_10", "name": "patch", "input": "*** raw"},
    ])
}

fn gemini() -> Value {
    json!({"role": "model", "parts": [
        {"text": "hm", "thought": true},
        {"functionCall": {"name": "f", "args": {"n": 1}}, "thoughtSignature": "S"},
        {"functionCall": {"name": "f", "args": {"n": 1}}},
        {"functionCall": {"id": "g1", "name": "g"}},
    ]})
}

#[test]
fn every_form_has_its_calls() {
    let chat = turn(&chat());
    assert_eq!(
        inputs(&chat),
        [
            r#"call_1 Read {"path":"a"}"#,
            "call_2 Bash unreadable {a:1}",
            "call_3 Todo {}",
            r#"call_4 patch "*** raw""#
        ]
    );
    assert_eq!(inputs(&turn(&responses())), [r#"call_9 Read {"path":"a"}"#, r#"call_10 patch "*** raw""#]);
    let gemini = turn(&gemini());
    assert_eq!(gemini.calls.len(), 3);
    assert_eq!(gemini.calls[0].extra.get("thoughtSignature"), Some(&json!("S")));
    assert!(gemini.calls[1].extra.is_empty());
    assert_ne!(gemini.calls[0].id, gemini.calls[1].id, "equal calls have ids of their own");
    assert_eq!(&*gemini.calls[2].id, "g1");
}

#[test]
fn ids_that_are_made_up_are_the_same_for_the_same_response_only() {
    let ids = |message: &Value| -> Vec<String> {
        turn(message).calls.iter().map(|call| call.id.to_string()).collect()
    };
    let content = gemini();
    let response =
        |id: &str| json!({"candidates": [{"content": content, "finishReason": "STOP"}], "responseId": id});
    assert_eq!(ids(&response("r1")), ids(&response("r1")));
    assert_ne!(ids(&response("r1"))[..2], ids(&response("r2"))[..2]);
    assert_eq!(ids(&content), ids(&json!(content["parts"])));
}

#[test]
fn responses_and_their_parts_give_the_same_message() {
    let chat_response = json!({"id": "c", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "message": chat(), "finish_reason": "tool_calls"}]});
    let response = json!({"id": "r", "object": "response", "status": "completed", "output": responses(), "error": null, "model": "m"});
    let candidates =
        json!({"candidates": [{"content": gemini(), "finishReason": "STOP"}], "modelVersion": "gemini-3"});
    for (whole, part) in [(chat_response, chat()), (response, responses()), (candidates, gemini())] {
        let (whole, part) = (turn(&whole), turn(&part));
        assert_eq!(whole.message(), part.message());
        assert_eq!(whole.message().to_string(), part.raw.to_string(), "unchanged");
        assert_eq!(whole.stop(), StopReason::ToolUse);
        assert!(whole.model.is_some() && part.model.is_none());
    }
    assert_eq!(turn(&json!([chat_call("a", "T", "{}")])).message()["tool_calls"][0]["id"], "a");
    assert_eq!(turn(&json!([{"functionCall": {"name": "f"}}])).message()["role"], "model");
}

#[test]
fn the_bytes_of_a_message_are_kept() {
    let text = "\u{feff}[ {\"functionCall\" : {\"name\":\"f\",\"args\":{\"n\":1.50e2}}} ]\n";
    let turn = decode(text.as_bytes(), None).unwrap();
    assert_eq!(&*turn.bytes, text.trim_start_matches('\u{feff}').as_bytes());
}

#[test]
fn c_w_26_33_what_was_cut_is_not_run() {
    let chat = |reason: Value| json!({"choices": [{"message": chat(), "finish_reason": reason}]});
    let responses = |status: &str, details: Value| json!({"object": "response", "status": status, "output": responses(), "incomplete_details": details});
    let gemini = |reason: &str| json!({"candidates": [{"content": gemini(), "finishReason": reason}]});
    let stops = [
        (chat(json!("tool_calls")), None),
        (chat(json!("stop")), None),
        (chat(json!(null)), None),
        (chat(json!("length")), Some("length")),
        (chat(json!("content_filter")), Some("content_filter")),
        (responses("completed", json!(null)), None),
        (responses("incomplete", json!({"reason": "max_output_tokens"})), Some("max_output_tokens")),
        (responses("incomplete", json!(null)), Some("incomplete")),
        (responses("failed", json!(null)), Some("failed")),
        (
            json!([{"type": "function_call", "call_id": "a", "name": "T", "arguments": "{", "status": "incomplete"}]),
            Some("incomplete"),
        ),
        (gemini("STOP"), None),
        (gemini("MAX_TOKENS"), Some("MAX_TOKENS")),
        (gemini("MALFORMED_FUNCTION_CALL"), Some("MALFORMED_FUNCTION_CALL")),
    ];
    for (message, reason) in stops {
        let expected = reason.map_or(StopReason::ToolUse, |reason| StopReason::Other(reason.to_owned()));
        assert_eq!(turn(&message).stop(), expected, "{message}");
    }
}

#[test]
fn every_form_has_its_errors() {
    let error = |form: WireForm, message: Value| decode(message.to_string().as_bytes(), form).unwrap_err();
    let said = [
        error(WireForm::OpenAiChat, json!({"role": "user", "content": "x"})),
        error(WireForm::OpenAiChat, json!({"role": "assistant", "tool_calls": [{"type": "function"}]})),
        error(WireForm::OpenAiChat, json!({"role": "assistant", "tool_calls": [{"id": "a"}]})),
        error(WireForm::OpenAiChat, json!({"choices": [{"delta": {}}]})),
        error(WireForm::OpenAiChat, json!({"error": {"message": "Rate limit\u{1b}", "code": 429}})),
        error(WireForm::OpenAiChat, json!([chat_call("a", "T", "{}"), chat_call("a", "T", "{}")])),
        error(WireForm::OpenAiResponses, json!([{"type": "function_call", "id": "fc", "name": "T"}])),
        error(WireForm::OpenAiResponses, json!({"type": "function_call", "call_id": "a", "name": "T"})),
        error(
            WireForm::OpenAiResponses,
            json!({"status": "failed", "error": {"code": "server_error", "message": "oops"}}),
        ),
        error(WireForm::OpenAiResponses, json!({"a": 1})),
        error(WireForm::Gemini, json!({"role": "user", "parts": []})),
        error(
            WireForm::Gemini,
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"args": {}}}]}}]}),
        ),
        error(
            WireForm::Gemini,
            json!({"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}}),
        ),
        error(WireForm::Gemini, json!({"promptFeedback": {"blockReason": "SAFETY"}})),
        error(WireForm::Gemini, json!([{"text": "x"}])),
    ];
    assert!(matches!(said[5], WireError::DuplicateId { .. }));
    let said: Vec<String> = said.iter().map(ToString::to_string).collect();
    assert!(said.iter().all(|line| !line.chars().any(char::is_control)));
    insta::assert_snapshot!(said.join("\n"));
}

/// Results of every kind for the calls of a turn.
fn results(turn: &IncomingTurn) -> Vec<ToolResult> {
    let image =
        |media_type: &str| ResultContent::Image { media_type: media_type.to_owned(), data: "AAAA".into() };
    let pdf = json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}});
    let id = |index: usize| turn.calls.get(index).map_or("none", |call| &*call.id).to_owned();
    let text = |text: &str| ResultContent::Text(text.to_owned());
    let mut failed = ToolResult::new(id(1), vec![image("image/tiff"), text("no such file")]);
    failed.is_error = true;
    vec![
        // In another order than the calls, one missing, one twice, one that nobody asked for.
        failed,
        ToolResult::new(
            id(0),
            vec![text("a picture:"), image("image/png"), text(" "), ResultContent::Other(pdf)],
        ),
        ToolResult::text(id(0), "again"),
        ToolResult::text("other", "nobody asked"),
    ]
}

fn answered(message: &Value) -> String {
    let turn = turn(message);
    let texts = ["one".to_owned(), " ".to_owned(), "two".to_owned()];
    let answer = encode_results(&turn, &results(&turn), &texts);
    assert_eq!(answer.dropped.len(), 2);
    assert_eq!(answer.missing.len(), turn.calls.len() - 2);
    format!("{:#}", answer.message)
}

#[test]
fn c_w_16_24_25_chat_has_a_message_a_call_and_images_after_them() {
    insta::assert_snapshot!(answered(&chat()));
}

#[test]
fn c_w_27_responses_have_an_output_a_call_under_its_call_id() {
    insta::assert_snapshot!(answered(&responses()));
}

#[test]
fn c_w_30_32_gemini_has_a_response_a_call_in_order() {
    insta::assert_snapshot!(answered(&gemini()));
}

#[test]
fn calls_that_are_taken_out_change_nothing_for_the_others() {
    for (message, kept, expected) in [
        (chat(), "call_4", r#"[{"role":"tool","tool_call_id":"call_4","content":"x"}]"#),
        (responses(), "call_10", r#"[{"type":"custom_tool_call_output","call_id":"call_10","output":"x"}]"#),
        (
            gemini(),
            "g1",
            r#"{"role":"user","parts":[{"functionResponse":{"id":"g1","name":"g","response":{"output":"x"}}}]}"#,
        ),
    ] {
        let mut turn = turn(&message);
        turn.calls.retain(|call| &*call.id == kept);
        assert_eq!(encode_results(&turn, &[ToolResult::text(kept, "x")], &[]).to_string(), expected);
    }
}

#[test]
fn older_gemini_models_get_texts_only() {
    let content =
        json!({"role": "model", "parts": [{"functionCall": {"name": "f"}}, {"functionCall": {"name": "g"}}]});
    let response = json!({"candidates": [{"content": content}], "modelVersion": "gemini-2.5-flash"});
    let text = answered(&response);
    assert!(!text.contains("inlineData") && text.contains("[an image (image/png) is left out"), "{text}");
}

#[test]
fn c_w_17_empty_results_are_results() {
    for message in [chat(), responses(), gemini()] {
        let turn = turn(&message);
        let empty: Vec<ToolResult> =
            turn.calls.iter().map(|call| ToolResult::new(call.id.clone(), Vec::new())).collect();
        let mut failed = empty.clone();
        failed.iter_mut().for_each(|result| result.is_error = true);
        let text = encode_results(&turn, &empty, &[]).to_string();
        assert!(text.contains(r#":"""#) && !text.contains("failed"), "{text}");
        assert!(
            encode_results(&turn, &failed, &[]).to_string().contains("the call failed without a message")
        );
    }
}
