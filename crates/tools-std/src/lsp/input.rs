//! What can be asked.

use crate::input::check_text;
use pegboard_tool_core::{InvalidInput, Violation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question to a language server.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Operation {
    /// Where a symbol is defined.
    Definition,
    /// Where a symbol is used.
    References,
    /// Type and documentation of a symbol.
    Hover,
    /// The symbols of a file.
    DocumentSymbols,
    /// Symbols of the project by name.
    WorkspaceSymbols,
    /// What implements a type, trait or method.
    Implementation,
    /// Who calls a function.
    IncomingCalls,
    /// What a function calls.
    OutgoingCalls,
    /// Errors and warnings of a file.
    Diagnostics,
}

impl Operation {
    /// Whether it is about one place in a file.
    pub(super) fn is_about_place(self) -> bool {
        match self {
            Self::Definition
            | Self::References
            | Self::Hover
            | Self::Implementation
            | Self::IncomingCalls
            | Self::OutgoingCalls => true,
            Self::DocumentSymbols | Self::WorkspaceSymbols | Self::Diagnostics => false,
        }
    }

    /// Its name in inputs.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::References => "references",
            Self::Hover => "hover",
            Self::DocumentSymbols => "document_symbols",
            Self::WorkspaceSymbols => "workspace_symbols",
            Self::Implementation => "implementation",
            Self::IncomingCalls => "incoming_calls",
            Self::OutgoingCalls => "outgoing_calls",
            Self::Diagnostics => "diagnostics",
        }
    }
}

/// Input of [`super::Lsp`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LspInput {
    /// What to ask: definition, references, hover, implementation, incoming_calls, outgoing_calls (of a symbol in a
    /// file), document_symbols, diagnostics (of a file), workspace_symbols (of the project).
    pub operation: Operation,
    /// The file; needed by everything but workspace_symbols.
    #[serde(default)]
    pub file_path: Option<String>,
    /// Line of the symbol, from 1, as Read shows it. With `symbol` it may be left out: then where the file declares it,
    /// else the first line with it.
    #[serde(default)]
    pub line: Option<u32>,
    /// Column of the symbol in characters, from 1. Giving `symbol` is easier.
    #[serde(default)]
    pub character: Option<u32>,
    /// The symbol as it stands in the line, instead of counting columns.
    #[serde(default)]
    pub symbol: Option<String>,
    /// For workspace_symbols: the name or a part of it.
    #[serde(default)]
    pub query: Option<String>,
}

impl LspInput {
    /// What a schema cannot say.
    pub(super) fn check(&self) -> Result<(), InvalidInput> {
        let wrong = |field: &str, text: String| {
            Err(InvalidInput::with_violations(text.clone(), vec![Violation::new(format!("/{field}"), text)]))
        };
        let name = self.operation.name();
        if let Some(path) = &self.file_path {
            check_text("file_path", path)?;
        } else if self.operation != Operation::WorkspaceSymbols {
            return wrong("file_path", format!("`{name}` needs `file_path`"));
        }
        if self.line == Some(0) || self.character == Some(0) {
            return wrong("line", "`line` and `character` count from 1".to_owned());
        }
        if let Some(symbol) = &self.symbol {
            check_text("symbol", symbol)?;
            if symbol.contains('\n') {
                return wrong("symbol", "`symbol` stands in one line".to_owned());
            }
        }
        let has_place = self.symbol.is_some() || self.line.is_some() && self.character.is_some();
        if self.operation.is_about_place() && !has_place {
            return wrong("symbol", format!("`{name}` needs `line` and `symbol`, or `line` and `character`"));
        }
        match (&self.query, self.operation) {
            (None, Operation::WorkspaceSymbols) => wrong("query", format!("`{name}` needs `query`")),
            (Some(_), other) if other != Operation::WorkspaceSymbols => {
                wrong("query", format!("`query` is for workspace_symbols, not for {name}"))
            }
            _ => Ok(()),
        }
    }
}
