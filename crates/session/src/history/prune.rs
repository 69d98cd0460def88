//! How much is kept, and for how long.

use super::change::Change;
use super::objects::Objects;
use super::state::FileState;
use std::collections::HashSet;
use std::io;
use std::time::Duration;

/// Limits of the kept files of one session.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BackupLimits {
    /// Bytes of all contents together. What is over it goes, oldest turns first, when the history is opened.
    pub max_bytes: u64,
    /// Bytes of one file; a larger one is not kept, and `undo` says so.
    pub max_file_bytes: u64,
    /// Age of a turn.
    pub max_age: Duration,
}

impl Default for BackupLimits {
    /// 512 MiB together, 64 MiB a file, 30 days.
    fn default() -> Self {
        Self {
            max_bytes: 512 * 1024 * 1024,
            max_file_bytes: 64 * 1024 * 1024,
            max_age: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

/// Drops what is too old or too much, and contents that nothing names. Gives the last turn that was dropped.
pub(crate) fn prune(
    changes: &mut Vec<Change>,
    objects: &Objects,
    limits: &BackupLimits,
    now: u64,
) -> io::Result<Option<u64>> {
    let max_age = u64::try_from(limits.max_age.as_millis()).unwrap_or(u64::MAX);
    let mut dropped =
        changes.iter().filter(|change| now.saturating_sub(change.ms) > max_age).map(|old| old.turn).max();
    // The last turn stays however large it is: it is the one that a person would undo.
    let newest = changes.iter().map(|change| change.turn).max();
    let (mut seen, mut bytes) = (HashSet::new(), 0_u64);
    for change in changes.iter().rev() {
        if let FileState::File { hash, .. } = &change.before
            && seen.insert(hash.as_str())
        {
            bytes = bytes.saturating_add(objects.size(hash));
            if bytes > limits.max_bytes && Some(change.turn) != newest {
                dropped = dropped.max(Some(change.turn));
                break;
            }
        }
    }
    if let Some(turn) = dropped {
        changes.retain(|change| change.turn > turn);
    }
    let wanted = changes.iter().filter_map(|change| match &change.before {
        FileState::File { hash, .. } => Some(hash.as_str()),
        _ => None,
    });
    objects.retain(&wanted.collect())?;
    Ok(dropped)
}
