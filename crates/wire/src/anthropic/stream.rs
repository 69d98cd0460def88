//! Reads the events of a streamed message.

use super::block::{Block, Delta};
use crate::WireForm;
use crate::incoming::{CallKind, is_readable};
use crate::shape::excerpt;
use crate::stream::{Calls, Flow, Machine, StreamError, api_error, value_of};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most blocks of a message.
const MAX_BLOCKS: usize = 100_000;

/// Events of the Messages API.
///
/// A call is complete at the end of its block when its input is JSON. An empty input, or one that is no
/// JSON, may have been cut by a token limit: it waits until the message goes on or says why it ended.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Id of the message, once it began.
    id: Option<Option<String>>,
    blocks: BTreeMap<u64, Block>,
    stop_reason: Option<String>,
    usage: Option<Value>,
    model: Option<String>,
}

/// The event that there is most of, read without a tree.
#[derive(Deserialize)]
struct DeltaEvent<'e> {
    #[serde(rename = "type")]
    kind: &'e str,
    index: u64,
    #[serde(borrow)]
    delta: RawDelta<'e>,
}

#[derive(Deserialize)]
struct RawDelta<'e> {
    #[serde(rename = "type")]
    kind: &'e str,
    #[serde(borrow, default)]
    text: Option<Text<'e>>,
    #[serde(borrow, default)]
    partial_json: Option<Text<'e>>,
    #[serde(borrow, default)]
    thinking: Option<Text<'e>>,
    #[serde(borrow, default)]
    signature: Option<Text<'e>>,
}

#[derive(Deserialize)]
struct Text<'e>(#[serde(borrow)] Cow<'e, str>);

impl RawDelta<'_> {
    /// The delta, when it is one of those that there are most of, and whole.
    fn known(&self) -> Option<Delta<'_>> {
        match self.kind {
            "text_delta" => self.text.as_ref().map(|text| Delta::Text(&text.0)),
            "input_json_delta" => self.partial_json.as_ref().map(|text| Delta::Input(&text.0)),
            "thinking_delta" => self.thinking.as_ref().map(|text| Delta::Thinking(&text.0)),
            "signature_delta" => self.signature.as_ref().map(|text| Delta::Signature(&text.0)),
            _ => None,
        }
    }
}

impl Machine for Stream {
    fn event(&mut self, _: Option<&str>, json: &[u8], calls: &mut Calls) -> Result<Flow, StreamError> {
        if let Ok(event) = serde_json::from_slice::<DeltaEvent<'_>>(json)
            && event.kind == "content_block_delta"
            && let Some(delta) = event.delta.known()
        {
            self.delta(event.index, delta, calls)?;
            return Ok(Flow::More);
        }
        self.any_event(&value_of(json)?, json.len(), calls)
    }

    fn finish(&mut self, calls: &mut Calls) -> Result<Flow, StreamError> {
        let place = calls.open_place().unwrap_or_else(|| match self.id {
            None => "before a message began".to_owned(),
            Some(_) => "before the message ended".to_owned(),
        });
        Err(StreamError::Cut { place })
    }

    fn message(&self, calls: &Calls) -> Option<Value> {
        self.id.as_ref()?;
        let blocks: Vec<Value> = self.blocks.values().filter_map(|block| block.finished(calls)).collect();
        Some(json!({"role": "assistant", "content": blocks}))
    }

    fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }

    fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    fn usage(&self) -> Option<&Value> {
        self.usage.as_ref()
    }
}

