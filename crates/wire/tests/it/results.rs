//! The message that answers.

use pegboard_tool_core::{ResultContent, ToolDefinition, ToolResult, ToolUse};
use pegboard_wire::anthropic::{definition, encode_results};
use serde_json::json;

#[test]
fn results_come_first_in_order_and_texts_after() {
    let mut toolset = ToolUse::new("a", "X", json!({}));
    toolset.extra.insert("toolset_name".into(), json!("set"));
    let image = ResultContent::Image { media_type: "image/png".into(), data: "AAAA".into() };
    let results = [
        ToolResult::text("a", "one"),
        ToolResult::error("b", "no"),
        ToolResult::new("c", vec![]),
        ToolResult::new(
            "d",
            vec![ResultContent::Text("see".into()), image, ResultContent::Other(json!({"type": "new"}))],
        ),
        ToolResult::text("a", "a second result for one id is an error of ours"),
    ];
    let message = encode_results(&[toolset], &results, &["note".into(), String::new()]);
    insta::assert_json_snapshot!(message, @r#"
    {
      "role": "user",
      "content": [
        {
          "type": "tool_result",
          "tool_use_id": "a",
          "content": "one",
          "toolset_name": "set"
        },
        {
          "type": "tool_result",
          "tool_use_id": "b",
          "content": "no",
          "is_error": true
        },
        {
          "type": "tool_result",
          "tool_use_id": "c"
        },
        {
          "type": "tool_result",
          "tool_use_id": "d",
          "content": [
            {
              "type": "text",
              "text": "see"
            },
            {
              "type": "image",
              "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": "AAAA"
              }
            },
            {
              "type": "new"
            }
          ]
        },
        {
          "type": "text",
          "text": "note"
        }
      ]
    }
    "#);
}

#[test]
fn definitions_keep_their_order() {
    let mut tool = ToolDefinition::new("Add", "Adds.", json!({"type": "object", "properties": {}})).unwrap();
    tool.examples = vec![json!({})];
    let text = definition(&tool).to_string();
    let expected = r#"{"name":"Add","description":"Adds.","input_schema":{"type":"object","properties":{}},"input_examples":[{}]}"#;
    assert_eq!(text, expected);
}
