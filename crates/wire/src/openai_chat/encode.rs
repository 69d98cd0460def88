//! Writes the results: one `tool` message a call, then one user message with what those cannot hold.

use crate::content::{Media, Piece, flagged, pieces};
use crate::results::Answer;
use serde_json::{Value, json};

/// The messages that follow the assistant message.
pub(crate) fn encode(answers: &[Answer<'_>], texts: &[&str]) -> Value {
    let mut messages = Vec::with_capacity(answers.len() + 1);
    let mut after = After::default();
    for answer in answers {
        let lines: Vec<String> =
            pieces(&answer.result).iter().map(|piece| after.line(piece, &answer.call.name)).collect();
        let content = flagged(lines.join("\n"), answer.result.is_error);
        messages.push(json!({"role": "tool", "tool_call_id": &*answer.call.id, "content": content}));
    }
    after.parts.extend(texts.iter().map(|text| json!({"type": "text", "text": text})));
    if !after.parts.is_empty() {
        messages.push(json!({"role": "user", "content": after.parts}));
    }
    messages.into()
}

/// Parts of the user message after the results.
#[derive(Debug, Default)]
struct After {
    parts: Vec<Value>,
    count: usize,
}

impl After {
    /// The text for a piece; an image or document goes into the user message.
    fn line(&mut self, piece: &Piece<'_>, tool: &str) -> String {
        let media = match piece {
            Piece::Text(text) => return text.to_string(),
            Piece::Media(media) => media,
        };
        let Some(part) = part(media, self.count + 1) else {
            return media.left_out("the API takes PNG, JPEG, GIF, WebP and PDF");
        };
        self.count += 1;
        let number = self.count;
        let text = format!("Attachment {number}, from the result of {tool}:");
        self.parts.push(json!({"type": "text", "text": text}));
        self.parts.push(part);
        format!("[attachment {number} ({}): in the user message after the results]", media.media_type)
    }
}

fn part(media: &Media<'_>, number: usize) -> Option<Value> {
    if media.is_usual_image() {
        Some(json!({"type": "image_url", "image_url": {"url": media.url()}}))
    } else if media.is_pdf() {
        let name = format!("attachment-{number}.pdf");
        Some(json!({"type": "file", "file": {"filename": name, "file_data": media.url()}}))
    } else {
        None
    }
}
