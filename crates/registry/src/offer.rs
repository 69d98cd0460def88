//! Tools on their way into a pool: what is offered under which name, and what runs behind it.

use crate::InputAdapter;
use pegboard_tool_core::{DynTool, ToolDefinition, ToolName};
use serde_json::Value;
use std::sync::Arc;

/// Which part of the pool a tool stands in. Built-in tools come first and win over MCP tools.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "the order of the pool has two parts")]
pub enum Partition {
    /// Part of the program that runs.
    BuiltIn,
    /// From an MCP server.
    Mcp,
}

/// Another name that is accepted in calls and rules, not offered to the model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Alias {
    /// The name.
    pub name: ToolName,
    /// How its input becomes the tool's own; `None` when it is the same.
    pub adapter: Option<InputAdapter>,
    /// What an adapted input is judged by, where that is more than the tool tells models; `None` for the tool's
    /// own schema.
    pub adapted_schema: Option<Arc<Value>>,
}

impl Alias {
    /// A name for the same input.
    #[must_use]
    pub fn new(name: ToolName) -> Self {
        Self { name, adapter: None, adapted_schema: None }
    }

    /// A name for an input of another shape.
    #[must_use]
    pub fn adapted(name: ToolName, adapter: InputAdapter) -> Self {
        Self { name, adapter: Some(adapter), adapted_schema: None }
    }
}

/// A second entry for a tool: offered to the model under its own name, the same instance behind it.
/// Rules and hooks see calls of it under the inner tool's canonical name, with the adapted input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SharedTool {
    /// Name that is offered.
    pub name: ToolName,
    /// What runs.
    pub inner: Arc<dyn DynTool>,
    /// Text for the model; `None` for the inner tool's.
    pub description: Option<String>,
    /// Schema that is offered; `None` for the inner tool's.
    pub schema: Option<Arc<Value>>,
    /// How an input becomes the inner tool's own; `None` when it is the same.
    pub adapter: Option<InputAdapter>,
    /// What an adapted input is judged by; `None` for the inner tool's schema.
    pub adapted_schema: Option<Arc<Value>>,
}

impl SharedTool {
    /// The tool `inner` under another name, otherwise the same.
    #[must_use]
    pub fn new(name: ToolName, inner: Arc<dyn DynTool>) -> Self {
        Self { name, inner, description: None, schema: None, adapter: None, adapted_schema: None }
    }
}

/// A tool that wants into a pool.
#[derive(Clone, Debug)]
pub struct Offer {
    pub(crate) definition: Arc<ToolDefinition>,
    pub(crate) tool: Arc<dyn DynTool>,
    pub(crate) aliases: Vec<Alias>,
    /// Set for shared tools.
    pub(crate) shared: Option<Shared>,
}

/// What an offer has beyond its tool when it is shared.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) adapter: Option<InputAdapter>,
    pub(crate) adapted_schema: Option<Arc<Value>>,
    /// Whether the offered schema differs from the inner tool's.
    pub(crate) own_schema: bool,
}

impl Offer {
    /// A tool under its own name, with the aliases of its definition.
    #[must_use]
    pub fn new(tool: Arc<dyn DynTool>) -> Self {
        let definition = Arc::new(tool.definition().clone());
        let aliases = definition.aliases.iter().cloned().map(Alias::new).collect();
        Self { definition, tool, aliases, shared: None }
    }

    /// A second entry for a tool.
    #[must_use]
    pub fn shared(shared: SharedTool) -> Self {
        let SharedTool { name, inner, description, schema, adapter, adapted_schema } = shared;
        let mut definition = inner.definition().clone();
        definition.name = name;
        definition.aliases.clear();
        if let Some(description) = description {
            definition.description = description;
        }
        let own_schema = schema.is_some();
        if let Some(schema) = schema {
            definition.input_schema = schema;
            // The inner tool's examples have the inner tool's shape.
            definition.examples.clear();
        }
        let shared = Some(Shared { adapter, adapted_schema, own_schema });
        Self { definition: Arc::new(definition), tool: inner, aliases: Vec::new(), shared }
    }

    /// The same offer, accepted under another name too.
    #[must_use]
    pub fn with_alias(mut self, alias: Alias) -> Self {
        // The definition names it too, so that rules and hook matchers that are written for it hold.
        if !self.definition.aliases.contains(&alias.name) {
            Arc::make_mut(&mut self.definition).aliases.push(alias.name.clone());
        }
        self.aliases.retain(|known| known.name != alias.name);
        self.aliases.push(alias);
        self
    }

    /// What is offered.
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// What runs.
    #[must_use]
    pub fn tool(&self) -> &Arc<dyn DynTool> {
        &self.tool
    }
}
