//! Which changes of the context a call may ask for.

use super::execute::Executed;
use crate::config::DispatchConfig;
use pegboard_tool_core::{ContextChange, ToolContext, ToolOrigin};

/// Whether `change` may happen.
///
/// # Errors
/// Says why not. A list of changes happens as a whole or not at all.
pub(super) fn check(
    config: &DispatchConfig,
    call: &Executed,
    change: &ContextChange,
    ctx: &ToolContext,
) -> Result<(), &'static str> {
    if !call.changes_context {
        return Err("a call that runs beside others cannot change the context");
    }
    allowed(config, &call.found.definition().origin, change, ctx)
}

fn allowed(
    config: &DispatchConfig,
    origin: &ToolOrigin,
    change: &ContextChange,
    ctx: &ToolContext,
) -> Result<(), &'static str> {
    match change {
        ContextChange::All(changes) => {
            changes.iter().try_for_each(|change| allowed(config, origin, change, ctx))
        }
        ContextChange::Mode(_) | ContextChange::AddDirectory(_) if *origin != ToolOrigin::BuiltIn => {
            Err("only a built-in tool may change the mode or add a directory")
        }
        ContextChange::Mode(_) | ContextChange::AddDirectory(_)
            if !config.gate.permits_change(change, ctx) =>
        {
            Err("the permission rules do not let it")
        }
        _ => Ok(()),
    }
}
