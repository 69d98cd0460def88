//! What the model reads next.

use pegboard_tool_core::{ResultContent, ToolResult};
use pegboard_wire::{IncomingTurn, ResultMessage, decode, encode_results};
use proptest::prelude::*;
use serde_json::{Value, json};

fn turn(blocks: &Value) -> IncomingTurn {
    decode(blocks.to_string().as_bytes(), None).unwrap()
}

fn calls(ids: &[&str]) -> IncomingTurn {
    turn(&ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "T", "input": {}})).collect())
}

/// Kind and id of every block.
fn blocks(answer: &ResultMessage) -> Vec<String> {
    let blocks = answer.message["content"].as_array().unwrap();
    let shown = blocks.iter().map(|block| {
        let error = if block["is_error"] == true { "!" } else { "" };
        match block["type"].as_str().unwrap() {
            "text" => format!("text {}", block["text"].as_str().unwrap()),
            kind => format!("{kind} {}{error}", block["tool_use_id"].as_str().unwrap()),
        }
    });
    shown.collect()
}

#[test]
fn c_w_01_results_are_in_call_order_whatever_finished_first() {
    let answer =
        encode_results(&calls(&["a", "b"]), &[ToolResult::text("b", "2"), ToolResult::text("a", "1")], &[]);
    assert_eq!(blocks(&answer), ["tool_result a", "tool_result b"]);
    assert_eq!(answer.message["role"], "user");
}

#[test]
fn c_w_02_and_03_refused_and_unknown_calls_have_error_results() {
    let answer = encode_results(
        &calls(&["a", "b"]),
        &[ToolResult::text("a", "1"), ToolResult::error("b", "denied")],
        &[],
    );
    assert_eq!(blocks(&answer), ["tool_result a", "tool_result b!"]);
}

#[test]
fn c_w_04_texts_come_after_the_last_result() {
    let texts = ["stop".to_owned(), " \n".to_owned(), "really".to_owned()];
    let answer = encode_results(&calls(&["a"]), &[ToolResult::text("a", "1")], &texts);
    assert_eq!(blocks(&answer), ["tool_result a", "text stop", "text really"]);
}

#[test]
fn c_w_12_server_tools_are_not_answered_and_keep_texts_out_while_open() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "T", "input": {}});
    let server = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    let done = json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []});
    let results = [ToolResult::text("toolu_1", "1")];
    let texts = ["later".to_owned()];

    let open = encode_results(&turn(&json!([server, call])), &results, &texts);
    assert_eq!(blocks(&open), ["tool_result toolu_1"]);
    assert_eq!(open.held_back, texts);

    let closed = encode_results(&turn(&json!([server, done, call])), &results, &texts);
    assert_eq!(blocks(&closed), ["tool_result toolu_1", "text later"]);
    assert!(closed.held_back.is_empty());
}

#[test]
fn c_w_15_of_two_results_the_first_is_sent_and_the_second_named() {
    let results = [ToolResult::text("a", "1"), ToolResult::text("a", "2"), ToolResult::text("other", "3")];
    let answer = encode_results(&calls(&["a", "b"]), &results, &[]);
    assert_eq!(blocks(&answer), ["tool_result a", "tool_result b!"]);
    assert_eq!(answer.message["content"][0]["content"], "1");
    assert_eq!(answer.dropped.iter().map(|id| &**id).collect::<Vec<_>>(), ["a", "other"]);
    assert_eq!(answer.missing.iter().map(|id| &**id).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn every_kind_of_content_has_its_block() {
    let asked = turn(&json!([
        {"type": "tool_use", "id": "a", "name": "T", "input": {}, "toolset_name": "set"},
        {"type": "tool_use", "id": "b", "name": "T", "input": {}},
        {"type": "tool_use", "id": "c", "name": "T", "input": {}},
        {"type": "tool_use", "id": "d", "name": "T", "input": {}},
        {"type": "tool_use", "id": "e", "name": "T", "input": {}},
    ]));
    let image = || ResultContent::Image { media_type: "image/png".to_owned(), data: "AAAA".into() };
    let reference = || ResultContent::Other(json!({"type": "tool_reference", "tool_name": "Read"}));
    let mut mixed = ToolResult::new("b", vec![ResultContent::Text("x".to_owned()), image(), reference()]);
    let good = mixed.clone();
    mixed.tool_use_id = "c".into();
    mixed.is_error = true;
    let results = [
        ToolResult::text("a", "one \u{0} text"),
        good,
        mixed,
        ToolResult::new("d", Vec::new()),
        ToolResult::error("e", ""),
    ];
    let answer = encode_results(&asked, &results, &[]);
    insta::assert_snapshot!(format!("{:#}", answer.message));
}

proptest! {
    #[test]
    fn every_call_has_one_result_in_order_whatever_results_come(
        asked in prop::collection::hash_set("[a-f]", 1..6),
        given in prop::collection::vec(("[a-h]", any::<bool>()), 0..10),
    ) {
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let results: Vec<ToolResult> = given
            .iter()
            .map(|(id, error)| if *error { ToolResult::error(id.as_str(), "e") } else { ToolResult::text(id.as_str(), "t") })
            .collect();
        let answer = encode_results(&calls(&asked), &results, &[]);
        let content = answer.message["content"].as_array().unwrap();
        let ids: Vec<&str> = content.iter().map(|block| block["tool_use_id"].as_str().unwrap()).collect();
        prop_assert_eq!(&ids, &asked);
        prop_assert_eq!(results.len() + answer.missing.len(), asked.len() + answer.dropped.len());
    }
}
