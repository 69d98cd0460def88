//! Starts child processes in a session of their own, and ends all of them.
//!
//! [`start`] gives a child and its [`ProcessTree`]; ending or dropping the tree leaves nothing
//! behind, also of children that ignore the polite signal, changed their group or hold a pipe.
//!
//! A [`Confinement`] gives the commands that are started through it limits of memory and processes
//! together, and, where the host opted in to a [`supervisor`], an end also when the host is killed.
//!
//! Not in here: what is run, its input and output, time limits. Needs a tokio runtime to be called
//! in.

mod adopt;
mod bound;
#[cfg_attr(not(target_os = "linux"), path = "no_cgroup.rs")]
mod cgroup;
mod confinement;
mod credentials;
mod environment;
mod idle_read;
mod interrupt;
mod limits;
mod mark;
mod members;
#[cfg(target_os = "linux")]
mod proc_table;
mod signal;
mod start;
pub mod supervisor;
mod tree;

pub use adopt::ConfinedTerminal;
pub use bound::{Bound, Finding, Orphans, Report};
pub use confinement::{Confined, Confinement, Hits};
pub use environment::child_environment;
pub use idle_read::{PIPE_PATIENCE, read_soon};
pub use interrupt::Interrupter;
pub use limits::{Limits, NotAnAmount};
pub use mark::MARK;
pub use start::{Child, start};
pub use tree::{ProcessTree, Reach};
