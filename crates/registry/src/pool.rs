//! The immutable result: tools by name, definitions serialised once.

use crate::dynamic::DynamicTools;
use crate::index::{Index, Target};
use crate::{Alias, Dropped, InputAdapter, Partition, guidance, near};
use pegboard_tool_core::ports::{FoundTool, ToolLookup, ToolSchema};
use pegboard_tool_core::{DynTool, InvalidInput, ToolDefinition, ToolName};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Name of the tool that finds deferred tools. Without it nothing is deferred: what cannot be found
/// must be offered.
pub(crate) const SEARCH_TOOL: &str = "ToolSearch";

/// One tool of a pool.
#[derive(Clone, Debug)]
pub struct PoolEntry {
    pub(crate) definition: Arc<ToolDefinition>,
    pub(crate) tool: Arc<dyn DynTool>,
    pub(crate) partition: Partition,
    pub(crate) aliases: Vec<KnownAlias>,
    /// Schema of the tool's own input.
    pub(crate) schema: Arc<dyn ToolSchema>,
    /// For a shared tool: how its input becomes the tool's own.
    pub(crate) adapter: Option<InputAdapter>,
    /// For a shared tool with a schema of its own: that schema.
    pub(crate) offered_schema: Option<Arc<dyn ToolSchema>>,
    /// The definition as it is sent.
    pub(crate) json: Arc<str>,
}

/// Another name of an entry, with what its adapted inputs are judged by when that is not the entry's schema.
#[derive(Clone, Debug)]
pub(crate) struct KnownAlias {
    pub(crate) alias: Alias,
    pub(crate) schema: Option<Arc<dyn ToolSchema>>,
}

impl PoolEntry {
    /// What is offered. For a shared tool its name differs from that of [`PoolEntry::tool`].
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// What runs.
    #[must_use]
    pub fn tool(&self) -> &Arc<dyn DynTool> {
        &self.tool
    }

    /// Which part of the pool it stands in.
    #[must_use]
    pub fn partition(&self) -> Partition {
        self.partition
    }

    /// Other names that it is accepted under, those that were lost to another tool included.
    pub fn aliases(&self) -> impl Iterator<Item = &ToolName> {
        self.aliases.iter().map(|known| &known.alias.name)
    }

    /// The definition in Anthropic's form, serialised once.
    #[must_use]
    pub fn json(&self) -> &Arc<str> {
        &self.json
    }
}

/// Tools by name. Immutable: a change makes a new pool with a higher generation. A turn keeps the pool
/// whose definitions its model saw.
#[derive(Debug)]
pub struct ToolPool {
    entries: Vec<Arc<PoolEntry>>,
    /// Places in `entries`, in the order in which definitions are sent.
    pub(crate) offered: Vec<usize>,
    index: Index,
    generation: u64,
    definitions: Arc<str>,
    guidance: OnceLock<String>,
    pub(crate) loaded: BTreeSet<ToolName>,
    dynamic: Option<Arc<DynamicTools>>,
}

impl ToolPool {
    /// A pool of `entries`; definitions are sent in the order of `keep` first, then by place.
    pub(crate) fn new(
        entries: Vec<Arc<PoolEntry>>,
        keep: &[ToolName],
        loaded: BTreeSet<ToolName>,
        generation: u64,
        dynamic: Option<Arc<DynamicTools>>,
    ) -> (Self, Vec<Dropped>) {
        let (index, dropped) = Index::new(&entries);
        let searchable = index.find(SEARCH_TOOL).is_some();
        let is_offered = |entry: &PoolEntry| {
            !(searchable && entry.definition.deferred) || loaded.contains(&entry.definition.name)
        };
        let mut taken = vec![false; entries.len()];
        let mut offered = Vec::with_capacity(entries.len());
        let kept = keep.iter().filter_map(|name| index.find(name.as_str()).map(|target| target.entry));
        for place in kept.chain(0..entries.len()) {
            if !taken[place] && is_offered(&entries[place]) {
                taken[place] = true;
                offered.push(place);
            }
        }
        let parts: Vec<&str> = offered.iter().map(|place| &*entries[*place].json).collect();
        let definitions = format!("[{}]", parts.join(",")).into();
        let guidance = OnceLock::new();
        (Self { entries, offered, index, generation, definitions, guidance, loaded, dynamic }, dropped)
    }