impl Stream {
    fn any_event(&mut self, event: &Value, size: usize, calls: &mut Calls) -> Result<Flow, StreamError> {
        match event.get("type").and_then(Value::as_str) {
            Some("message_start") => return Ok(self.begin(event, calls)),
            Some("content_block_start") => self.block(event, size, calls)?,
            Some("content_block_delta") => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                let text = |field: &str| match delta.get(field) {
                    Some(Value::String(text)) => Ok(text.as_str()),
                    _ => Err(StreamError::broken(format!("a delta has no text `{field}`"))),
                };
                let delta = match delta.get("type").and_then(Value::as_str) {
                    Some("text_delta") => Delta::Text(text("text")?),
                    Some("input_json_delta") => Delta::Input(text("partial_json")?),
                    Some("thinking_delta") => Delta::Thinking(text("thinking")?),
                    Some("signature_delta") => Delta::Signature(text("signature")?),
                    Some("citations_delta") => {
                        calls.keep(size)?;
                        Delta::Citation(delta.get("citation").unwrap_or(&Value::Null))
                    }
                    _ => return Ok(Flow::More),
                };
                self.delta(index(event)?, delta, calls)?;
            }
            Some("content_block_stop") => self.block_end(index(event)?, calls)?,
            Some("message_delta") => self.message_delta(event, calls)?,
            Some("message_stop") => return self.end(calls),
            _ => {
                if let Some(error) = api_error(event) {
                    return Err(error);
                }
            }
        }
        Ok(Flow::More)
    }

    fn begin(&mut self, event: &Value, calls: &mut Calls) -> Flow {
        let message = event.get("message").unwrap_or(&Value::Null);
        let id = message.get("id").and_then(Value::as_str).map(str::to_owned);
        if let Some(before) = &self.id {
            if before.is_none() || *before != id {
                return Flow::Another;
            }
            calls.restart();
            self.blocks.clear();
            self.stop_reason = None;
        }
        if let Some(model) = message.get("model").and_then(Value::as_str) {
            self.model = Some(model.to_owned());
        }
        self.usage = message.get("usage").cloned();
        self.id = Some(id);
        Flow::More
    }

    fn block(&mut self, event: &Value, size: usize, calls: &mut Calls) -> Result<(), StreamError> {
        let index = index(event)?;
        if self.id.is_none() {
            return Err(StreamError::broken("a block begins before its message"));
        }
        if self.blocks.contains_key(&index) {
            return Err(StreamError::broken(format!("the block {index} begins twice")));
        }
        if self.blocks.len() >= MAX_BLOCKS {
            return Err(StreamError::TooLarge { what: "the list of blocks", limit: MAX_BLOCKS });
        }
        calls.keep(size)?;
        // The message goes on, so what came before was not cut.
        calls.release()?;
        let Some(Value::Object(fields)) = event.get("content_block") else {
            return Err(StreamError::broken(format!("the block {index} is no object")));
        };
        let slot = match fields.get("type").and_then(Value::as_str) {
            Some("tool_use") => {
                let text = |field: &str| match fields.get(field) {
                    Some(Value::String(text)) => Ok(text.as_str()),
                    _ => Err(StreamError::broken(format!("the call in block {index} has no `{field}`"))),
                };
                Some(calls.begin(text("id")?, text("name")?, CallKind::Function)?)
            }
            _ => None,
        };
        self.blocks.insert(index, Block::new(fields.clone(), slot));
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Delta<'_>, calls: &mut Calls) -> Result<(), StreamError> {
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err(StreamError::broken(format!("there is more of block {index}, which did not begin")));
        };
        block.push(delta, calls)
    }

    fn block_end(&mut self, index: u64, calls: &mut Calls) -> Result<(), StreamError> {
        let Some(block) = self.blocks.get_mut(&index) else { return Ok(()) };
        if std::mem::replace(&mut block.stopped, true) {
            return Ok(());
        }
        let Some(slot) = block.slot else { return Ok(()) };
        let text = calls.text(slot).trim_ascii();
        let given = block
            .fields
            .get("input")
            .filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
        let (call, is_certain) = match (text, given) {
            // The whole input came with the start of the block.
            ("", Some(input)) => (calls.call(slot, &input.to_string()), true),
            ("", None) => (calls.call(slot, ""), false),
            _ => {
                let call = calls.call(slot, calls.text(slot));
                let is_certain = call.as_ref().is_some_and(is_readable);
                (call, is_certain)
            }
        };
        let Some(call) = call else { return Ok(()) };
        let call = call.with_extra(super::decode::extra(&block.fields));
        if is_certain { calls.complete(slot, call) } else { calls.hold(slot, call) }
    }

    fn message_delta(&mut self, event: &Value, calls: &mut Calls) -> Result<(), StreamError> {
        if let Some(Value::Object(more)) = event.get("usage") {
            let usage = self.usage.get_or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(usage) = usage {
                usage.extend(more.clone());
            }
        }
        match event.get("delta").and_then(|delta| delta.get("stop_reason")) {
            Some(Value::String(reason)) => {
                if let Some(before) = self.stop_reason.as_ref().filter(|before| *before != reason) {
                    let (before, reason) = (excerpt(before), excerpt(reason));
                    return Err(StreamError::broken(format!("it ends with `{before}` and with `{reason}`")));
                }
                self.stop_reason = Some(reason.clone());
                if reason == "tool_use" { calls.release() } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, calls: &mut Calls) -> Result<Flow, StreamError> {
        if self.id.is_none() {
            return Err(StreamError::broken("a message ends that did not begin"));
        }
        match self.stop_reason.as_deref() {
            None | Some("tool_use") => calls.release()?,
            Some(_) => calls.cut(),
        }
        calls.end()?;
        Ok(Flow::Ended(WireForm::Anthropic.stop(self.stop_reason.as_deref(), calls.any_ready())))
    }
}

fn index(event: &Value) -> Result<u64, StreamError> {
    event
        .get("index")
        .and_then(Value::as_u64)
        .ok_or_else(|| StreamError::broken("an event of a block does not say of which"))
}
