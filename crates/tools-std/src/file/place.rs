//! One name in one folder, opened without following any link: where a judged file is read, made or
//! replaced. Paths given here are canonical; a link on the way means that somebody moved it.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::Place;
#[cfg(unix)]
pub(crate) use unix::Place;

use super::error::FileError;
use super::version::Version;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads the regular file at `canonical`.
///
/// # Errors
/// When it is none, is elsewhere by now, or cannot be read.
pub(crate) fn read(canonical: &Path) -> Result<Version, FileError> {
    Version::read(&Place::find(canonical)?.open()?)
}

/// A name for a new file beside `name`.
fn temporary_name(name: &OsStr) -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos());
    // A long name is cut so that the new one stays within the limit of file systems.
    let name: String = name.to_string_lossy().chars().take(40).collect();
    format!(".{name}.{}-{}-{nanos}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)).into()
}
