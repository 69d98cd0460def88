//! Everything that could exist: one flat list of entries, each with its factory, gate and aliases.

use crate::{Alias, DropReason, Dropped, Gate, InputAdapter, Offer, Partition, Services, SharedTool};
use pegboard_tool_core::{DynTool, ToolEnv, ToolName};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// What a factory answers.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a tool is made or it is not")]
pub enum Made {
    /// The tool.
    Tool(Arc<dyn DynTool>),
    /// It cannot be here, and why, in words for the operator. The name is then not registered.
    NotHere(String),
}

type Factory = dyn Fn(&Services, &ToolEnv) -> Made + Send + Sync;

/// A tool that could exist.
pub struct Entry {
    name: ToolName,
    factory: Arc<Factory>,
    gate: Gate,
    partition: Partition,
    aliases: Vec<Alias>,
}

impl Entry {
    /// A built-in tool that a factory makes; always there unless a gate is added. The tool must have the
    /// name `name`.
    pub fn new(
        name: ToolName,
        factory: impl Fn(&Services, &ToolEnv) -> Made + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            factory: Arc::new(factory),
            gate: Gate::Always,
            partition: Partition::BuiltIn,
            aliases: Vec::new(),
        }
    }

    /// A tool that is made already.
    #[must_use]
    pub fn of(tool: Arc<dyn DynTool>) -> Self {
        let name = tool.definition().name.clone();
        Self::new(name, move |_, _| Made::Tool(Arc::clone(&tool)))
    }

    /// The same entry behind this gate.
    #[must_use]
    pub fn gate(self, gate: Gate) -> Self {
        Self { gate, ..self }
    }

    /// The same entry in this part of the pool.
    #[must_use]
    pub fn partition(self, partition: Partition) -> Self {
        Self { partition, ..self }
    }

    /// The same entry, accepted under another name too.
    #[must_use]
    pub fn alias(mut self, alias: Alias) -> Self {
        self.aliases.push(alias);
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.name
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, factory: _, gate, partition, aliases } = self;
        f.debug_struct("Entry")
            .field("name", name)
            .field("gate", gate)
            .field("partition", partition)
            .field("aliases", aliases)
            .finish_non_exhaustive()
    }
}

/// A second entry for a tool of the catalog, see [`SharedTool`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SharedEntry {
    /// Name that is offered.
    pub name: ToolName,
    /// Name of the tool in the catalog that runs.
    pub of: ToolName,
    /// Text for the model; `None` for the inner tool's.
    pub description: Option<String>,
    /// Schema that is offered; `None` for the inner tool's.
    pub schema: Option<Arc<Value>>,
    /// How an input becomes the inner tool's own.
    pub adapter: Option<InputAdapter>,
    /// What an adapted input is judged by; `None` for the inner tool's schema.
    pub adapted_schema: Option<Arc<Value>>,
}

impl SharedEntry {
    /// The tool `of` under another name, otherwise the same.
    #[must_use]
    pub fn new(name: ToolName, of: ToolName) -> Self {
        Self { name, of, description: None, schema: None, adapter: None, adapted_schema: None }
    }
}

/// Tools that are in, and what is out.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// Tools of the built-in part, or of the part that was filtered.
    pub tools: Vec<Offer>,
    /// Tools of catalog entries that belong to the MCP part.
    pub mcp: Vec<Offer>,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

/// Everything that could exist.
#[derive(Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
    shared: Vec<SharedEntry>,
}

impl Catalog {
    /// An empty catalog.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same catalog with one entry more.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Self {
        self.entries.push(entry);
        self
    }

    /// The same catalog with a second entry for a tool.
    #[must_use]
    pub fn with_shared(mut self, shared: SharedEntry) -> Self {
        self.shared.push(shared);
        self
    }

    /// Its entries, in the order they were added.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Makes the tools that exist here: those whose gate is open and whose factory made them. `others` is
    /// how many tools come from elsewhere (MCP servers), for gates that count. What a gate keeps out is
    /// not made.
    #[must_use]
    pub fn base_tools(&self, env: &ToolEnv, services: &Services, others: usize) -> Selection {
        let mut selection = Selection::default();
        // Gates that count tools are asked last, about all the tools that do not depend on the count.
        for entry in self.entries.iter().filter(|entry| !entry.gate.counts_tools()) {
            make(entry, env, services, 0, &mut selection);
        }
        let size = selection.tools.len() + selection.mcp.len() + others;
        for entry in self.entries.iter().filter(|entry| entry.gate.counts_tools()) {
            make(entry, env, services, size, &mut selection);
        }
        for shared in &self.shared {
            let inner = selection.tools.iter().find(|offer| offer.definition.name == shared.of);
            let Some(inner) = inner.map(|offer| Arc::clone(&offer.tool)) else {
                let reason = DropReason::NoInner(shared.of.to_string());
                selection.dropped.push(Dropped::new(shared.name.as_str(), reason));
                continue;
            };
            let mut tool = SharedTool::new(shared.name.clone(), inner);
            tool.description.clone_from(&shared.description);
            tool.schema.clone_from(&shared.schema);
            tool.adapter.clone_from(&shared.adapter);
            tool.adapted_schema.clone_from(&shared.adapted_schema);
            selection.tools.push(Offer::shared(tool));
        }
        selection
    }
}

fn make(entry: &Entry, env: &ToolEnv, services: &Services, size: usize, selection: &mut Selection) {
    let answer = entry.gate.check(env, size);
    let reason = if answer.open {
        match (entry.factory)(services, env) {
            Made::Tool(tool) if tool.definition().name == entry.name => {
                let offer = entry.aliases.iter().cloned().fold(Offer::new(tool), Offer::with_alias);
                match entry.partition {
                    Partition::BuiltIn => selection.tools.push(offer),
                    Partition::Mcp => selection.mcp.push(offer),
                }
                return;
            }
            Made::Tool(tool) => {
                DropReason::BadDefinition(format!("its factory made `{}`", tool.definition().name))
            }
            Made::NotHere(why) => DropReason::NotHere(why),
        }
    } else {
        DropReason::GateClosed(answer.why)
    };
    selection.dropped.push(Dropped::new(entry.name.as_str(), reason));
}
