//! Sets of other names, as data: whoever comes from another agent finds their tools again.

mod adapt;
mod blocks;
mod cline;
mod snake;

use crate::{Alias, Catalog, InputAdapter, Offer, SharedEntry};
use pegboard_tool_core::{InvalidInput, ToolName, ToolNameError};
use serde_json::Value;
use std::sync::Arc;

pub(crate) use adapt::mcp_call;
pub use snake::SNAKE_CASE;

/// Turns the input of another name into the tool's own.
pub type Adapt = fn(&Value) -> Result<Value, InvalidInput>;

/// One other name for a tool.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AliasSpec {
    /// The name.
    pub name: &'static str,
    /// The tool that it stands for.
    pub tool: &'static str,
    /// Text for the model when it is offered.
    pub description: &'static str,
    /// How an input becomes the tool's own; `None` when it is the same.
    pub adapt: Option<Adapt>,
    /// The input schema when it is offered, when that is not the tool's own.
    pub schema: Option<fn() -> Value>,
    /// The schema of what `adapt` makes, when that is more than the tool tells models.
    pub adapted_schema: Option<fn() -> Value>,
}

/// Cline's names. `use_mcp_tool` is not in the list: it stands for every MCP tool, and every pool knows it.
pub const CLINE: &[AliasSpec] = cline::CLINE;

/// Offers with the aliases of a set on those tools that are there. Accepted in calls and rules, not offered.
///
/// # Errors
/// When a name of the set is no tool name.
pub fn accept(offers: Vec<Offer>, set: &[AliasSpec]) -> Result<Vec<Offer>, ToolNameError> {
    let mut taken = Vec::with_capacity(offers.len());
    for mut offer in offers {
        // A shared entry is another name already.
        let specs =
            set.iter().filter(|spec| offer.shared.is_none() && spec.tool == offer.definition.name.as_str());
        for spec in specs.collect::<Vec<_>>() {
            let name = ToolName::new(spec.name)?;
            let mut alias = match spec.adapt {
                Some(adapt) => Alias::adapted(name, InputAdapter::new(adapt)),
                None => Alias::new(name),
            };
            alias.adapted_schema = spec.adapted_schema.map(|schema| Arc::new(schema()));
            offer = offer.with_alias(alias);
        }
        taken.push(offer);
    }
    Ok(taken)
}

/// The catalog with the names of a set as entries of their own, offered to the model beside the tools that
/// they stand for, with the same instances behind them.
///
/// # Errors
/// When a name of the set is no tool name.
pub fn offer(catalog: Catalog, set: &[AliasSpec]) -> Result<Catalog, ToolNameError> {
    set.iter().try_fold(catalog, |catalog, spec| {
        let mut entry = SharedEntry::new(ToolName::new(spec.name)?, ToolName::new(spec.tool)?);
        entry.description = (!spec.description.is_empty()).then(|| spec.description.to_owned());
        entry.schema = spec.schema.map(|schema| Arc::new(schema()));
        entry.adapter = spec.adapt.map(InputAdapter::new);
        entry.adapted_schema = spec.adapted_schema.map(|schema| Arc::new(schema()));
        Ok(catalog.with_shared(entry))
    })
}
