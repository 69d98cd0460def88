//! Streams that go wrong: what was complete stands, nothing after it becomes ready, the reason is said.

use crate::recorded::{feed, line};
use pegboard_wire::StreamDecoder;
use serde_json::{Value, json};

/// A decoder that has read `events` to their end, and what it gave.
fn read(events: &[Value]) -> (StreamDecoder, Vec<String>) {
    let lines: Vec<String> = events.iter().map(|event| format!("{event}\n")).collect();
    text(&lines.concat())
}

fn text(text: &str) -> (StreamDecoder, Vec<String>) {
    let mut decoder = StreamDecoder::new(None);
    let events = feed(&mut decoder, [text.as_bytes()].into_iter());
    (decoder, events.iter().map(line).collect())
}

pub(crate) fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}})
}

/// The events of one `tool_use` block.
pub(crate) fn block(index: u64, id: &str, pieces: &[&str]) -> Vec<Value> {
    let block = json!({"type": "tool_use", "id": id, "name": "T", "input": {}});
    let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": block})];
    events.extend(pieces.iter().map(|piece| {
        let delta = json!({"type": "input_json_delta", "partial_json": piece});
        json!({"type": "content_block_delta", "index": index, "delta": delta})
    }));
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}

pub(crate) fn end(reason: &str) -> Vec<Value> {
    vec![json!({"type": "message_delta", "delta": {"stop_reason": reason}}), json!({"type": "message_stop"})]
}

fn all(parts: &[Vec<Value>]) -> Vec<Value> {
    parts.concat()
}

