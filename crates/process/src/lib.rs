//! Starts child processes in a session of their own, and ends all of them.
//!
//! [`start`] gives a child and its [`ProcessTree`]; ending or dropping the tree leaves nothing
//! behind, also of children that ignore the polite signal, changed their group or hold a pipe.
//!
//! Not in here: what is run, its input and output, time limits. Needs a tokio runtime to be called
//! in.

mod idle_read;
mod mark;
#[cfg(target_os = "linux")]
mod proc_table;
mod signal;
mod start;
mod tree;

pub use idle_read::{PIPE_PATIENCE, read_soon};
pub use mark::MARK;
pub use start::{Child, start};
pub use tree::{ProcessTree, Reach};
