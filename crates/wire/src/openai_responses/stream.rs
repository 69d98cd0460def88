//! Reads the events of a streamed response.

use super::decode::{call, cut_status, stop_reason};
use crate::WireForm;
use crate::incoming::CallKind;
use crate::shape::excerpt;
use crate::stream::{Calls, Flow, Machine, Slot, StreamError, api_error, value_of};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// Most items of a response.
const MAX_ITEMS: usize = 100_000;

/// Events of the Responses API. A call is complete with its `output_item.done`, whose arguments count; items
/// that came without one are taken from `response.completed`.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Id of the response, once it began.
    id: Option<Option<String>>,
    items: BTreeMap<u64, Item>,
    /// Places of items by their own ids, for events that do not say the place.
    places: HashMap<String, u64>,
    stop_reason: Option<String>,
    usage: Option<Value>,
    model: Option<String>,
}

#[derive(Debug, Default)]
struct Item {
    slot: Option<Slot>,
    /// The item, once it is complete.
    done: Option<Value>,
}

/// The events that there are most of, read without a tree.
#[derive(Deserialize)]
struct DeltaEvent<'e> {
    #[serde(rename = "type")]
    kind: &'e str,
    output_index: u64,
    #[serde(borrow)]
    delta: Cow<'e, str>,
}

