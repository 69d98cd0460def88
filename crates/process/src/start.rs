//! Starting a child in a session of its own, without a controlling terminal.

use crate::tree::{Leader, ProcessTree};
use crate::{MARK, mark};
use std::io;
use tokio::process::Command;

/// A started child: standard streams, id, waiting.
#[cfg(unix)]
pub type Child = Box<dyn process_wrap::tokio::ChildWrapper>;
/// A started child: standard streams, id, waiting.
#[cfg(not(unix))]
pub type Child = tokio::process::Child;

/// Starts `command` as the leader of a new session.
///
/// The environment must be set on the command as a whole (`env_clear` and `envs`); the [`MARK`] is
/// added to it.
///
/// # Errors
/// When the program cannot be started: it is not there, may not be run, or its folder is gone.
pub fn start(command: Command) -> io::Result<(Child, ProcessTree)> {
    start_as(command, Leader::Itself)
}

pub(crate) fn start_as(mut command: Command, leads: Leader) -> io::Result<(Child, ProcessTree)> {
    let own = mark::fresh();
    let outer = command.as_std().get_envs().find(|(name, _)| *name == MARK).and_then(|(_, value)| value);
    let value = mark::joined(outer, &own);
    command.env(MARK, value);
    let child = match leads {
        // It makes the session itself: without code between fork and exec the system need not copy our memory.
        Leader::Supervisor => spawn_plain(command)?,
        Leader::Itself => spawn(command)?,
    };
    let Some(leader) = child.id() else {
        return Err(io::Error::other("the child has no id"));
    };
    Ok((child, ProcessTree::new(leader, own, leads)))
}

#[cfg(unix)]
fn spawn(command: Command) -> io::Result<Child> {
    let mut wrap = process_wrap::tokio::CommandWrap::from(command);
    // The plain child: groups are ended by the tree, which knows more than the group.
    Ok(wrap.wrap(process_wrap::tokio::ProcessSession).spawn()?.into_inner())
}

#[cfg(unix)]
fn spawn_plain(mut command: Command) -> io::Result<Child> {
    Ok(Box::new(command.spawn()?))
}

#[cfg(not(unix))]
fn spawn_plain(command: Command) -> io::Result<Child> {
    spawn(command)
}

#[cfg(not(unix))]
fn spawn(mut command: Command) -> io::Result<Child> {
    command.spawn()
}
