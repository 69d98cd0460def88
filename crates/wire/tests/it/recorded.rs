//! Streams as each API sends them, whole, in pieces, and cut anywhere.

use pegboard_tool_core::ToolResult;
use pegboard_tool_core::ports::TurnEvent;
use pegboard_wire::{StreamDecoder, WireForm, encode_results};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;

/// A stream in `tests/data`; its form is the beginning of its name.
pub(crate) struct Recorded {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) form: WireForm,
}

pub(crate) fn all() -> Vec<Recorded> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let mut all: Vec<Recorded> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let form =
                WireForm::ALL.into_iter().find(|form| name.starts_with(&form.as_str().replace('-', "_")));
            Recorded { bytes: fs::read(&path).unwrap(), form: form.unwrap(), name }
        })
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(all.len() >= 15, "the recorded streams are there");
    all
}

pub(crate) fn feed<'p>(
    decoder: &mut StreamDecoder,
    pieces: impl Iterator<Item = &'p [u8]>,
) -> Vec<TurnEvent> {
    let mut events: Vec<TurnEvent> = pieces.flat_map(|piece| decoder.push(piece)).collect();
    events.extend(decoder.finish());
    assert!(decoder.is_finished());
    assert!(
        decoder.push(b"data: {}\n\n").is_empty() && decoder.finish().is_empty(),
        "nothing follows the end"
    );
    events
}

/// Events, one a line; the message as it goes back; what would be answered.
pub(crate) fn shown(decoder: &StreamDecoder, events: &[TurnEvent]) -> String {
    let mut lines: Vec<String> = events.iter().map(line).collect();
    lines.push(format!(
        "message: {}",
        decoder.message().map(|message| message.to_string()).unwrap_or_default()
    ));
    lines.push(format!("stop: {:?} usage: {}", decoder.stop_reason(), decoder.usage().is_some()));
    if let Some(turn) = decoder.turn().filter(|turn| !turn.calls.is_empty()) {
        let results: Vec<ToolResult> =
            turn.calls.iter().map(|call| ToolResult::text(call.id.clone(), "ok")).collect();
        lines.push(format!("answer: {}", encode_results(&turn, &results, &["and then?".to_owned()])));
    }
    lines.join("\n")
}

pub(crate) fn line(event: &TurnEvent) -> String {
    match event {
        TurnEvent::CallStarted { id, name } => format!("started {id} {name}"),
        TurnEvent::InputDelta { id, text } => format!("input {id} {text:?}"),
        TurnEvent::CallReady(call) => format!("ready {} {} {:?}", call.id, call.name, call.input),
        TurnEvent::Ended(reason) => format!("ended {reason:?}"),
        TurnEvent::Failed(why) => format!("failed {why}"),
        TurnEvent::Restarted => "restarted".to_owned(),
        other => panic!("{other:?}"),
    }
}

/// What holds for the events of any stream.
pub(crate) fn check_order(events: &[TurnEvent], at: &str) {
    let (mut started, mut ready) = (HashSet::new(), HashSet::new());
    for (index, event) in events.iter().enumerate() {
        let is_end = |event: &TurnEvent| matches!(event, TurnEvent::Ended(_) | TurnEvent::Failed(_));
        let next = events.get(index + 1);
        match event {
            TurnEvent::CallStarted { id, .. } => {
                assert!(started.insert(id.clone()), "{at}: {id} starts once")
            }
            TurnEvent::InputDelta { id, .. } => {
                assert!(started.contains(id) && !ready.contains(id), "{at}: input of {id} in its time");
            }
            TurnEvent::CallReady(call) => {
                assert!(started.contains(&call.id), "{at}: {} started", call.id);
                assert!(ready.insert(call.id.clone()), "{at}: {} is ready once", call.id);
            }
            TurnEvent::Ended(_) => assert!(next.is_none(), "{at}: nothing follows"),
            TurnEvent::Failed(_) => {
                assert!(
                    matches!(next, None | Some(TurnEvent::Restarted)),
                    "{at}: only another attempt follows"
                );
            }
            TurnEvent::Restarted => {
                started.clear();
                ready.clear();
            }
            other => panic!("{other:?}"),
        }
        assert!(next.is_some() || is_end(event), "{at}: it ends");
    }
}

#[test]
fn recorded_streams_give_their_calls_and_their_message() {
    for recorded in all() {
        let mut decoder = StreamDecoder::new(None);
        let events = feed(&mut decoder, [&*recorded.bytes].into_iter());
        check_order(&events, &recorded.name);
        assert_eq!(decoder.form(), Some(recorded.form), "{}", recorded.name);
        insta::assert_snapshot!(recorded.name.replace('.', "_"), shown(&decoder, &events));
    }
}

#[test]
fn any_pieces_give_the_same_events_and_the_same_message() {
    for recorded in all() {
        let mut decoder = StreamDecoder::new(None);
        let whole = feed(&mut decoder, [&*recorded.bytes].into_iter());
        let whole = shown(&decoder, &whole);
        for size in 1..=7 {
            for form in [None, Some(recorded.form)] {
                let mut decoder = StreamDecoder::new(form);
                let events = feed(&mut decoder, recorded.bytes.chunks(size));
                assert_eq!(shown(&decoder, &events), whole, "{} by {size}", recorded.name);
            }
        }
    }
}

