//! Streams of 200 calls: how fast each form is read, and what one event costs. Compare with `floor`, which
//! parses the same payloads and does nothing with them.
#![expect(clippy::unwrap_used, reason = "a bench stops at the first problem")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use pegboard_wire::{PartialJson, StreamDecoder};
use serde_json::{Value, json};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const CALLS: u64 = 200;
/// Pieces that an input comes in.
const PIECES: usize = 20;

fn main() {
    divan::main();
}

/// The input of a call, in pieces.
fn pieces() -> Vec<String> {
    let text =
        json!({"file_path": "/w/src/lib.rs", "content": "fn main() {\n    println!(\"x\");\n}\n".repeat(8)});
    let text: Vec<char> = text.to_string().chars().collect();
    text.chunks(text.len().div_ceil(PIECES)).map(|piece| piece.iter().collect()).collect()
}

fn anthropic() -> Vec<Value> {
    let mut events = vec![json!({"type": "message_start", "message": {"id": "msg", "role": "assistant"}})];
    for index in 0..CALLS {
        let block = json!({"type": "tool_use", "id": format!("toolu_{index}"), "name": "Write", "input": {}});
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        for piece in pieces() {
            let delta = json!({"type": "input_json_delta", "partial_json": piece});
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn chat() -> Vec<Value> {
    let chunk = |delta: Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason});
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "system_fingerprint": "fp", "choices": [choice]})
    };
    let mut events = Vec::new();
    for index in 0..CALLS {
        let function = json!({"name": "Write", "arguments": ""});
        let start =
            json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": function});
        events.push(chunk(json!({"tool_calls": [start]}), None));
        for piece in pieces() {
            let more = json!({"index": index, "function": {"arguments": piece}});
            events.push(chunk(json!({"tool_calls": [more]}), None));
        }
    }
    events.push(chunk(json!({}), Some("tool_calls")));
    events
}

fn responses() -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": {"id": "resp"}})];
    for index in 0..CALLS {
        let item = |status: &str, text: &str| {
            json!({"type": "function_call", "id": format!("fc_{index}"), "call_id": format!("call_{index}"),
                "name": "Write", "arguments": text, "status": status})
        };
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": item("in_progress", "")}));
        for piece in pieces() {
            events.push(
                json!({"type": "response.function_call_arguments.delta", "item_id": format!("fc_{index}"),
                "output_index": index, "delta": piece, "sequence_number": 1}),
            );
        }
        let item = item("completed", &pieces().concat());
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": {"status": "completed", "output": []}}));
    events
}

fn gemini() -> Vec<Value> {
    let args: Value = serde_json::from_str(&pieces().concat()).unwrap();
    let mut events: Vec<Value> = (0..CALLS)
        .map(|_| {
            let call = json!({"functionCall": {"name": "Write", "args": args}, "thoughtSignature": "CsgB"});
            json!({"candidates": [{"content": {"role": "model", "parts": [call]}, "index": 0}], "responseId": "r"})
        })
        .collect();
    events.push(json!({"candidates": [{"content": {"parts": []}, "finishReason": "STOP", "index": 0}]}));
    events
}

fn events(form: &str) -> Vec<Value> {
    match form {
        "anthropic" => anthropic(),
        "openai-chat" => chat(),
        "openai-responses" => responses(),
        _ => gemini(),
    }
}

fn stream(form: &str) -> (Vec<u8>, usize) {
    let events = events(form);
    let mut text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    if form == "openai-chat" {
        text.push_str("data: [DONE]\n\n");
    }
    (text.into_bytes(), events.len())
}

const FORMS: [&str; 4] = ["anthropic", "openai-chat", "openai-responses", "gemini"];

/// The stream in pieces as a network brings them.
#[divan::bench(args = FORMS)]
fn decode(bencher: Bencher<'_, '_>, form: &str) {
    let (bytes, events) = stream(form);
    bencher.counter(BytesCount::new(bytes.len())).counter(ItemsCount::new(events)).bench_local(|| {
        let mut decoder = StreamDecoder::new(None);
        let mut count = 0;
        for piece in bytes.chunks(1_400) {
            count += decoder.push(piece).len();
        }
        count += decoder.finish().len();
        assert!(decoder.error().is_none());
        (count, decoder)
    });
}

/// Every payload parsed to a value, nothing else.
#[divan::bench(args = FORMS)]
fn floor(bencher: Bencher<'_, '_>, form: &str) {
    let payloads: Vec<String> = events(form).iter().map(Value::to_string).collect();
    let bytes: usize = payloads.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).counter(ItemsCount::new(payloads.len())).bench_local(|| {
        payloads.iter().filter(|payload| serde_json::from_str::<Value>(payload).is_ok()).count()
    });
}

/// The value of an input looked at after each piece: linear, so the rate does not fall with the size.
#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn partial(bencher: Bencher<'_, '_>, size: usize) {
    let text = json!({"path": "a", "lines": vec!["let x = \"a\\n\";"; size / 20]}).to_string();
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        let mut partial = PartialJson::new();
        let mut seen = 0;
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(16));
            partial.push(piece);
            seen += usize::from(partial.value().is_some());
            rest = after;
        }
        assert!(partial.is_complete());
        seen
    });
}
