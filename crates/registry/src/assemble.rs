//! From tools to a pool: what rules forbid is left out, both parts are sorted, names are made unique.

use crate::pool::{KnownAlias, PoolEntry, ToolPool};
use crate::{Alias, DropReason, Dropped, Offer, Partition, Selection, form};
use pegboard_tool_core::ports::{InputValidator, ToolLookup as _, ToolSchema};
use pegboard_tool_core::{Availability, ToolDefinition, ToolEnv, ToolName, ToolOrigin};
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::sync::Arc;

/// A pool, and what did not get into it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Assembled {
    /// The pool.
    pub pool: ToolPool,
    /// Tools and aliases that were left out. Does not depend on the order of the tools either.
    pub dropped: Vec<Dropped>,
}

/// Leaves out tools that a rule denies as a whole, and tools that say that they cannot work here.
/// `denied` gives the rule that denies a tool, in words, or `None`; for a shared tool it is asked about
/// both of its names.
#[must_use]
pub fn available(
    tools: Vec<Offer>,
    env: &ToolEnv,
    denied: &dyn Fn(&ToolDefinition) -> Option<String>,
) -> Selection {
    let mut selection = Selection::default();
    for offer in tools {
        let rule = denied(offer.tool.definition()).or_else(|| {
            let same = offer.definition.name == offer.tool.definition().name;
            if same { None } else { denied(&offer.definition) }
        });
        let reason = match rule {
            Some(rule) => Some(DropReason::Denied(rule)),
            None => match offer.tool.availability(env) {
                Availability::Here => None,
                Availability::Absent(why) => Some(DropReason::Absent(why)),
            },
        };
        match reason {
            Some(reason) => selection.dropped.push(Dropped::new(offer.definition.name.as_str(), reason)),
            None => selection.tools.push(offer),
        }
    }
    selection
}

/// Puts both parts together: each sorted by name in byte order, built-ins first. Of several tools with
/// one name the built-in one stays, then the first by origin and definition. A tool whose definition
/// cannot be sent is left out; it takes no other one with it.
#[must_use]
pub fn assemble(builtin: Vec<Offer>, mcp: Vec<Offer>, validator: &dyn InputValidator) -> Assembled {
    build(None, builtin, mcp, validator)
}

/// As [`assemble`], for a session that has a pool already: tools that are still there keep their places
/// and compiled schemas, new ones follow sorted, so that the prompt cache holds.
#[must_use]
pub fn assemble_after(
    previous: &ToolPool,
    builtin: Vec<Offer>,
    mcp: Vec<Offer>,
    validator: &dyn InputValidator,
) -> Assembled {
    build(Some(previous), builtin, mcp, validator)
}

fn build(
    previous: Option<&ToolPool>,
    builtin: Vec<Offer>,
    mcp: Vec<Offer>,
    validator: &dyn InputValidator,
) -> Assembled {
    let mut dropped = Vec::new();
    let mut buffer = Vec::new();
    let mut entries: Vec<Arc<PoolEntry>> = Vec::with_capacity(builtin.len() + mcp.len());
    let mut names: HashMap<ToolName, usize> = HashMap::with_capacity(builtin.len() + mcp.len());
    for (partition, offers) in [(Partition::BuiltIn, builtin), (Partition::Mcp, mcp)] {
        let mut part: Vec<_> =
            offers.into_iter().map(|offer| prepared(offer, partition, previous, &mut buffer)).collect();
        part.sort_by(|one, other| one.order().cmp(&other.order()));
        for candidate in part {
            let name = candidate.offer.definition.name.clone();
            match names.entry(name) {
                Place::Occupied(taken) => {
                    let kept = origin(&entries[*taken.get()].definition);
                    let lost = origin(&candidate.offer.definition);
                    let reason = DropReason::Duplicate { kept, lost };
                    dropped.push(Dropped::new(taken.key().as_str(), reason));
                }
                Place::Vacant(free) => match candidate.entry(partition, validator) {
                    Ok(entry) => {
                        free.insert(entries.len());
                        entries.push(entry);
                    }
                    Err(problem) => {
                        dropped.push(Dropped::new(free.key().as_str(), DropReason::BadDefinition(problem)));
                    }
                },
            }
        }
    }
    let Some(previous) = previous else {
        let (pool, aliases) = ToolPool::new(entries, &[], Default::default(), 1, None);
        dropped.extend(aliases);
        return Assembled { pool, dropped };
    };
    let places: HashMap<&str, usize> = previous
        .entries()
        .enumerate()
        .map(|(place, entry)| (entry.definition.name.as_str(), place))
        .collect();
    // Stable, so new tools stay in their order behind the old ones.
    entries.sort_by_key(|entry| places.get(entry.definition.name.as_str()).copied().unwrap_or(usize::MAX));
    let mut loaded = previous.loaded.clone();
    loaded.retain(|name| names.contains_key(name));
    let dynamic = previous.dynamic().cloned();
    let generation = previous.generation() + 1;
    let (pool, aliases) = ToolPool::new(entries, &previous.offered_names(), loaded, generation, dynamic);
    dropped.extend(aliases);
    Assembled { pool, dropped }
}

