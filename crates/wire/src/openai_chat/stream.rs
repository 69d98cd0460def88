//! Reads the chunks of a streamed completion.

use super::call::{Call, join};
use super::piece::{Chunk, Piece};
use crate::WireForm;
use crate::incoming::{CallKind, is_readable};
use crate::shape::excerpt;
use crate::stream::{Calls, Flow, Machine, StreamError, ValueScan, api_error, value_of};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Chunks of Chat Completions.
///
/// Nothing marks the end of a call. It is complete when its arguments are a whole JSON object and a later
/// call begins (more arguments could only break it), or when the message ends well. The message ends with
/// `[DONE]` or with the bytes, once a chunk said why.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    id: Option<String>,
    began: bool,
    /// Fields of the message: texts joined, lists appended.
    fields: Map<String, Value>,
    calls: Vec<Call>,
    /// The call that an index means now.
    current: HashMap<u64, usize>,
    /// How many calls at the front are complete.
    complete: usize,
    finish_reason: Option<String>,
    usage: Option<Value>,
    model: Option<String>,
}

impl Machine for Stream {
    fn event(&mut self, _: Option<&str>, json: &[u8], calls: &mut Calls) -> Result<Flow, StreamError> {
        if let Ok(chunk) = serde_json::from_slice::<Chunk<'_>>(json)
            && let Some((index, arguments)) = chunk.only_arguments(self.id.as_deref())
            && let Some(at) = self.current.get(&index).copied()
        {
            self.arguments(at, arguments, calls)?;
            return Ok(Flow::More);
        }
        self.chunk(&value_of(json)?, json.len(), calls)
    }

    fn finish(&mut self, calls: &mut Calls) -> Result<Flow, StreamError> {
        let Some(reason) = self.finish_reason.clone() else {
            let place = calls.open_place().unwrap_or_else(|| match self.began {
                true => "before the message ended".to_owned(),
                false => "before a message began".to_owned(),
            });
            return Err(StreamError::Cut { place });
        };
        if self.ends_well() {
            self.complete_all(calls)?;
        } else {
            calls.cut();
        }
        calls.end()?;
        let stop = WireForm::OpenAiChat.stop(Some(&reason), calls.any_ready());
        Ok(Flow::Ended(stop))
    }

    fn message(&self, calls: &Calls) -> Option<Value> {
        if !self.began {
            return None;
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        message.insert("content".to_owned(), Value::Null);
        message.extend(self.fields.clone());
        let ready: Vec<Value> = self.calls.iter().filter_map(|call| call.finished(calls)).collect();
        if !ready.is_empty() {
            message.insert("tool_calls".to_owned(), ready.into());
        }
        Some(Value::Object(message))
    }

    fn stop_reason(&self) -> Option<&str> {
        self.finish_reason.as_deref()
    }

    fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    fn usage(&self) -> Option<&Value> {
        self.usage.as_ref()
    }
}

impl Stream {
    fn ends_well(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some("tool_calls" | "function_call" | "stop"))
    }

    fn chunk(&mut self, chunk: &Value, size: usize, calls: &mut Calls) -> Result<Flow, StreamError> {
        if let Some(error) = api_error(chunk) {
            return Err(error);
        }
        if let Some(model) = chunk.get("model").and_then(Value::as_str) {
            self.model = Some(model.to_owned());
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        if let Some(id) = chunk.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()) {
            match &self.id {
                Some(before) if before != id && self.began => {
                    return match self.finish_reason {
                        // Another message; this one is complete.
                        Some(_) => Ok(Flow::More),
                        None if WireForm::OpenAiChat.begins(chunk) => Ok(Flow::Another),
                        None => {
                            Err(StreamError::broken("a chunk of another message comes before this one ended"))
                        }
                    };
                }
                Some(_) => {}
                None => self.id = Some(id.to_owned()),
            }
        }
        let choices = chunk.get("choices").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.iter().filter(is_first) {
            self.began = true;
            // A server that does not stream gives the whole message.
            let delta =
                choice.get("delta").filter(|delta| delta.is_object()).or_else(|| choice.get("message"));
            if let Some(Value::Object(delta)) = delta {
                self.delta(delta, size, calls)?;
            }
            if let Some(reason) =
                choice.get("finish_reason").and_then(Value::as_str).filter(|text| !text.is_empty())
            {
                // The first that cuts stands, whatever follows.
                if self.finish_reason.is_none() || self.ends_well() {
                    self.finish_reason = Some(reason.to_owned());
                }
                if self.ends_well() {
                    self.complete_all(calls)?;
                } else {
                    calls.cut();
                }
            }
        }
        Ok(Flow::More)
    }

