//! Small tools: waiting, and what tests of a host need.

mod overflow;
mod sleep;
mod testing_permission;
mod wakeups;

pub use overflow::{OverflowEnd, OverflowTest, OverflowTestInput, OverflowTestOutput};
pub use sleep::{Sleep, SleepInput, SleepOutput, WokenBy};
pub use testing_permission::{TestingPermission, TestingPermissionInput};
pub use wakeups::{Wakeup, Wakeups};

use crate::Services;
use crate::families::Made;
use pegboard_tool_core::{Availability, ToolEnv, dyn_tool};

/// The tools of this family.
pub(crate) fn tools(_services: &Services) -> Made {
    Ok(vec![dyn_tool(Sleep::new())?, dyn_tool(OverflowTest::new())?, dyn_tool(TestingPermission::new())?])
}

/// There when one of these flags is on.
pub(crate) fn by_flag(env: &ToolEnv, flags: &[&str]) -> Availability {
    if flags.iter().any(|flag| env.flags.contains(*flag)) {
        return Availability::Here;
    }
    let names: Vec<String> = flags.iter().map(|flag| format!("`{flag}`")).collect();
    Availability::Absent(format!("it needs the flag {}", names.join(" or ")))
}
