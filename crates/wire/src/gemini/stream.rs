//! Reads the chunks of a streamed response.

use super::decode::call;
use crate::WireForm;
use crate::stream::{Calls, Flow, Machine, Slot, StreamError, api_error, value_of};
use serde_json::{Value, json};

/// Most parts of a content.
const MAX_PARTS: usize = 1_000_000;

/// Chunks of `streamGenerateContent`: each is a response, each call stands whole in one of them. The message
/// ends with the bytes or the array, once a chunk said why. Parts are kept one by one: they must go
/// back neither joined nor split, each with its own signature.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    began: bool,
    response_id: Option<String>,
    parts: Vec<(Value, Option<Slot>)>,
    ordinal: usize,
    finish_reason: Option<String>,
    usage: Option<Value>,
    model: Option<String>,
}

impl Machine for Stream {
    fn event(&mut self, _: Option<&str>, json: &[u8], calls: &mut Calls) -> Result<Flow, StreamError> {
        let chunk = value_of(json)?;
        if let Some(error) = api_error(&chunk) {
            return Err(error);
        }
        if let Some(id) = chunk.get("responseId").and_then(Value::as_str) {
            if self.response_id.as_deref().is_some_and(|before| before != id) {
                return Ok(if self.finish_reason.is_none() { Flow::Another } else { Flow::More });
            }
            self.response_id = Some(id.to_owned());
        }
        if let Some(model) = chunk.get("modelVersion").and_then(Value::as_str) {
            self.model = Some(model.to_owned());
        }
        self.usage = chunk.get("usageMetadata").cloned().or(self.usage.take());
        if let Some(reason) = chunk.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            self.began = true;
            self.finish_reason = Some(reason.to_owned());
        }
        let candidates =
            chunk.get("candidates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_first = |candidate: &&Value| candidate.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for candidate in candidates.iter().filter(is_first) {
            self.began = true;
            if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str)
                && (self.finish_reason.is_none() || self.ends_well())
            {
                self.finish_reason = Some(reason.to_owned());
            }
            let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
            for part in parts.map(Vec::as_slice).unwrap_or_default() {
                self.part(part, calls)?;
            }
        }
        calls.keep(json.len())?;
        if self.finish_reason.is_some() && !self.ends_well() {
            calls.cut();
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, calls: &mut Calls) -> Result<Flow, StreamError> {
        let Some(reason) = &self.finish_reason else {
            let place = if self.began { "before the message ended" } else { "before a message began" };
            return Err(StreamError::Cut { place: place.to_owned() });
        };
        calls.end()?;
        Ok(Flow::Ended(WireForm::Gemini.stop(Some(reason), calls.any_ready())))
    }

    fn message(&self, calls: &Calls) -> Option<Value> {
        let is_sent = |slot: &Option<Slot>| slot.is_none_or(|slot| calls.ready(slot).is_some());
        let parts = self.parts.iter().filter(|(_, slot)| is_sent(slot));
        let parts: Vec<&Value> = parts.map(|(part, _)| part).collect();
        self.began.then(|| json!({"role": "model", "parts": parts}))
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
        matches!(self.finish_reason.as_deref(), Some("STOP" | "FINISH_REASON_UNSPECIFIED"))
    }

    fn part(&mut self, part: &Value, calls: &mut Calls) -> Result<(), StreamError> {
        let Value::Object(fields) = part else {
            return Err(StreamError::broken("a part is no object"));
        };
        if self.parts.len() >= MAX_PARTS {
            return Err(StreamError::TooLarge { what: "the list of parts", limit: MAX_PARTS });
        }
        let in_pieces = |call: &Value| {
            call.get("partialArgs").is_some() || call.get("willContinue") == Some(&true.into())
        };
        if fields.get("functionCall").is_some_and(in_pieces) {
            let problem = "a call comes in pieces (`partialArgs`); leave `streamFunctionCallArguments` off";
            return Err(StreamError::broken(problem));
        }
        let place = format!("parts[{}]", self.parts.len());
        let found = call(fields, self.response_id.as_deref(), self.ordinal, &place);
        let slot = match found.map_err(|error| StreamError::broken(error.to_string()))? {
            None => None,
            Some((call, kind)) => {
                self.ordinal += 1;
                let slot = calls.begin(&call.id, &call.name, kind)?;
                if self.finish_reason.is_none() || self.ends_well() {
                    let input = fields.get("functionCall").and_then(|call| call.get("args"));
                    calls.input(slot, &input.map(Value::to_string).unwrap_or_default())?;
                    calls.complete(slot, call)?;
                }
                Some(slot)
            }
        };
        self.parts.push((part.clone(), slot));
        Ok(())
    }
}