    /// How many tools there are, deferred ones included, dynamic ones not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All tools, in the order of the pool.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &PoolEntry> {
        self.entries.iter().map(|entry| &**entry)
    }

    /// The tools whose definitions are sent, in the order in which they are.
    pub fn offered(&self) -> impl ExactSizeIterator<Item = &PoolEntry> {
        self.offered.iter().map(|place| &*self.entries[*place])
    }

    /// The definitions as the `tools` array of a request in Anthropic's form. Serialised once; equal
    /// inputs of the assembly give equal bytes, in every session and on every machine.
    #[must_use]
    pub fn definitions_json(&self) -> &Arc<str> {
        &self.definitions
    }

    /// The tool under its exact name or an alias.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&PoolEntry> {
        self.index.find(name).map(|target| &*self.entries[target.entry])
    }

    /// The tool of an MCP server, by the names that the server and its configuration use.
    #[must_use]
    pub fn mcp_entry(&self, server: &str, tool: &str) -> Option<&PoolEntry> {
        self.index.find_mcp(server, tool).map(|place| &*self.entries[place])
    }

    /// Canonical name of what `name` means, for rules, matchers and settings that use an alias.
    #[must_use]
    pub fn canonical(&self, name: &str) -> Option<&ToolName> {
        self.entry(name).map(|entry| &entry.tool.definition().name)
    }

    /// What to put into the system prompt so that the model schedules well. Made once, stable.
    #[must_use]
    pub fn guidance(&self) -> &str {
        self.guidance.get_or_init(|| guidance::text(self))
    }

    /// The next generation of this pool with the definition of a deferred tool sent too, after all others.
    /// `None` when there is no such tool or it is sent already.
    #[must_use]
    pub fn with_loaded(&self, name: &str) -> Option<Self> {
        let entry = self.entry(name)?;
        let place = self.entries.iter().position(|other| std::ptr::eq(&raw const **other, entry))?;
        if self.offered.contains(&place) {
            return None;
        }
        let mut loaded = self.loaded.clone();
        loaded.insert(entry.definition.name.clone());
        let (entries, dynamic) = (self.entries.clone(), self.dynamic.clone());
        let (pool, _) = Self::new(entries, &self.offered_names(), loaded, self.generation + 1, dynamic);
        Some(pool)
    }

    /// The same pool with tools that are made on first use, when a name is not found otherwise.
    #[must_use]
    pub fn with_dynamic(self, dynamic: Arc<DynamicTools>) -> Self {
        Self { dynamic: Some(dynamic), ..self }
    }

    pub(crate) fn offered_names(&self) -> Vec<ToolName> {
        self.offered().map(|entry| entry.definition.name.clone()).collect()
    }

    pub(crate) fn shared_entry(&self, name: &str) -> Option<&Arc<PoolEntry>> {
        self.index.find(name).map(|target| &self.entries[target.entry])
    }

    pub(crate) fn dynamic(&self) -> Option<&Arc<DynamicTools>> {
        self.dynamic.as_ref()
    }

    pub(crate) fn raise_generation(&mut self, least: u64) {
        self.generation = self.generation.max(least);
    }

    /// The definition of the tool itself with the names that are accepted for it; a shared entry leads to its tool's.
    fn known_as(&self, entry: &PoolEntry) -> Option<Arc<ToolDefinition>> {
        let own = &entry.tool.definition().name;
        if entry.definition.name == *own {
            return Some(Arc::clone(&entry.definition));
        }
        let inner = &*self.entries[self.index.find(own.as_str())?.entry];
        (inner.definition.name == *own).then(|| Arc::clone(&inner.definition))
    }

    /// The tool that a name means, with the input adapted or refused.
    fn find_through(&self, target: &Target, input: &Arc<Value>) -> FoundTool {
        let entry = &*self.entries[target.entry];
        let schema = Arc::clone(target.schema.as_ref().unwrap_or(&entry.schema));
        let mut found = FoundTool::new(Arc::clone(&entry.tool), schema);
        found.known_as = self.known_as(entry);
        match adapt(entry, target, input) {
            Ok(adapted) => found.adapted = adapted,
            Err(refused) => found.schema = Arc::new(Refused(refused)),
        }
        found
    }
}

/// The input as the tool's own, `None` where it is the same.
fn adapt(entry: &PoolEntry, target: &Target, input: &Arc<Value>) -> Result<Option<Arc<Value>>, InvalidInput> {
    // An alias leads to the offered form, a shared entry from there to the tool's own.
    let renamed = match &target.adapter {
        Some(adapter) => Some(Arc::new(adapter.adapt(input)?)),
        None => None,
    };
    let given = renamed.as_ref().unwrap_or(input);
    // What the model wrote is judged by the schema that the model was shown.
    if let Some(schema) = &entry.offered_schema {
        schema.check(given)?;
    }
    match &entry.adapter {
        Some(adapter) => Ok(Some(Arc::new(adapter.adapt(given)?))),
        None => Ok(renamed),
    }
}

/// A schema for one call, whose input could not be adapted: it says so.
#[derive(Debug)]
struct Refused(InvalidInput);

impl ToolSchema for Refused {
    fn check(&self, _input: &Value) -> Result<(), InvalidInput> {
        Err(self.0.clone())
    }
}

impl ToolLookup for ToolPool {
    fn find(&self, name: &str, input: &Arc<Value>) -> Option<FoundTool> {
        if let Some(target) = self.index.find(name) {
            return Some(self.find_through(target, input));
        }
        if let Some((server, tool, arguments)) = crate::aliases::mcp_call(name, input) {
            let place = self.index.find_mcp(&server, &tool)?;
            let target = Target { entry: place, adapter: None, schema: None };
            let mut found = self.find_through(&target, &arguments);
            found.adapted = found.adapted.or(Some(arguments));
            return Some(found);
        }
        self.dynamic.as_ref()?.find(name)
    }

    fn near(&self, name: &str) -> Vec<String> {
        let dynamic = self.dynamic.as_ref().map(|dynamic| dynamic.names()).unwrap_or_default();
        let names = self.entries.iter().map(|entry| entry.definition.name.as_str());
        near::near(name, names.chain(dynamic.iter().map(String::as_str)))
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}
