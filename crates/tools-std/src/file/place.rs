//! One name in one folder, opened without following any link: where a judged file is read, made or
//! replaced. Paths given here are canonical; a link on the way means that somebody moved it.

mod leftover;
#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::{Held, Place};
#[cfg(unix)]
pub(crate) use unix::{Held, Place};

use super::error::FileError;
use super::version::Version;
use std::path::Path;

/// How new content came into a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Put {
    /// A new file took the old one's name in one step.
    Replaced,
    /// It was written into the file itself, because a new one would have lost a name, an owner or an
    /// attribute of it.
    InPlace {
        /// Names that the file has.
        names: u64,
    },
}

/// Reads the regular file at `canonical`.
///
/// # Errors
/// When it is none, is elsewhere by now, or cannot be read.
pub(crate) fn read(canonical: &Path) -> Result<Version, FileError> {
    Version::read(&Place::find(canonical)?.open()?)
}
