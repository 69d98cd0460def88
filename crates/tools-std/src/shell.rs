//! Command lines and what they leave running: Bash and its kin, and background tasks.
//!
//! [`engine`] starts what a tool describes, [`running`] drives it, [`output`] keeps what it prints in
//! bounded memory and on disk, [`foreground`] turns it into a result, [`tasks`] owns what goes on
//! after its call.

pub(crate) mod cwd;
pub(crate) mod engine;
pub(crate) mod environment;
pub(crate) mod foreground;
pub(crate) mod limits;
pub(crate) mod output;
pub(crate) mod output_file;
pub(crate) mod progress;
pub(crate) mod result;
pub(crate) mod running;
pub(crate) mod side;
pub(crate) mod source;
pub(crate) mod status;
mod task;
mod task_events;
mod tasks;
pub(crate) mod text;

pub use progress::CommandProgress;
pub use result::CommandOutput;
pub use task::{TaskEnd, TaskKind, TaskView};
pub use task_events::TaskEvent;
pub use tasks::Tasks;

pub mod snapshot;

use crate::Services;
use crate::families::Made;

/// The tools of this family.
pub(crate) fn tools(services: &Services) -> Made {
    Ok(vec![pegboard_tool_core::dyn_tool(crate::bash::Bash::new(services.clone()))?])
}
