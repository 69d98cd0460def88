//! The folder in which sessions are: which one was last at a place, and what is too old to be kept.

use crate::SessionDir;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Name of the file that says what a session is.
pub(crate) const ABOUT_FILE: &str = "session.json";

/// What a session is.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AboutSession {
    /// Where it began: an absolute path, as text.
    pub cwd: String,
    /// Milliseconds since 1970.
    pub started_ms: u64,
    /// Where the session is, when only this file is here: an absolute path, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

impl SessionDir {
    /// Says where the session began; one that said so before keeps its word.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn describe(&self, cwd: &Path, now: SystemTime) -> io::Result<()> {
        self.write_about(cwd, now, None)
    }

    /// Says that a session which began in `cwd` is elsewhere, so that it is found here.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn point_to(&self, session: &Path, cwd: &Path, now: SystemTime) -> io::Result<()> {
        self.write_about(cwd, now, Some(session.to_string_lossy().into_owned()))
    }

    fn write_about(&self, cwd: &Path, now: SystemTime, folder: Option<String>) -> io::Result<()> {
        let started_ms = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let about = AboutSession {
            cwd: cwd.to_string_lossy().into_owned(),
            started_ms: u64::try_from(started_ms).unwrap_or(u64::MAX),
            folder,
        };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        crate::line_log::private(&mut options);
        match options.open(self.path().join(ABOUT_FILE)) {
            Ok(mut file) => file.write_all(serde_json::to_string(&about)?.as_bytes()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// What the session in this folder says of itself; `None` when it says nothing that can be read.
#[must_use]
pub fn about(session: &Path) -> Option<AboutSession> {
    serde_json::from_str(&fs::read_to_string(session.join(ABOUT_FILE)).ok()?).ok()
}

/// The sessions below `folder` that began in `cwd`, the last one first.
#[must_use]
pub fn sessions_in(folder: &Path, cwd: &Path) -> Vec<PathBuf> {
    let here = cwd.to_string_lossy();
    let mut found: Vec<PathBuf> = Vec::new();
    for session in names(folder).into_iter().rev() {
        let Some(about) = about(&session).filter(|about| about.cwd == here) else { continue };
        let session = about.folder.map_or(session, PathBuf::from);
        if !found.contains(&session) {
            found.push(session);
        }
    }
    found
}

/// Removes the kept files of sessions that are older than `max_age`, so that histories do not fill the disk. Looks at
/// the oldest first and stops at the first that is young enough. What cannot be removed stays.
pub fn sweep(folder: &Path, max_age: Duration, now: SystemTime) {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    for session in names(folder) {
        let Some(about) = about(&session) else { continue };
        if now.saturating_sub(u128::from(about.started_ms)) <= max_age.as_millis() {
            break;
        }
        let history = session.join(crate::history::HISTORY_FOLDER);
        if history.is_dir() {
            let _ = fs::remove_dir_all(history);
        }
    }
}

/// The folders in `folder`; their names sort by time.
fn names(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    // Names alone: comparing whole paths costs a millisecond at some hundred sessions, at each start.
    let mut all: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
    all.sort_unstable();
    all.iter().map(|name| folder.join(name)).collect()
}
