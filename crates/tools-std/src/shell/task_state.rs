//! What calls declare of the tasks of a session, so that they run in the order in which they matter to each other.
//!
//! A call that starts a task for certain runs alone. A call that may become one at its time limit reads the tasks, so
//! it runs beside its like; a call that ends tasks, or that names one which is not there yet, writes them.

use pegboard_tool_core::{Access, Resource};

/// Which tasks there are: looked at.
pub(crate) fn looks_at_tasks() -> Access {
    Access::read(all())
}

/// Which tasks there are: changed, or asked for in the order of the calls.
pub(crate) fn changes_tasks() -> Access {
    Access::write(all())
}

/// What of a task's output was shown: moved on.
pub(crate) fn shows_task(id: &str) -> Access {
    Access::write(Resource::State(format!("output of task {id}").into()))
}

fn all() -> Resource {
    Resource::State("tasks".into())
}
