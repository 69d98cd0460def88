//! What is answered, and how it reads.

use super::input::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of a name, a detail or a source line.
const MOST_CHARS: usize = 300;

/// Output of [`super::Lsp`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LspOutput {
    /// What was asked.
    pub operation: Operation,
    /// Which servers answered.
    pub servers: Vec<String>,
    /// What they answered.
    pub items: Vec<LspItem>,
    /// How many there are; more than `items` when not all are shown.
    pub total: usize,
    /// What the reader must know beside the items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// One thing that a server knows.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LspItem {
    /// File; relative to the working directory where it is below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column in characters, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<usize>,
    /// Kind of a symbol, or severity of a diagnostic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Name of a symbol, or code of a diagnostic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The source line, a detail, a message, or the text of a hover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How deep a symbol is inside of others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(depth: &usize) -> bool {
    *depth == 0
}

/// A text of one line, bounded.
pub(super) fn short(text: &str) -> String {
    let text = text.replace('\0', "\u{2400}").replace(['\n', '\r', '\t'], " ");
    let text = text.trim();
    match text.char_indices().nth(MOST_CHARS) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl LspItem {
    fn words(&self) -> String {
        let place = match (&self.path, self.line, self.character) {
            (Some(path), Some(line), Some(character)) => Some(format!("{path}:{line}:{character}")),
            (Some(path), _, _) => Some(path.clone()),
            _ => None,
        };
        let named: Vec<&str> = self.kind.iter().chain(&self.name).map(String::as_str).collect();
        let named = (!named.is_empty()).then(|| named.join(" "));
        let indent = "  ".repeat(self.depth.min(20));
        let text =
            [place.clone(), named, self.text.clone()].into_iter().flatten().collect::<Vec<_>>().join(": ");
        match (place, self.line) {
            (None, Some(line)) => format!("{indent}{text} (line {line})"),
            _ => format!("{indent}{text}"),
        }
    }
}

impl LspOutput {
    /// The text for the model.
    pub(super) fn words(&self) -> String {
        let mut lines: Vec<String> = self.items.iter().map(LspItem::words).collect();
        if lines.is_empty() {
            lines.push(match self.operation {
                Operation::Definition => "No definition found.".to_owned(),
                Operation::References => "No references found.".to_owned(),
                Operation::Hover => "Nothing is known about this place.".to_owned(),
                Operation::Implementation => "No implementations found.".to_owned(),
                Operation::IncomingCalls => "No callers found.".to_owned(),
                Operation::OutgoingCalls => "No calls found.".to_owned(),
                Operation::Diagnostics => "No errors or warnings.".to_owned(),
                Operation::DocumentSymbols | Operation::WorkspaceSymbols => "No symbols found.".to_owned(),
            });
        }
        if self.total > self.items.len() {
            lines.push(format!("[{} of {} shown]", self.items.len(), self.total));
        }
        lines.extend(self.notices.iter().map(|notice| format!("[{notice}]")));
        lines.join("\n")
    }
}
