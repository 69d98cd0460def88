//! Command lines and what they leave running: Bash and its kin, and background tasks.

pub mod snapshot;

use crate::Services;
use crate::families::Made;

/// The tools of this family.
pub(crate) fn tools(services: &Services) -> Made {
    Ok(vec![pegboard_tool_core::dyn_tool(crate::bash::Bash::new(services.clone()))?])
}