/// An offer with its bytes, and the entry of the previous pool that it equals.
struct Candidate {
    offer: Offer,
    json: Arc<str>,
    before: Option<Arc<PoolEntry>>,
}

fn prepared(
    offer: Offer,
    partition: Partition,
    previous: Option<&ToolPool>,
    buffer: &mut Vec<u8>,
) -> Candidate {
    let before = previous.and_then(|pool| {
        let entry = pool.shared_entry(offer.definition.name.as_str())?;
        let same = entry.partition == partition
            && Arc::ptr_eq(&entry.tool, &offer.tool)
            && *entry.definition == *offer.definition;
        // Adapters cannot be compared, so a shared tool is prepared again.
        let plain = offer.shared.is_none() && entry.adapter.is_none() && entry.offered_schema.is_none();
        (same && plain).then(|| Arc::clone(entry))
    });
    let json = match &before {
        Some(entry) => Arc::clone(&entry.json),
        None => form::json(&offer.definition, buffer),
    };
    Candidate { offer, json, before }
}

impl Candidate {
    /// A total order of distinct tools: registration order must not show.
    fn order(&self) -> (&str, Option<(&str, &str)>, &str) {
        let origin = match &self.offer.definition.origin {
            ToolOrigin::Mcp { server, tool } => Some((&**server, &**tool)),
            _ => None,
        };
        (self.offer.definition.name.as_str(), origin, &self.json)
    }

    fn entry(self, partition: Partition, validator: &dyn InputValidator) -> Result<Arc<PoolEntry>, String> {
        let Self { offer, json, before } = self;
        let prepare = |definition: &ToolDefinition| -> Result<Arc<dyn ToolSchema>, String> {
            validator.prepare(definition).map_err(|error| error.problem)
        };
        // What is offered is one thing, what adapters may make of an input another.
        let adapted = |schema: &Arc<Value>| {
            let mut definition = offer.tool.definition().clone();
            definition.input_schema = Arc::clone(schema);
            prepare(&definition)
        };
        let known = |alias: &Alias| {
            let schema = alias.adapted_schema.as_ref().map(adapted).transpose()?;
            Ok(KnownAlias { alias: alias.clone(), schema })
        };
        let aliases = offer.aliases.iter().map(known).collect::<Result<Vec<_>, String>>()?;
        if let Some(before) = before {
            let entry = PoolEntry { aliases, ..(*before).clone() };
            return Ok(Arc::new(entry));
        }
        let schema = match offer.shared.as_ref().and_then(|shared| shared.adapted_schema.as_ref()) {
            Some(schema) => adapted(schema)?,
            None => prepare(offer.tool.definition())?,
        };
        let own = offer.shared.as_ref().is_some_and(|shared| shared.own_schema);
        let offered_schema = if own { Some(prepare(&offer.definition)?) } else { None };
        if let Some(problem) =
            form::problem(&offer.definition, &json, &**offered_schema.as_ref().unwrap_or(&schema))
        {
            return Err(problem);
        }
        let adapter = offer.shared.and_then(|shared| shared.adapter);
        let Offer { definition, tool, .. } = offer;
        Ok(Arc::new(PoolEntry {
            definition,
            tool,
            partition,
            aliases,
            schema,
            adapter,
            offered_schema,
            json,
        }))
    }
}

/// Who has a name, in words.
fn origin(definition: &ToolDefinition) -> String {
    match &definition.origin {
        ToolOrigin::Mcp { server, tool } => format!("tool `{tool}` of MCP server `{server}`"),
        ToolOrigin::BuiltIn => "a built-in tool".to_owned(),
        _ => "another tool".to_owned(),
    }
}
