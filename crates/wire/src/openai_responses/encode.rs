//! Writes the results: one output item a call, then one user message.

use crate::content::{Media, Piece, flagged, pieces};
use crate::incoming::CallKind;
use crate::results::Answer;
use serde_json::{Value, json};

/// The input items that follow the output.
pub(crate) fn encode(answers: &[Answer<'_>], texts: &[&str]) -> Value {
    let mut items: Vec<Value> = answers.iter().map(item).collect();
    if !texts.is_empty() {
        let content: Vec<Value> = texts.iter().map(|text| text_part(text)).collect();
        items.push(json!({"type": "message", "role": "user", "content": content}));
    }
    items.into()
}

fn item(answer: &Answer<'_>) -> Value {
    let kind = match answer.kind {
        CallKind::Custom => "custom_tool_call_output",
        CallKind::Function | CallKind::OwnId => "function_call_output",
    };
    let is_error = answer.result.is_error;
    let pieces = pieces(&answer.result);
    let output = if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        let lines: Vec<&str> = pieces.iter().filter_map(text).collect();
        flagged(lines.join("\n"), is_error).into()
    } else {
        let mut parts = Vec::with_capacity(pieces.len() + 1);
        if is_error && pieces.first().is_none_or(|piece| text(piece).is_none()) {
            parts.push(text_part(&flagged(String::new(), true)));
        }
        for (piece, number) in pieces.iter().zip(1..) {
            parts.push(match piece {
                Piece::Text(text) => text_part(&flagged(text.to_string(), is_error && number == 1)),
                Piece::Media(media) => part(media, number),
            });
        }
        Value::from(parts)
    };
    json!({"type": kind, "call_id": &*answer.call.id, "output": output})
}

fn text<'p>(piece: &'p Piece<'_>) -> Option<&'p str> {
    match piece {
        Piece::Text(text) => Some(text),
        Piece::Media(_) => None,
    }
}

fn part(media: &Media<'_>, number: usize) -> Value {
    if media.is_usual_image() {
        json!({"type": "input_image", "image_url": media.url()})
    } else if media.is_pdf() {
        json!({"type": "input_file", "filename": format!("part-{number}.pdf"), "file_data": media.url()})
    } else {
        text_part(&media.left_out("the API takes PNG, JPEG, GIF, WebP and PDF"))
    }
}

fn text_part(text: &str) -> Value {
    json!({"type": "input_text", "text": text})
}
