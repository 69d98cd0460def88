//! Writes the results: one content with a response a call, in order, texts of the user after the last.

use crate::content::{Media, NO_MESSAGE, Piece, pieces};
use crate::incoming::CallKind;
use crate::results::Answer;
use serde_json::{Map, Value, json};

/// The content that follows the model's.
pub(crate) fn encode(answers: &[Answer<'_>], texts: &[&str], model: Option<&str>) -> Value {
    let takes_media = !model.is_some_and(is_text_only);
    let mut parts: Vec<Value> = answers.iter().map(|answer| part(answer, takes_media)).collect();
    parts.extend(texts.iter().map(|text| json!({"text": text})));
    json!({"role": "user", "parts": parts})
}

/// Models before the third generation take no images in responses of functions.
fn is_text_only(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.starts_with("gemini-1") || name.starts_with("gemini-2")
}

fn part(answer: &Answer<'_>, takes_media: bool) -> Value {
    let mut media = Vec::new();
    let mut lines = Vec::new();
    for piece in pieces(&answer.result) {
        match piece {
            Piece::Text(text) => lines.push(text.into_owned()),
            Piece::Media(piece) => match inline(&piece, takes_media) {
                Ok(part) => media.push(part),
                Err(why) => lines.push(piece.left_out(why)),
            },
        }
    }
    let text = lines.join("\n");
    let said = match (answer.result.is_error, text.is_empty()) {
        (true, true) => json!({"error": NO_MESSAGE}),
        (true, false) => json!({"error": text}),
        (false, _) => json!({"output": text}),
    };
    let mut response = Map::new();
    if answer.kind != CallKind::OwnId {
        response.insert("id".to_owned(), (*answer.call.id).into());
    }
    response.insert("name".to_owned(), (*answer.call.name).into());
    response.insert("response".to_owned(), said);
    if !media.is_empty() {
        response.insert("parts".to_owned(), media.into());
    }
    json!({"functionResponse": response})
}

fn inline(media: &Media<'_>, takes_media: bool) -> Result<Value, &'static str> {
    if !takes_media {
        return Err("this model takes text only from functions");
    }
    let known = media.is_image() && media.is_usual_image() && media.media_type != "image/gif";
    if known || media.is_pdf() {
        Ok(json!({"inlineData": {"mimeType": media.media_type, "data": media.data}}))
    } else {
        Err("the API takes PNG, JPEG, WebP and PDF")
    }
}
