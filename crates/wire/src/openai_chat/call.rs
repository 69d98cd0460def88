//! One call of a streamed completion.

use crate::stream::{Calls, Slot, ValueScan};
use serde_json::{Map, Value, json};

/// A call that is being read.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) slot: Option<Slot>,
    pub(super) is_custom: bool,
    /// Arguments that came before id and name did.
    pub(super) early: String,
    /// Looks for the end of the arguments, as long as that may come.
    pub(super) scan: Option<ValueScan>,
    pub(super) is_whole: bool,
    pub(super) extra: Map<String, Value>,
}

impl Call {
    /// The call as it goes back, when it became ready.
    pub(super) fn finished(&self, calls: &Calls) -> Option<Value> {
        let slot = self.slot?;
        calls.ready(slot)?;
        let text = calls.text(slot);
        let mut call = match self.is_custom {
            true => json!({"id": self.id, "type": "custom", "custom": {"name": self.name, "input": text}}),
            false => {
                json!({"id": self.id, "type": "function", "function": {"name": self.name, "arguments": text}})
            }
        };
        if let Value::Object(call) = &mut call {
            call.extend(self.extra.clone());
        }
        Some(call)
    }
}

/// Adds a piece of a field: texts are joined, lists appended, anything else is replaced.
pub(super) fn join(fields: &mut Map<String, Value>, name: &str, value: &Value) {
    match (fields.get_mut(name), value) {
        (Some(Value::String(text)), Value::String(more)) => text.push_str(more),
        (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
        (Some(_), Value::Null) => {}
        _ => drop(fields.insert(name.to_owned(), value.clone())),
    }
}
