//! Fields that a strict schema had to make required, so that the model says null where it means nothing.

use serde_json::Value;
use std::collections::BTreeMap;

/// Where nulls of an input mean that a field is absent.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Nulls {
    fields: BTreeMap<String, Field>,
    items: Option<Box<Self>>,
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Field {
    means_absent: bool,
    /// Null is a value of its own there.
    is_value: bool,
    below: Nulls,
}

impl Nulls {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_none() && self.fields.is_empty()
    }

    /// Notes a field: whether the null was added to its schema, or was there.
    pub(crate) fn field(&mut self, name: &str, was_added: bool, was_there: bool, below: Self) {
        if was_added || was_there || !below.is_empty() {
            self.fields
                .insert(name.to_owned(), Field { means_absent: was_added, is_value: was_there, below });
        }
    }

    pub(crate) fn items(&mut self, below: Self) {
        if !below.is_empty() {
            self.items = Some(Box::new(below));
        }
    }

    /// Adds what holds in another alternative; `false` when the two contradict each other.
    pub(crate) fn merge(&mut self, other: Self) -> bool {
        let mut agrees = true;
        for (name, theirs) in other.fields {
            let ours = self.fields.entry(name).or_default();
            ours.means_absent |= theirs.means_absent;
            ours.is_value |= theirs.is_value;
            agrees &= !(ours.means_absent && ours.is_value);
            agrees &= ours.below.merge(theirs.below);
        }
        match (&mut self.items, other.items) {
            (Some(ours), Some(theirs)) => agrees &= ours.merge(*theirs),
            (ours @ None, theirs) => *ours = theirs,
            (Some(_), None) => {}
        }
        agrees
    }

    /// Takes the nulls that mean nothing out of an input.
    pub(crate) fn strip(&self, input: &mut Value) {
        match input {
            Value::Object(fields) => {
                fields.retain(|name, value| {
                    !(value.is_null() && self.fields.get(name).is_some_and(|field| field.means_absent))
                });
                for (name, value) in fields.iter_mut() {
                    if let Some(field) = self.fields.get(name) {
                        field.below.strip(value);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(below) = &self.items {
                    items.iter_mut().for_each(|item| below.strip(item));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
