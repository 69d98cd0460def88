//! What Edit takes: one replacement, as models are told, or blocks of lines, as the names of another agent
//! make them. Hooks and rules see both in the same fields.

use crate::file::edit_engine::{Occurrences, Replacement};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// Input of [`super::Edit`].
#[derive(Clone, Debug, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EditInput {
    /// File to change; an absolute path is best.
    pub file_path: String,
    /// Text to replace, exactly as it is in the file. Empty: create the file.
    pub old_string: String,
    /// Text to put there.
    pub new_string: String,
    /// Replace every occurrence instead of the only one.
    #[serde(default)]
    pub replace_all: bool,
    /// Blocks of whole lines, each replaced at the one place where it is, all of them or none. Models are not
    /// told of it: calls under other names are made into it. `old_string` and `new_string` are their texts
    /// joined then, so that whoever looks at those sees all of it.
    #[schemars(skip)]
    pub edits: Vec<LineEdit>,
}

/// One block of lines to replace. Both texts are whole lines with their ends; the new one may be empty.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LineEdit {
    /// The lines as they are in the file.
    pub old_string: String,
    /// The lines to put there.
    pub new_string: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    file_path: String,
    old_string: Option<String>,
    new_string: Option<String>,
    #[serde(default)]
    replace_all: bool,
    #[serde(default)]
    edits: Vec<LineEdit>,
}

impl<'de> Deserialize<'de> for EditInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Fields { file_path, old_string, new_string, replace_all, edits } =
            Fields::deserialize(deserializer)?;
        let (old_string, new_string) = if edits.is_empty() {
            let missing = de::Error::missing_field;
            (
                old_string.ok_or_else(|| missing("old_string"))?,
                new_string.ok_or_else(|| missing("new_string"))?,
            )
        } else {
            let (old, new) = joined(&edits);
            let agree = |given: Option<String>, joined: &str| given.is_none_or(|given| given == joined);
            // Somebody who changed only the joined text would think that it counts.
            if !agree(old_string, &old) || !agree(new_string, &new) {
                return Err(de::Error::custom(
                    "`edits` holds the replacements, and `old_string` and `new_string` are no longer its texts \
                     joined; change `edits`",
                ));
            }
            if replace_all {
                return Err(de::Error::custom("`replace_all` does not go with `edits`"));
            }
            (old, new)
        };
        Ok(Self { file_path, old_string, new_string, replace_all, edits })
    }
}

impl EditInput {
    /// The replacements.
    pub(super) fn replacements(&self) -> Vec<Replacement<'_>> {
        if self.edits.is_empty() {
            let occurrences = if self.replace_all { Occurrences::All } else { Occurrences::Unique };
            return vec![Replacement { old: &self.old_string, new: &self.new_string, occurrences }];
        }
        self.edits
            .iter()
            .map(|edit| Replacement {
                old: &edit.old_string,
                new: &edit.new_string,
                occurrences: Occurrences::Lines,
            })
            .collect()
    }

    /// Whether it makes a file.
    pub(super) fn creates(&self) -> bool {
        self.old_string.is_empty()
    }
}

/// The texts of blocks, one after the other.
fn joined(edits: &[LineEdit]) -> (String, String) {
    let old = edits.iter().map(|edit| edit.old_string.as_str()).collect();
    let new = edits.iter().map(|edit| edit.new_string.as_str()).collect();
    (old, new)
}

/// Adds the joined texts to what hooks and rules see of blocks.
pub(super) fn join_texts(input: &mut Value) {
    let Some(edits) = input.get("edits").and_then(|edits| Vec::<LineEdit>::deserialize(edits).ok()) else {
        return;
    };
    if let (Value::Object(fields), false) = (input, edits.is_empty()) {
        let (old, new) = joined(&edits);
        fields.insert("old_string".to_owned(), old.into());
        fields.insert("new_string".to_owned(), new.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hooks_see_the_texts_of_all_blocks_and_cannot_change_them_by_halves() {
        let block = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
        let mut input = json!({"file_path": "f", "edits": [block("a\n", "b\n"), block("c\n", "")]});
        join_texts(&mut input);
        assert_eq!((&input["old_string"], &input["new_string"]), (&json!("a\nc\n"), &json!("b\n")));
        assert!(EditInput::deserialize(&input).is_ok());
        input["new_string"] = json!("other");
        let error = EditInput::deserialize(&input).unwrap_err().to_string();
        assert!(error.contains("change `edits`"), "{error}");
        let error = EditInput::deserialize(&json!({"file_path": "f", "new_string": ""})).unwrap_err();
        assert!(error.to_string().contains("missing field `old_string`"), "{error}");
    }
}
