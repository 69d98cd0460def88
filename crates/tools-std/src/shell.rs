//! Command lines and what they leave running: Bash and its kin, and background tasks.
//!
//! `engine` starts what a tool describes, `running` drives it, `output` keeps what it prints in
//! bounded memory and on disk, `foreground` turns it into a result, `tasks` owns what goes on
//! after its call.

pub(crate) mod answers;
mod command_input;
pub(crate) mod confine;
pub(crate) mod cwd;
pub(crate) mod engine;
pub(crate) mod env_file;
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
pub(crate) mod startup;
pub(crate) mod status;
pub(crate) mod task;
pub(crate) mod task_events;
pub(crate) mod task_record;
pub(crate) mod task_state;
mod tasks;

pub use command_input::CommandInput;
pub use confine::CommandLimits;
pub use progress::CommandProgress;
pub use result::CommandOutput;
pub use startup::ShellStartup;
pub use task::{TaskEnd, TaskKind, TaskView};
pub use task_events::TaskEvent;
pub use tasks::Tasks;

pub(crate) use crate::shown_text as text;

pub mod snapshot;

use crate::Services;
use crate::families::Made;
use pegboard_tool_core::{Availability, ToolEnv, dyn_tool};

/// The tools of this family.
pub(crate) fn tools(services: &Services) -> Made {
    Ok(vec![
        dyn_tool(crate::bash::Bash::new(services.clone()))?,
        dyn_tool(crate::task_output::TaskOutput::new())?,
        dyn_tool(crate::task_stop::TaskStop::new())?,
        dyn_tool(crate::monitor::Monitor::new(services.clone()))?,
        dyn_tool(crate::powershell::PowerShell::new(services.clone()))?,
    ])
}

/// Switches everything off that goes on after its call.
const OFF: &str = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS";

/// Whether the environment says that nothing may go on after its call.
pub(crate) fn background_is_off(vars: &std::collections::BTreeMap<String, String>) -> bool {
    vars.get(OFF).is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"))
}

/// Whether tools for tasks make sense here.
pub(crate) fn background_availability(env: &ToolEnv) -> Availability {
    if background_is_off(&env.vars) {
        Availability::Absent(format!("{OFF} is set: nothing runs in the background"))
    } else {
        Availability::Here
    }
}
