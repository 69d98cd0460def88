//! One block of a streamed message.

use crate::stream::{Calls, Slot, StreamError};
use pegboard_tool_core::RawInput;
use serde_json::{Map, Value};

/// A piece of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Delta<'d> {
    Text(&'d str),
    Input(&'d str),
    Thinking(&'d str),
    Signature(&'d str),
    Citation(&'d Value),
}

/// A block that is being read.
#[derive(Debug)]
pub(super) struct Block {
    /// Its fields as it began.
    pub(super) fields: Map<String, Value>,
    /// Its call, when it is one of ours.
    pub(super) slot: Option<Slot>,
    pub(super) stopped: bool,
    /// What was added to the text, the thinking or the input of a server's tool.
    text: String,
    thinking: String,
    input: String,
    signature: String,
    citations: Vec<Value>,
}

impl Block {
    pub(super) fn new(fields: Map<String, Value>, slot: Option<Slot>) -> Self {
        Self {
            fields,
            slot,
            stopped: false,
            text: String::new(),
            thinking: String::new(),
            input: String::new(),
            signature: String::new(),
            citations: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, delta: Delta<'_>, calls: &mut Calls) -> Result<(), StreamError> {
        if let (Delta::Input(text), Some(slot)) = (delta, self.slot) {
            return calls.input(slot, text);
        }
        if self.stopped {
            return Err(StreamError::broken("a block goes on after its end"));
        }
        let (target, text) = match delta {
            Delta::Text(text) => (&mut self.text, text),
            Delta::Thinking(text) => (&mut self.thinking, text),
            Delta::Input(text) => (&mut self.input, text),
            Delta::Signature(text) => (&mut self.signature, text),
            Delta::Citation(citation) => {
                self.citations.push(citation.clone());
                return Ok(());
            }
        };
        calls.keep(text.len())?;
        target.push_str(text);
        Ok(())
    }

    /// The block as it goes back; `None` when the API would not take it: a call that did not become
    /// ready, an empty text, and what was cut, except a text.
    pub(super) fn finished(&self, calls: &Calls) -> Option<Value> {
        let mut fields = self.fields.clone();
        if let Some(slot) = self.slot {
            let input = match &calls.ready(slot)?.input {
                RawInput::Json(input) if input.is_object() => (**input).clone(),
                RawInput::Json(_) | RawInput::Unreadable(_) => Value::Object(Map::new()),
            };
            fields.insert("input".to_owned(), input);
            return Some(Value::Object(fields));
        }
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !self.stopped && kind != "text" {
            return None;
        }
        append(&mut fields, "text", &self.text);
        append(&mut fields, "thinking", &self.thinking);
        append(&mut fields, "signature", &self.signature);
        if !self.input.is_empty() || fields.contains_key("input") {
            let given = fields.get("input").cloned();
            let input = match serde_json::from_str::<Value>(&self.input) {
                Ok(input) if input.is_object() => input,
                _ => given.filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new())),
            };
            fields.insert("input".to_owned(), input);
        }
        if !self.citations.is_empty() {
            match fields.get_mut("citations") {
                Some(Value::Array(citations)) => citations.extend(self.citations.iter().cloned()),
                _ => drop(fields.insert("citations".to_owned(), self.citations.clone().into())),
            }
        }
        let is_empty_text =
            kind == "text" && fields.get("text").and_then(Value::as_str).is_none_or(str::is_empty);
        (!is_empty_text).then_some(Value::Object(fields))
    }
}

fn append(fields: &mut Map<String, Value>, name: &str, more: &str) {
    if more.is_empty() {
        return;
    }
    match fields.get_mut(name) {
        Some(Value::String(text)) => text.push_str(more),
        _ => drop(fields.insert(name.to_owned(), more.into())),
    }
}
