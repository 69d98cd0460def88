//! Terminals and interpreters that stay between calls: what [`crate::tungsten`], [`crate::terminal_capture`]
//! and [`crate::repl`] stand on. They live in the session's state and end with it; a host ends them earlier
//! with [`close_all`].

#[cfg(unix)]
mod charset;
#[cfg(unix)]
pub(crate) mod emulator;
#[cfg(unix)]
pub(crate) mod environment;
#[cfg(unix)]
pub(crate) mod keys;
#[cfg(unix)]
pub(crate) mod owner;
#[cfg(unix)]
pub(crate) mod picture;
#[cfg(unix)]
pub(crate) mod pty;
#[cfg(unix)]
pub(crate) mod sessions;
#[cfg(unix)]
pub(crate) mod wait;

use crate::Services;
use crate::families::Made;
#[cfg(unix)]
use pegboard_tool_core::{SessionState, ToolEnv};

/// The tools of this family.
#[cfg(unix)]
pub(crate) fn tools(services: &Services) -> Made {
    Ok(vec![
        pegboard_tool_core::dyn_tool(crate::tungsten::Tungsten::new(services.clone()))?,
        pegboard_tool_core::dyn_tool(crate::terminal_capture::TerminalCapture::new())?,
        pegboard_tool_core::dyn_tool(crate::repl::Repl::new(services.clone()))?,
    ])
}

/// The tools of this family: none on this system.
#[cfg(not(unix))]
pub(crate) fn tools(_services: &Services) -> Made {
    Ok(Vec::new())
}

/// Ends the terminals and interpreters of the agent with this id, or all of the session; returns when their
/// processes are gone. For hosts: at the end of an agent, and at the end of a run.
#[cfg(unix)]
pub async fn close_all(session: &SessionState, agent: Option<&str>) {
    let owner = agent.map(owner::Owner::agent);
    for terminal in session.of::<sessions::Terminals>().take(owner.as_ref()) {
        terminal.pty.close().await;
    }
    crate::repl::close(session, owner.as_ref()).await;
}

/// Whether the program runs for those who make it.
#[cfg(unix)]
pub(crate) fn is_internal(env: &ToolEnv) -> bool {
    let is = |name: &str, value: &str| env.vars.get(name).is_some_and(|found| found == value);
    is("PEGBOARD_INTERNAL", "1") || is("USER_TYPE", "ant")
}
