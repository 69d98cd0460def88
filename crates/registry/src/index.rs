//! From a name to what it means: names, aliases, and the map of MCP tools. Names are never split.

use crate::pool::{KnownAlias, PoolEntry};
use crate::{DropReason, Dropped, InputAdapter, Partition};
use pegboard_tool_core::ports::ToolSchema;
use pegboard_tool_core::{ToolName, ToolOrigin};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::sync::Arc;

/// What a name means: an entry of the pool, and how the input becomes the entry's.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) entry: usize,
    pub(crate) adapter: Option<InputAdapter>,
    /// What an adapted input is judged by, when that is not the entry's schema.
    pub(crate) schema: Option<Arc<dyn ToolSchema>>,
}

/// All names of a pool.
#[derive(Debug, Default)]
pub(crate) struct Index {
    by_name: HashMap<Arc<str>, Target>,
    by_mcp: HashMap<Arc<str>, HashMap<Arc<str>, usize>>,
}

impl Index {
    /// Indexes `entries`; aliases that mean something else already are reported.
    pub(crate) fn new(entries: &[Arc<PoolEntry>]) -> (Self, Vec<Dropped>) {
        let mut index = Self { by_name: HashMap::with_capacity(entries.len() * 2), by_mcp: HashMap::new() };
        let mut dropped = Vec::new();
        for (place, entry) in entries.iter().enumerate() {
            let target = Target { entry: place, adapter: None, schema: None };
            index.by_name.insert(entry.definition.name.to_shared(), target);
        }
        // An MCP tool takes no alias from a built-in one, whatever places they have.
        for partition in [Partition::BuiltIn, Partition::Mcp] {
            let part = entries.iter().enumerate().filter(|(_, entry)| entry.partition == partition);
            for (place, entry) in part {
                for alias in &entry.aliases {
                    let KnownAlias { alias, schema } = alias;
                    let (adapter, schema) = (alias.adapter.clone(), schema.clone());
                    index.alias(entries, &alias.name, Target { entry: place, adapter, schema }, &mut dropped);
                }
            }
        }
        for (place, entry) in entries.iter().enumerate() {
            if let ToolOrigin::Mcp { server, tool } = &entry.definition.origin {
                index.by_mcp.entry(Arc::clone(server)).or_default().entry(Arc::clone(tool)).or_insert(place);
                // The full name is accepted too where the offered one had to be shortened.
                let full = format!("mcp__{server}__{tool}");
                if full != entry.definition.name.as_str() {
                    index.by_name.entry(full.into()).or_insert(Target {
                        entry: place,
                        adapter: None,
                        schema: None,
                    });
                }
            }
        }
        (index, dropped)
    }

    fn alias(
        &mut self,
        entries: &[Arc<PoolEntry>],
        name: &ToolName,
        target: Target,
        dropped: &mut Vec<Dropped>,
    ) {
        match self.by_name.entry(name.to_shared()) {
            Place::Vacant(place) => {
                place.insert(target);
            }
            Place::Occupied(taken) if taken.get().entry != target.entry => {
                let called = |entry: usize| entries[entry].definition.name.to_string();
                let reason =
                    DropReason::AliasTaken { of: called(target.entry), by: called(taken.get().entry) };
                dropped.push(Dropped::new(name.as_str(), reason));
            }
            Place::Occupied(_) => {}
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Target> {
        self.by_name.get(name)
    }

    pub(crate) fn find_mcp(&self, server: &str, tool: &str) -> Option<usize> {
        self.by_mcp.get(server)?.get(tool).copied()
    }
}