/// The events of a recorded stream, as its carrier holds them.
fn payloads(recorded: &Recorded) -> Vec<Value> {
    let text = std::str::from_utf8(&recorded.bytes).unwrap();
    if text.starts_with('[') {
        return serde_json::from_str(text).unwrap();
    }
    let lines = text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines.filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// JSON with every character of every text and key as an escape.
fn escaped(value: &Value) -> String {
    let text = |text: &str| {
        let units: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        format!("\"{}\"", units.concat())
    };
    match value {
        Value::String(inner) => text(inner),
        Value::Array(items) => format!("[ {} ]", items.iter().map(escaped).collect::<Vec<_>>().join("\t,")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{}\r\n:{}", text(name), escaped(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(" , "))
        }
        other => other.to_string(),
    }
}

#[test]
fn how_events_are_written_does_not_matter() {
    for recorded in all() {
        let mut decoder = StreamDecoder::new(None);
        let whole = feed(&mut decoder, [&*recorded.bytes].into_iter());
        let whole = shown(&decoder, &whole);
        let payloads = payloads(&recorded);
        let spread: Vec<String> = payloads.iter().map(|event| format!("{event:#}")).collect();
        let odd: Vec<String> = payloads.iter().map(escaped).collect();
        let lines: Vec<String> = payloads.iter().map(Value::to_string).collect();
        for text in [spread.join("\n"), odd.join("\n"), format!("[{}]", lines.join(",")), lines.concat()] {
            let mut decoder = StreamDecoder::new(None);
            let events = feed(&mut decoder, text.as_bytes().chunks(1_000));
            assert_eq!(shown(&decoder, &events), whole, "{}", recorded.name);
        }
    }
}

#[test]
fn a_stream_cut_anywhere_gives_what_was_complete_and_one_end() {
    for recorded in all() {
        let whole = feed(&mut StreamDecoder::new(None), [&*recorded.bytes].into_iter());
        let whole: Vec<String> = whole.iter().map(line).collect();
        // What was given as soon as it could be.
        let mut live = StreamDecoder::new(Some(recorded.form));
        let mut given = 0;
        for cut in 0..recorded.bytes.len() {
            let at = format!("{} cut at {cut}", recorded.name);
            let mut decoder = StreamDecoder::new(Some(recorded.form));
            let events = feed(&mut decoder, [&recorded.bytes[..cut]].into_iter());
            check_order(&events, &at);
            let lines: Vec<String> = events.iter().map(line).collect();
            let (end, before) = lines.split_last().unwrap();
            assert!(whole.starts_with(before), "{at}: {lines:?}");
            let at_least = if live.is_finished() { given } else { given + 1 };
            assert!(lines.len() >= at_least, "{at}: nothing is taken back");
            given += live.push(&recorded.bytes[cut..=cut]).len();
            // It ends well only where nothing was missing but the last marks of its carrier.
            if end.starts_with("ended") {
                assert!(whole.len() == lines.len() && whole.last() == Some(end), "{at}: {lines:?}");
            }
            // The calls of the message are those that became ready, so each will have its result.
            let ready: Vec<String> = events
                .iter()
                .filter_map(|event| match event {
                    TurnEvent::CallReady(call) => Some(call.id.to_string()),
                    _ => None,
                })
                .collect();
            let turn = decoder.turn();
            let answered: Vec<String> =
                turn.iter().flat_map(|turn| &turn.calls).map(|call| call.id.to_string()).collect();
            assert!(answered.iter().all(|id| ready.contains(id)), "{at}");
            if let Some(turn) = turn.filter(|turn| !turn.calls.is_empty()) {
                // What goes back is a message of its form with these calls and no others.
                let again = pegboard_wire::decode(&turn.bytes, turn.form).unwrap();
                let own = |id: &str| id.starts_with("gemini_");
                let ids: Vec<String> = again.calls.iter().map(|call| call.id.to_string()).collect();
                assert_eq!(ids.len(), answered.len(), "{at}");
                assert!(ids.iter().zip(&answered).all(|(one, other)| one == other || own(one)), "{at}");
            }
        }
    }
}

#[test]
fn a_call_is_ready_with_the_last_byte_of_its_end() {
    // The event that completes a call: its own end, or for Chat the beginning of the next one.
    let cases = [
        ("anthropic_tools.sse", "toolu_01A", r#""content_block_stop","index":2}"#),
        ("openai_chat_tools.sse", "call_abc", r#"{"index":1,"id":"call_def","#),
        ("openai_responses_tools.sse", "call_9", r#""response.output_item.done","sequence_number":14,"#),
        ("gemini_tools.sse", "fn-7", r#""id":"fn-7""#),
    ];
    let all = all();
    for (name, id, event) in cases {
        let bytes = &all.iter().find(|recorded| recorded.name == name).unwrap().bytes;
        let text = std::str::from_utf8(bytes).unwrap();
        let at = text.find(event).unwrap();
        let blank = if text.contains("\r\n") { "\r\n\r" } else { "\n\n" };
        let end = at + text[at..].find(blank).unwrap() + blank.len() - 1;
        let mut decoder = StreamDecoder::new(None);
        let ready = bytes.iter().position(|byte| {
            let events = decoder.push(&[*byte]);
            events.iter().any(|event| matches!(event, TurnEvent::CallReady(call) if &*call.id == id))
        });
        assert_eq!(ready, Some(end), "{name}");
    }
}
