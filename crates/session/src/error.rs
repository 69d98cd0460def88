//! What can go wrong with the folder of a session.

use std::io;
use std::path::PathBuf;

/// The folder of a session cannot be used. It is the operator's turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// It cannot be made or opened.
    #[error("the session folder `{}` cannot be used; name another", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A link or something else than a folder stands there.
    #[error("the session folder `{}` is no folder of its own but a link or a file; name another", path.display())]
    NotAFolder {
        /// Which.
        path: PathBuf,
    },
    /// A folder with other things in it stands there.
    #[error("`{}` is a folder with other things in it and no session; name a new or empty folder", path.display())]
    NotASession {
        /// Which.
        path: PathBuf,
    },
}
