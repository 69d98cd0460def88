//! What carries the events: its rules and its bounds.

use crate::broken::{block, end, start};
use crate::recorded::{feed, line};
use pegboard_wire::{StreamDecoder, StreamError, StreamLimits, WireForm};
use serde_json::json;

#[test]
fn sse_is_read_as_its_standard_says() {
    let data = start().to_string();
    let (first, second) = data.split_at(data.find("\"message\":").unwrap());
    // A byte order mark, comments, data over lines, no space, other fields, CR alone, an event without data.
    let stream = format!(
        "\u{feff}: hi\rid: 7\revent: message_start\rdata:{first}\rdata: {second}\rfoo: bar\r\r:\r\nevent: ping\n\n\
         data\n\ndata: {}\n\nevent: x\ndata: {}",
        end("end_turn")[0],
        end("end_turn")[1],
    );
    for size in 1..40 {
        let mut decoder = StreamDecoder::new(None);
        let events = feed(&mut decoder, stream.as_bytes().chunks(size));
        assert_eq!(events.iter().map(line).collect::<Vec<_>>(), [r#"ended Other("end_turn")"#], "{size}");
    }
}

#[test]
fn lines_events_messages_and_calls_are_bounded() {
    let limits = StreamLimits::default().with_event_bytes(4_000).with_message_bytes(8_000).with_calls(3);
    let fails = |text: &mut dyn Iterator<Item = String>| -> StreamDecoder {
        let mut decoder = StreamDecoder::with_limits(Some(WireForm::Anthropic), limits);
        let mut left = 10_000;
        while !decoder.is_finished() {
            left -= 1;
            assert!(left > 0, "it fails before it holds much");
            decoder.push(text.next().unwrap_or_default().as_bytes());
        }
        decoder
    };
    let too_large = |decoder: StreamDecoder| match decoder.error() {
        Some(StreamError::TooLarge { what, limit }) => (*what, *limit),
        other => panic!("{other:?}"),
    };
    let x = || "x".repeat(100);
    let mut line = std::iter::once("data: ".to_owned()).chain(std::iter::repeat_with(x));
    assert_eq!(too_large(fails(&mut line)), ("a line", 4_000));
    let mut lines = std::iter::repeat_with(|| format!("data: {}\n", x()));
    assert_eq!(too_large(fails(&mut lines)), ("an event", 4_000));
    let mut value = std::iter::once("{\"type\":\"".to_owned()).chain(std::iter::repeat_with(x));
    assert_eq!(too_large(fails(&mut value)), ("an event", 4_000));
    let text =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": x()}});
    let mut events =
        [start(), text].into_iter().chain(std::iter::repeat(delta)).map(|event| event.to_string());
    assert_eq!(too_large(fails(&mut events)), ("the message", 8_000));
    let blocks = (0..10).flat_map(|index| block(index, &format!("id{index}"), &["{}"]));
    let mut events = std::iter::once(start()).chain(blocks).map(|event| event.to_string());
    assert!(matches!(fails(&mut events).error(), Some(StreamError::TooManyCalls { limit: 3 })));
}

#[test]
fn a_line_of_100_mb_fails_the_stream() {
    let mut decoder = StreamDecoder::new(None);
    let mut events = decoder.push(format!("data: {}\n\ndata: ", start()).as_bytes());
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        events.extend(decoder.push(&piece));
    }
    assert_eq!(
        events.iter().map(line).collect::<Vec<_>>(),
        ["failed a line of the stream is larger than 33554432 bytes"]
    );
    assert!(decoder.message().is_some(), "what came before is kept");
}
