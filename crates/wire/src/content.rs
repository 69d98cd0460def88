//! The content of a result in the few kinds that every form can say, with stand-ins for the rest.

use pegboard_tool_core::{ResultContent, ToolResult};
use serde_json::Value;
use std::borrow::Cow;

/// Longest block of an unknown kind that is given as JSON text.
const MAX_JSON: usize = 4_096;

/// What an error says that says nothing.
pub(crate) const NO_MESSAGE: &str = "the call failed without a message";

/// One piece of a result.
#[derive(Debug)]
pub(crate) enum Piece<'r> {
    /// Text, not blank.
    Text(Cow<'r, str>),
    /// Bytes in base64.
    Media(Media<'r>),
}

/// An image or a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Media<'r> {
    pub(crate) media_type: &'r str,
    pub(crate) data: &'r str,
}

impl Media<'_> {
    /// As a URL that holds the data.
    pub(crate) fn url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.data)
    }

    pub(crate) fn is_image(&self) -> bool {
        self.media_type.starts_with("image/")
    }

    /// Whether it is an image of a type that the APIs of Anthropic and OpenAI take.
    pub(crate) fn is_usual_image(&self) -> bool {
        is_usual_image(self.media_type)
    }

    pub(crate) fn is_pdf(&self) -> bool {
        self.media_type == "application/pdf"
    }

    /// What stands in its place where it cannot be sent.
    pub(crate) fn left_out(&self, why: &str) -> String {
        left_out(self.media_type, why)
    }
}

/// Whether an image has a type that the APIs of Anthropic and OpenAI take.
pub(crate) fn is_usual_image(media_type: &str) -> bool {
    matches!(media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
}

/// What stands in the place of an image or document that cannot be sent.
pub(crate) fn left_out(media_type: &str, why: &str) -> String {
    let what = if media_type.starts_with("image/") { "an image" } else { "a document" };
    format!("[{what} ({media_type}) is left out: {why}]")
}

/// The pieces of a result, in order; blank texts left out.
pub(crate) fn pieces(result: &ToolResult) -> Vec<Piece<'_>> {
    let pieces = result.content.iter().map(|content| match content {
        ResultContent::Text(text) => Piece::Text(text.as_str().into()),
        ResultContent::Image { media_type, data } => Piece::Media(Media { media_type, data }),
        ResultContent::Other(other) => block(other),
    });
    pieces.filter(|piece| !matches!(piece, Piece::Text(text) if text.trim().is_empty())).collect()
}

/// A block in Anthropic's form.
fn block(block: &Value) -> Piece<'_> {
    let text = |value: &'_ Value, field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    let kind = block.get("type").and_then(Value::as_str).unwrap_or("unknown");
    let source = block.get("source");
    let source_kind = source.and_then(|source| source.get("type")?.as_str());
    match (kind, source_kind) {
        ("text", _) => Piece::Text(text(block, "text").unwrap_or_default().into()),
        ("image" | "document", Some("base64")) => {
            let field = |name: &str| source.and_then(|source| source.get(name)?.as_str());
            match (field("media_type"), field("data")) {
                (Some(media_type), Some(data)) => Piece::Media(Media { media_type, data }),
                _ => Piece::Text(left_out("unknown", "it has no data").into()),
            }
        }
        ("document", Some("text")) => {
            let data = source.and_then(|source| text(source, "data"));
            Piece::Text(data.unwrap_or_default().into())
        }
        ("tool_reference", _) => {
            let name = text(block, "tool_name").unwrap_or_default();
            Piece::Text(format!("[the tool {name}]").into())
        }
        _ => {
            let json = block.to_string();
            if json.len() <= MAX_JSON {
                Piece::Text(json.into())
            } else {
                Piece::Text(format!("[a block ({kind}) of {} bytes is left out]", json.len()).into())
            }
        }
    }
}

/// The text of a result where a form has no flag for errors.
pub(crate) fn flagged(text: String, is_error: bool) -> String {
    match (is_error, text.trim().is_empty()) {
        (true, true) => format!("Error: {NO_MESSAGE}"),
        (true, false) if !text.starts_with("Error: ") => format!("Error: {text}"),
        _ => text,
    }
}