impl Machine for Stream {
    fn event(&mut self, _: Option<&str>, json: &[u8], calls: &mut Calls) -> Result<Flow, StreamError> {
        if let Ok(event) = serde_json::from_slice::<DeltaEvent<'_>>(json) {
            match event.kind {
                "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                    self.delta(Some(event.output_index), &event.delta, calls)?;
                    return Ok(Flow::More);
                }
                // Texts come whole with their item.
                kind if kind.ends_with(".delta") => return Ok(Flow::More),
                _ => {}
            }
        }
        self.any_event(&value_of(json)?, json.len(), calls)
    }

    fn finish(&mut self, calls: &mut Calls) -> Result<Flow, StreamError> {
        let place = calls.open_place().unwrap_or_else(|| match self.id {
            None => "before a response began".to_owned(),
            Some(_) => "before the response ended".to_owned(),
        });
        Err(StreamError::Cut { place })
    }

    fn message(&self, calls: &Calls) -> Option<Value> {
        self.id.as_ref()?;
        let is_sent = |item: &&Item| item.slot.is_none_or(|slot| calls.ready(slot).is_some());
        let mut items: Vec<Value> =
            self.items.values().filter(is_sent).filter_map(|item| item.done.clone()).collect();
        // The API refuses reasoning without what it led to.
        let is_reasoning = |item: &Value| item.get("type").and_then(Value::as_str) == Some("reasoning");
        while self.is_cut(calls) && items.last().is_some_and(is_reasoning) {
            items.pop();
        }
        Some(items.into())
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
    fn is_cut(&self, calls: &Calls) -> bool {
        calls.any_dropped() || self.stop_reason.as_deref() != Some("completed")
    }

    fn any_event(&mut self, event: &Value, size: usize, calls: &mut Calls) -> Result<Flow, StreamError> {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "response.created" => return Ok(self.begin(event, calls)),
            "response.output_item.added" => self.added(event, size, calls)?,
            "response.output_item.done" => {
                calls.keep(size)?;
                let item = event.get("item").unwrap_or(&Value::Null);
                let place = self.place(event);
                self.done(place, item, calls)?;
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                let text = event.get("delta").and_then(Value::as_str).unwrap_or_default();
                let known = event.get("output_index").and_then(Value::as_u64).or_else(|| self.known(event));
                self.delta(known, text, calls)?;
            }
            "response.completed" | "response.incomplete" => return self.end(event, kind, calls),
            "response.failed" | "response.cancelled" => {
                let response = event.get("response").unwrap_or(event);
                return Err(api_error(response).unwrap_or_else(|| StreamError::Api {
                    kind: kind.to_owned(),
                    message: "without a text".to_owned(),
                }));
            }
            _ => {
                if let Some(error) = api_error(event) {
                    return Err(error);
                }
            }
        }
        Ok(Flow::More)
    }

    fn begin(&mut self, event: &Value, calls: &mut Calls) -> Flow {
        let id = event.pointer("/response/id").and_then(Value::as_str).map(str::to_owned);
        if let Some(before) = &self.id {
            if before.is_none() || *before != id {
                return Flow::Another;
            }
            calls.restart();
            self.items.clear();
            self.places.clear();
        }
        if let Some(model) = event.pointer("/response/model").and_then(Value::as_str) {
            self.model = Some(model.to_owned());
        }
        self.id = Some(id);
        Flow::More
    }

    fn known(&self, event: &Value) -> Option<u64> {
        let item_id = event.get("item_id").or_else(|| event.get("item")?.get("id"));
        self.places.get(item_id?.as_str()?).copied()
    }

    /// The place that an event is about: a new one when it does not say.
    fn place(&self, event: &Value) -> u64 {
        let next = || self.items.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
        event.get("output_index").and_then(Value::as_u64).or_else(|| self.known(event)).unwrap_or_else(next)
    }

    fn added(&mut self, event: &Value, size: usize, calls: &mut Calls) -> Result<(), StreamError> {
        if self.id.is_none() {
            return Err(StreamError::broken("an item begins before its response"));
        }
        if self.items.len() >= MAX_ITEMS {
            return Err(StreamError::TooLarge { what: "the list of items", limit: MAX_ITEMS });
        }
        let place = self.place(event);
        if self.items.contains_key(&place) {
            return Err(StreamError::broken(format!("the item {place} begins twice")));
        }
        calls.keep(size)?;
        let fields = event.get("item").and_then(Value::as_object);
        if let Some(id) = fields.and_then(|fields| fields.get("id")?.as_str()) {
            self.places.insert(id.to_owned(), place);
        }
        let slot = match fields {
            Some(fields) => begun(fields, place, calls)?,
            None => None,
        };
        self.items.insert(place, Item { slot, done: None });
        Ok(())
    }

    fn delta(&mut self, place: Option<u64>, text: &str, calls: &mut Calls) -> Result<(), StreamError> {
        match place.and_then(|place| self.items.get(&place)) {
            Some(Item { slot: Some(slot), .. }) => calls.input(*slot, text),
            _ => Err(StreamError::broken("there is more of a call that did not begin")),
        }
    }

    /// An item is complete: its own fields count, whatever came before.
    fn done(&mut self, place: u64, item: &Value, calls: &mut Calls) -> Result<(), StreamError> {
        let Value::Object(fields) = item else {
            return Err(StreamError::broken(format!("the item {place} is no object")));
        };
        if self.items.len() >= MAX_ITEMS {
            return Err(StreamError::TooLarge { what: "the list of items", limit: MAX_ITEMS });
        }
        let known = self.items.entry(place).or_default();
        if known.done.is_some() {
            return Ok(());
        }
        let found =
            call(fields, &format!("item {place}")).map_err(|error| StreamError::broken(error.to_string()))?;
        if let Some((call, _)) = found {
            let slot = match known.slot {
                Some(slot) => slot,
                None => begun(fields, place, calls)?
                    .ok_or_else(|| StreamError::broken(format!("the item {place} lacks its name")))?,
            };
            known.slot = Some(slot);
            if calls.id(slot) != Some(&*call.id) {
                let id = excerpt(&call.id);
                return Err(StreamError::broken(format!("the item {place} ends under another id, `{id}`")));
            }
            if cut_status(fields).is_none() {
                calls.complete(slot, call)?;
            }
        }
        known.done = Some(item.clone());
        Ok(())
    }

    fn end(&mut self, event: &Value, kind: &str, calls: &mut Calls) -> Result<Flow, StreamError> {
        if self.id.is_none() {
            return Err(StreamError::broken("a response ends that did not begin"));
        }
        let empty = Map::new();
        let response = event.get("response").and_then(Value::as_object).unwrap_or(&empty);
        self.usage = response.get("usage").cloned();
        let status = stop_reason(response).ok().flatten();
        let is_complete =
            kind == "response.completed" && status.as_deref().is_none_or(|status| status == "completed");
        let named = kind.strip_prefix("response.").unwrap_or(kind).to_owned();
        self.stop_reason = Some(if is_complete { named } else { status.unwrap_or(named) });
        if is_complete {
            let output =
                response.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for (place, item) in (0_u64..).zip(output) {
                self.done(place, item, calls)?;
            }
            calls.end()?;
        } else {
            calls.cut();
        }
        let stop = WireForm::OpenAiResponses.stop(self.stop_reason.as_deref(), calls.any_ready());
        Ok(Flow::Ended(stop))
    }
}

/// Begins the call that an item is, when it is one of ours.
fn begun(fields: &Map<String, Value>, place: u64, calls: &mut Calls) -> Result<Option<Slot>, StreamError> {
    let kind = match fields.get("type").and_then(Value::as_str) {
        Some("function_call") => CallKind::Function,
        Some("custom_tool_call") => CallKind::Custom,
        _ => return Ok(None),
    };
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => Ok(text.as_str()),
        _ => Err(StreamError::broken(format!("the call in item {place} has no `{name}`"))),
    };
    calls.begin(text("call_id")?, text("name")?, kind).map(Some)
}