    fn delta(
        &mut self,
        delta: &Map<String, Value>,
        size: usize,
        calls: &mut Calls,
    ) -> Result<(), StreamError> {
        let others = delta.iter().filter(|(name, _)| !matches!(name.as_str(), "role" | "tool_calls"));
        let mut is_kept = false;
        for (name, value) in others {
            is_kept = true;
            join(&mut self.fields, name, value);
        }
        if is_kept {
            calls.keep(size)?;
        }
        let pieces = delta.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (position, piece) in pieces.iter().enumerate() {
            self.piece(&Piece::new(piece, position)?, size, calls)?;
        }
        Ok(())
    }

    fn piece(&mut self, piece: &Piece<'_>, size: usize, calls: &mut Calls) -> Result<(), StreamError> {
        let known = self.current.get(&piece.index).copied().filter(|at| {
            self.calls
                .get(*at)
                .is_some_and(|call| piece.id.is_empty() || call.id.is_empty() || call.id == piece.id)
        });
        let at = match known {
            Some(at) => at,
            None => {
                self.complete_whole(calls)?;
                let at = self.calls.len();
                calls.keep(size)?;
                let scan = (!piece.is_custom).then(ValueScan::default);
                self.calls.push(Call { is_custom: piece.is_custom, scan, ..Call::default() });
                self.current.insert(piece.index, at);
                at
            }
        };
        if let Some(call) = self.calls.get_mut(at) {
            if call.id.is_empty() {
                piece.id.clone_into(&mut call.id);
            }
            if call.name.is_empty() {
                piece.name.clone_into(&mut call.name);
            }
            for (name, value) in &piece.extra {
                calls.keep(size)?;
                join(&mut call.extra, name, value);
            }
            if call.slot.is_none() && !call.id.is_empty() && !call.name.is_empty() {
                let kind = if call.is_custom { CallKind::Custom } else { CallKind::Function };
                let slot = calls.begin(&call.id, &call.name, kind)?;
                call.slot = Some(slot);
                calls.input(slot, &std::mem::take(&mut call.early))?;
            }
        }
        self.arguments(at, &piece.arguments, calls)
    }

    fn arguments(&mut self, at: usize, text: &str, calls: &mut Calls) -> Result<(), StreamError> {
        let Some(call) = self.calls.get_mut(at) else { return Ok(()) };
        if let Some(scan) = &mut call.scan
            && scan.read(text.as_bytes()).is_some()
        {
            call.scan = None;
            call.is_whole = true;
        }
        match call.slot {
            Some(slot) => calls.input(slot, text),
            None => {
                calls.keep(text.len())?;
                call.early.push_str(text);
                Ok(())
            }
        }
    }

    /// Completes the calls at the front whose arguments are a whole object.
    fn complete_whole(&mut self, calls: &mut Calls) -> Result<(), StreamError> {
        while let Some(call) = self.calls.get_mut(self.complete) {
            let Some(slot) = call.slot.filter(|_| call.is_whole) else { return Ok(()) };
            match calls.call(slot, calls.text(slot)) {
                Some(ready) if is_readable(&ready) => {
                    calls.complete(slot, ready.with_extra(call.extra.clone()))?;
                }
                _ => {
                    // Not tried again.
                    call.is_whole = false;
                    return Ok(());
                }
            }
            self.complete += 1;
        }
        Ok(())
    }

    /// Completes every call: the message says that it ended well.
    fn complete_all(&mut self, calls: &mut Calls) -> Result<(), StreamError> {
        while let Some(call) = self.calls.get(self.complete) {
            let Some(slot) = call.slot else {
                let (id, name) = (excerpt(&call.id), excerpt(&call.name));
                return Err(StreamError::broken(format!("a call lacks its id (`{id}`) or name (`{name}`)")));
            };
            let ready = if call.is_custom { calls.custom(slot) } else { calls.call(slot, calls.text(slot)) };
            if let Some(ready) = ready {
                calls.complete(slot, ready.with_extra(call.extra.clone()))?;
            }
            self.complete += 1;
        }
        Ok(())
    }
}
