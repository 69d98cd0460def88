//! The fields of a tool's input: read with their types, and under the names that rules use.

use crate::fault::FaultKind;
use serde_json::{Map, Value};

/// The input of a call of `tool`, as the host names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    pub(crate) tool: &'a str,
    pub(crate) input: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// A field that is there and not null.
    pub(crate) fn get(&self, field: &str) -> Option<&'a Value> {
        self.input.get(field).filter(|value| !value.is_null())
    }

    /// A text, or nothing.
    pub(crate) fn text(&self, field: &'static str) -> Result<Option<&'a str>, FaultKind> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(field, "a text")),
        }
    }

    /// A text that must be there.
    pub(crate) fn required(&self, field: &'static str) -> Result<&'a str, FaultKind> {
        self.text(field)?.ok_or_else(|| self.wrong(field, "a text"))
    }

    /// A list of texts, or one text; nothing is an empty list.
    pub(crate) fn texts(&self, field: &'static str) -> Result<Vec<&'a str>, FaultKind> {
        match self.get(field) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(list)) => list
                .iter()
                .map(|item| item.as_str().ok_or_else(|| self.wrong(field, "a list of texts")))
                .collect(),
            Some(_) => Err(self.wrong(field, "a list of texts")),
        }
    }

    /// The input with fields under other names. The new name wins over a field that has it already.
    pub(crate) fn renamed(&self, names: &[(&str, &str)]) -> Map<String, Value> {
        let mut renamed = Map::new();
        for (name, value) in self.input {
            let is_old = names.iter().any(|(old, _)| old == name);
            let is_taken = names.iter().any(|(old, new)| new == name && self.get(old).is_some());
            if !is_old && !is_taken && !value.is_null() {
                renamed.insert(name.clone(), value.clone());
            }
        }
        for (old, new) in names {
            if let Some(value) = self.get(old) {
                renamed.insert((*new).to_owned(), value.clone());
            }
        }
        renamed
    }

    /// What to say of a field that cannot be read.
    pub(crate) fn wrong(&self, field: &'static str, wanted: &'static str) -> FaultKind {
        FaultKind::Input { tool: crate::reason::shortened(self.tool, 64), field, wanted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_renamed_field_wins_over_one_of_the_new_name() {
        let input = json!({"dir_path": "secret", "path": "src", "x": 1, "y": null});
        let fields = Fields { tool: "glob", input: input.as_object().unwrap() };
        let renamed = Value::Object(fields.renamed(&[("dir_path", "path")]));
        assert_eq!(renamed, json!({"x": 1, "path": "secret"}));
    }
}