#[test]
fn c_w_05_an_input_may_break_anywhere_and_is_ready_at_its_end() {
    let (_, lines) = read(&all(&[
        vec![start()],
        block(0, "a", &["", r#"{"a"#, r#"":"x\u00"#, r#"e9"}"#]),
        end("tool_use"),
    ]));
    assert_eq!(lines.last().unwrap(), "ended ToolUse");
    assert_eq!(lines[lines.len() - 2], r#"ready a T Json(Object {"a": String("xé")})"#);
}

#[test]
fn c_w_06_no_input_is_empty_once_the_message_goes_on() {
    let mut decoder = StreamDecoder::new(None);
    let push = |decoder: &mut StreamDecoder, event: &Value| -> Vec<String> {
        decoder.push(format!("{event}\n").as_bytes()).iter().map(line).collect()
    };
    push(&mut decoder, &start());
    for event in block(0, "a", &[""]) {
        assert!(!push(&mut decoder, &event).concat().contains("ready"), "it may have been cut");
    }
    let next = push(&mut decoder, &block(1, "b", &[])[0]);
    assert_eq!(next, ["ready a T Json(Object {})", "started b T"]);
    push(&mut decoder, &block(1, "b", &[])[1]);
    assert_eq!(push(&mut decoder, &end("tool_use")[0]), ["ready b T Json(Object {})"]);
}

#[test]
fn c_w_08_what_a_limit_may_have_cut_never_becomes_ready() {
    for pieces in [&[""][..], &[r#"{"a":"#], &[r#"{"a":1}"#, ","]] {
        let (decoder, lines) =
            read(&all(&[vec![start()], block(0, "a", &["{}"]), block(1, "b", pieces), end("max_tokens")]));
        let ready: Vec<&String> = lines.iter().filter(|line| line.starts_with("ready")).collect();
        assert_eq!(ready, ["ready a T Json(Object {})"], "{pieces:?}");
        assert_eq!(lines.last().unwrap(), r#"ended Other("max_tokens")"#);
        let message = decoder.message().unwrap();
        assert_eq!(
            message["content"].as_array().unwrap().len(),
            1,
            "a call without a result does not go back"
        );
    }
}

#[test]
fn c_w_09_an_input_that_is_no_json_is_ready_to_be_answered() {
    let (decoder, lines) = read(&all(&[vec![start()], block(0, "a", &[r#"{"a": "#]), end("tool_use")]));
    assert_eq!(lines[2], r#"ready a T Unreadable("{\"a\": ")"#);
    assert_eq!(decoder.message().unwrap()["content"][0]["input"], json!({}));
}

#[test]
fn c_w_10_what_is_not_known_passes() {
    let mut events = all(&[vec![start()], block(0, "a", &["{}"])]);
    events.insert(0, json!({"type": "ping"}));
    events.insert(0, json!({"type": "foo_bar", "index": "x", "delta": 7}));
    let delta = json!({"type": "from_the_future", "partial_json": 5});
    events.insert(4, json!({"type": "content_block_delta", "index": 0, "delta": delta}));
    events.insert(4, json!({"type": "foo_bar", "index": "x"}));
    events.extend(end("tool_use"));
    let (_, lines) = read(&events);
    assert_eq!(lines, ["started a T", r#"input a "{}""#, "ready a T Json(Object {})", "ended ToolUse"]);
}

#[test]
fn a_second_stop_and_what_follows_the_end_are_not_looked_at() {
    let mut events = all(&[vec![start()], block(0, "a", &[r#"{"a":1}"#])]);
    events.push(json!({"type": "content_block_stop", "index": 0}));
    events.push(json!({"type": "content_block_stop", "index": 9}));
    events.extend(end("tool_use"));
    events.extend(end("tool_use"));
    events.extend(all(&[vec![start()], block(0, "z", &["{}"])]));
    let (_, lines) = read(&events);
    assert_eq!(lines.last().unwrap(), "ended ToolUse");
    assert_eq!(lines.iter().filter(|line| line.starts_with("ready")).count(), 1);
}

#[test]
fn of_two_calls_with_one_id_the_first_stands() {
    let (decoder, lines) = read(&all(&[
        vec![start()],
        block(0, "a", &[r#"{"n":1}"#]),
        block(1, "a", &[r#"{"n":2}"#]),
        end("tool_use"),
    ]));
    assert_eq!(
        lines,
        [
            "started a T",
            r#"input a "{\"n\":1}""#,
            r#"ready a T Json(Object {"n": Number(1)})"#,
            "ended ToolUse"
        ]
    );
    assert_eq!(decoder.repeats().iter().map(|id| &**id).collect::<Vec<_>>(), ["a"]);
    assert_eq!(decoder.message().unwrap()["content"].as_array().unwrap().len(), 1);
}

#[test]
fn a_message_that_is_sent_again_gives_only_what_is_new() {
    let first =
        all(&[vec![start()], block(0, "a", &["{}", " "]), block(1, "b", &[r#"{"n""#, ":12"])[..2].to_vec()]);
    let again =
        all(&[vec![start()], block(0, "a", &["{}"]), block(1, "b", &[r#"{"n":1"#, "23}"]), end("tool_use")]);
    let (_, lines) = read(&[first, again].concat());
    assert_eq!(
        lines,
        [
            "started a T",
            r#"input a "{}""#,
            r#"input a " ""#,
            "ready a T Json(Object {})",
            "started b T",
            r#"input b "{\"n\"""#,
            r#"input b ":1""#,
            r#"input b "23}""#,
            r#"ready b T Json(Object {"n": Number(123)})"#,
            "ended ToolUse"
        ]
    );
}

#[test]
fn a_message_that_is_tried_again_begins_anew() {
    let attempt = |message: &str, id: &str| {
        all(&[
            vec![json!({"type": "message_start", "message": {"id": message}})],
            block(0, id, &[r#"{"n":1}"#]),
        ])
    };
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    // After an error of the API, with what may follow it, and where a message just breaks off.
    let late = block(1, "late", &["{}"]);
    for between in [vec![error.clone()], [vec![error.clone()], late, vec![error]].concat(), vec![]] {
        let (decoder, lines) =
            read(&[attempt("m1", "a"), between.clone(), attempt("m2", "b"), end("tool_use")].concat());
        let mut expected =
            vec!["started a T", r#"input a "{\"n\":1}""#, r#"ready a T Json(Object {"n": Number(1)})"#];
        if !between.is_empty() {
            expected.push("failed the API reported an error: overloaded_error: Overloaded");
        }
        expected.extend([
            "restarted",
            "started b T",
            r#"input b "{\"n\":1}""#,
            r#"ready b T Json(Object {"n": Number(1)})"#,
            "ended ToolUse",
        ]);
        assert_eq!(lines, expected);
        assert!(decoder.error().is_none());
        assert_eq!(decoder.turn().unwrap().calls.len(), 1);
    }
    let (_, lines) = read(
        &(0..200)
            .map(|n| json!({"type": "message_start", "message": {"id": n.to_string()}}))
            .collect::<Vec<_>>(),
    );
    assert_eq!(lines.last().unwrap(), "failed the stream is broken: the message began more than 100 times");
}

#[test]
fn a_message_without_calls_is_a_turn_once_it_ended_well() {
    let (decoder, _) = read(&all(&[vec![start()], end("end_turn")]));
    assert_eq!(decoder.turn().unwrap().calls.len(), 0);
    let (decoder, _) = read(&[start()]);
    assert!(decoder.turn().is_none());
}

#[test]
fn every_form_may_be_tried_again() {
    let chat = |id: &str| json!({"id": id, "choices": [{"delta": {"role": "assistant", "content": "x"}}]});
    let chat_end = json!({"id": "2", "choices": [{"delta": {}, "finish_reason": "stop"}]});
    let created = |id: &str| json!({"type": "response.created", "response": {"id": id}});
    let completed = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    let failed =
        json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}});
    let gemini =
        |id: &str| json!({"responseId": id, "candidates": [{"content": {"parts": [{"text": "x"}]}}]});
    let gemini_end = json!({"responseId": "2", "candidates": [{"finishReason": "STOP"}]});
    let error = json!({"error": {"code": 503, "message": "x"}});
    for (events, fails) in [
        (vec![chat("1"), chat("2"), chat_end.clone()], false),
        (vec![chat("1"), error.clone(), chat("2"), chat_end], true),
        (vec![created("1"), created("2"), completed.clone()], false),
        (vec![created("1"), failed, created("2"), completed], true),
        (vec![gemini("1"), gemini("2"), gemini_end.clone()], false),
        (vec![error, gemini("2"), gemini_end], true),
    ] {
        let (decoder, lines) = read(&events);
        assert!(decoder.error().is_none(), "{lines:?}");
        assert!(lines.contains(&"restarted".to_owned()), "{lines:?}");
        assert_eq!(lines[0].starts_with("failed"), fails, "{lines:?}");
        let message = decoder.message().unwrap().to_string();
        assert_eq!(message.matches("\"x\"").count(), usize::from(!message.starts_with('[')), "{message}");
    }
}

#[test]
fn broken_streams_say_what_is_wrong() {
    let good = || all(&[vec![start()], block(0, "a", &[r#"{"a":1}"#])]);
    let with = |event: Value| read(&[good(), vec![event]].concat()).1;
    let again = |id: &str, input: &str| {
        read(&all(&[good(), vec![start()], block(0, id, &[input]), end("tool_use")])).1
    };
    let chat = |delta: &Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let chat_call = |index: u64, id: &str, text: &str| {
        chat(
            &json!({"tool_calls": [{"index": index, "id": id, "function": {"name": "T", "arguments": text}}]}),
        )
    };
    let done = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    let created = || json!({"type": "response.created", "response": {"id": "r"}});
    let item = |id: &str| json!({"type": "function_call", "call_id": id, "name": "T", "arguments": "{}", "status": "completed"});
    let said = [
        ("nothing", text("").1),
        ("a page", text("<html><body>502 Bad Gateway</body></html>").1),
        ("cut at once", read(&[start()]).1),
        ("cut in an input", read(&good()[..3]).1),
        ("cut after a call", read(&good()).1),
        ("cut in an event", text(&format!("{}\n{{\"type\":\"mess", start())).1),
        ("cut in an sse event", text(&format!("data: {}\n\ndata: {{\"type\":\"mess", start())).1),
        ("cut in an array", text(&format!("[{}", json!({"candidates": []}))).1),
        ("no json", text("data: {\"type\"\u{1b}\n\n").1),
        ("no event", text("{\"type\":\"ping\"} true").1),
        ("a message", text(r#"{"role":"assistant","content":[]}"#).1),
        ("an error", with(json!({"type": "error", "error": {"type": "api_error", "message": "Inter\u{1b}nal"}}))),
        ("an error at once", text(r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"overloaded"}}"#).1),
        ("an error text", text("event: error\ndata: upstream timed out\n\n").1),
        ("no message", read(&block(0, "a", &["{}"])).1),
        ("a block twice", with(block(0, "b", &[])[0].clone())),
        ("more after the end", with(block(0, "a", &["2"])[1].clone())),
        ("more of nothing", with(block(7, "a", &["2"])[1].clone())),
        ("no id", with(json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "T"}}))),
        ("an open call", with(json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "b", "name": "T"}}))),
        ("the end inside", read(&[&good()[..3], &end("tool_use")[..]].concat()).1),
        ("two reasons", read(&[end("tool_use")[0].clone(), end("max_tokens")[0].clone()]).1),
        ("again with another input", again("a", r#"{"a":2}"#)),
        ("again without the call", again("b", r#"{"a":1}"#)),
        ("chat cut", read(&[chat_call(0, "a", "{}")]).1),
        ("chat done without a reason", text(&format!("data: {}\n\ndata: [DONE]\n\n", chat_call(0, "a", "{}"))).1),
        ("chat without an id", read(&[chat_call(0, "", "{}"), done.clone()]).1),
        ("chat goes on", read(&[chat_call(0, "a", "{}"), chat_call(1, "b", ""), chat_call(0, "a", "x"), done.clone()]).1),
        ("chat: another message's piece", read(&[json!({"id": "1", "choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "T", "arguments": ""}}]}}]}), json!({"id": "2", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}]})]).1),
        ("no text", with(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}))),
        ("chat error", read(&[chat_call(0, "a", "{}"), json!({"error": {"message": "Rate limit", "type": "tokens", "code": "rate_limit_exceeded"}})]).1),
        ("responses: another id", read(&[created(), json!({"type": "response.output_item.added", "output_index": 0, "item": item("a")}), json!({"type": "response.output_item.done", "output_index": 0, "item": item("b")})]).1),
        ("responses: no item", read(&[created(), json!({"type": "response.function_call_arguments.delta", "output_index": 3, "delta": "{"})]).1),
        ("responses: error", read(&[created(), json!({"type": "error", "code": "server_error", "message": "oops", "param": null})]).1),
        ("gemini: in pieces", read(&[json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "T", "willContinue": true}}]}}]})]).1),
        ("gemini: cut", read(&[json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "T"}}]}}]})]).1),
    ];
    let said: Vec<String> = said
        .into_iter()
        .map(|(name, lines)| {
            let ready = lines.iter().filter(|line| line.starts_with("ready")).count();
            let last = lines.last().cloned().unwrap_or_default();
            assert!(last.starts_with("failed") && !last.chars().any(char::is_control), "{name}: {last}");
            format!("{name} ({ready} ready): {last}")
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn c_w_23_interleaved_pieces_belong_to_their_index() {
    let piece = |piece: Value| json!({"choices": [{"delta": {"tool_calls": [piece]}}]});
    let (_, lines) = read(&[
        piece(json!({"index": 0, "id": "c1", "function": {"name": "f", "arguments": "{\"a\""}})),
        piece(json!({"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}})),
        piece(json!({"index": 0, "function": {"arguments": ":1}"}})),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
    ]);
    let ready: Vec<&String> = lines.iter().filter(|line| line.starts_with("ready")).collect();
    assert_eq!(ready, [r#"ready c1 f Json(Object {"a": Number(1)})"#, "ready c2 g Json(Object {})"]);
}

#[test]
fn servers_that_imitate_chat_are_understood() {
    // No index, the whole call at once, arguments as JSON, id repeated, another id at a used index.
    let piece = |piece: Value| json!({"choices": [{"delta": {"role": "assistant", "tool_calls": [piece]}, "finish_reason": null}]});
    let (decoder, lines) = read(&[
        piece(json!({"id": "a", "function": {"name": "f", "arguments": {"n": 1}}})),
        piece(json!({"id": "b", "type": "function", "function": {"name": "f", "arguments": "{\"n\""}})),
        piece(json!({"id": "b", "function": {"name": "f", "arguments": ":2}"}})),
        json!({"choices": [{"delta": {"content": ""}, "finish_reason": "stop"}]}),
    ]);
    let ready: Vec<&String> = lines.iter().filter(|line| line.starts_with("ready")).collect();
    assert_eq!(
        ready,
        [r#"ready a f Json(Object {"n": Number(1)})"#, r#"ready b f Json(Object {"n": Number(2)})"#]
    );
    assert_eq!(lines.last().unwrap(), "ended ToolUse");
    assert_eq!(decoder.message().unwrap()["tool_calls"][1]["function"]["arguments"], r#"{"n":2}"#);

    let whole = json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": ""}},
    ]}, "finish_reason": "tool_calls"}]});
    let (decoder, _) = read(&[whole]);
    assert_eq!(decoder.turn().unwrap().calls.len(), 2);
}

#[test]
fn a_response_without_its_items_gives_them_at_its_end() {
    let item = json!({"type": "function_call", "call_id": "a", "name": "T", "arguments": "{\"x\":1}"});
    let (decoder, lines) = read(&[
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item]}}),
    ]);
    assert_eq!(lines, ["started a T", r#"ready a T Json(Object {"x": Number(1)})"#, "ended ToolUse"]);
    assert_eq!(decoder.message().unwrap(), json!([item]));
}

#[test]
fn c_w_28_the_complete_item_wins_over_its_pieces() {
    let item = |text: &str| json!({"type": "function_call", "id": "f", "call_id": "a", "name": "T", "arguments": text, "status": "completed"});
    let (_, lines) = read(&[
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.added", "item": item("")}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "f", "delta": "{\"x"}),
        json!({"type": "response.output_item.done", "item": item("{\"x\":2}")}),
        json!({"type": "response.completed", "response": {}}),
    ]);
    assert_eq!(lines[2], r#"ready a T Json(Object {"x": Number(2)})"#);
    assert_eq!(lines[3], "ended ToolUse");
}
