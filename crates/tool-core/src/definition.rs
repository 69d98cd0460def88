//! What is said about a tool to models: name, text, schemas. Static, so that its bytes are stable.

use crate::{Concurrency, Effects, ToolName, ToolNameError};
use serde_json::Value;
use std::sync::Arc;

/// Where a tool comes from.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ToolOrigin {
    /// Part of the program that runs.
    BuiltIn,
    /// A tool of an MCP server.
    Mcp {
        /// Name of the server as configured.
        server: Arc<str>,
        /// Name of the tool at the server.
        tool: Arc<str>,
    },
    /// Made on first use by a dynamic provider.
    Dynamic,
}

/// A tool as models and rules know it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// Canonical name.
    pub name: ToolName,
    /// Text for the model.
    pub description: String,
    /// JSON Schema of the input; its root has `type: "object"`.
    pub input_schema: Arc<Value>,
    /// JSON Schema of the structured output, when there is one.
    pub output_schema: Option<Arc<Value>>,
    /// Inputs that are valid and typical.
    pub examples: Vec<Value>,
    /// Other names that are accepted in calls and rules, not offered to the model.
    pub aliases: Vec<ToolName>,
    /// Where it comes from.
    pub origin: ToolOrigin,
    /// Words to find it by when it is deferred.
    pub search_hint: Option<String>,
    /// Whether it always needs a person.
    pub needs_person: bool,
    /// Whether it is left out of the prompt until it is searched for.
    pub deferred: bool,
    /// Whether calls may run beside others; the strictest value where that is decided a call. Informs people
    /// and other clients; what counts is what the call itself says.
    pub concurrency: Concurrency,
    /// The worst that calls may do; informs like `concurrency`.
    pub effects: Effects,
    /// Most characters of text in a result before it goes to a file; `None` is without limit.
    pub max_inline_chars: Option<usize>,
}

/// A tool cannot be defined so.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The name or an alias is none.
    #[error(transparent)]
    Name(#[from] ToolNameError),
    /// The schema is none that model APIs accept.
    #[error("the input schema of `{name}` {problem}")]
    Schema {
        /// Which tool.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

impl ToolDefinition {
    /// Characters of text that stay inline when a tool says nothing else.
    pub const DEFAULT_INLINE_CHARS: usize = 50_000;

    /// A built-in tool without aliases and examples.
    ///
    /// # Errors
    /// When `name` is no tool name or the schema's root is no object type.
    pub fn new(
        name: impl AsRef<str>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Result<Self, DefinitionError> {
        let name = ToolName::new(name)?;
        if input_schema.get("type").and_then(Value::as_str) != Some("object") {
            let problem =
                "has no `\"type\": \"object\"` at its root; model APIs accept nothing else".to_owned();
            return Err(DefinitionError::Schema { name: name.to_string(), problem });
        }
        Ok(Self {
            name,
            description: description.into(),
            input_schema: Arc::new(input_schema),
            output_schema: None,
            examples: Vec::new(),
            aliases: Vec::new(),
            origin: ToolOrigin::BuiltIn,
            search_hint: None,
            needs_person: false,
            deferred: false,
            concurrency: Concurrency::Exclusive,
            effects: Effects::Destructive,
            max_inline_chars: Some(Self::DEFAULT_INLINE_CHARS),
        })
    }

    /// The same definition with these aliases.
    ///
    /// # Errors
    /// When one is no tool name.
    pub fn with_aliases(mut self, aliases: &[&str]) -> Result<Self, DefinitionError> {
        self.aliases = aliases.iter().map(ToolName::new).collect::<Result<_, _>>()?;
        Ok(self)
    }
}
