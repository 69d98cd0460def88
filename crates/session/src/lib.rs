//! The session folder of a tool runtime: large results kept on disk.
//!
//! [`SessionDir`] is the folder, readable by its owner only; [`SessionDir::results`] gives the
//! [`FileResults`] in it, which keep what is too large to be inline.
//!
//! Not in here: when a result is too large (the dispatcher's), and where sessions live (the caller
//! names the folder).

mod dir;
mod error;
mod id;
mod results;

pub use dir::SessionDir;
pub use error::SessionError;
pub use id::session_id;
pub use results::{FileResults, RESULTS_FOLDER};
