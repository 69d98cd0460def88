//! The login-shell snapshot: aliases, functions and options of the user's start-up files, captured once.
//!
//! [`Snapshot::take`] runs the user's bash as an interactive login shell, with a time limit, empty
//! stdin and a process tree of its own, and gives a script that a command's shell reads at its start,
//! with the names that the script defines. A capture is kept in a private folder for as long as the
//! start-up files keep their stamps. Off unless the host asks for it: a login shell costs what the
//! user's files cost.
//!
//! INVARIANT: the names of a snapshot never change after the gate was told of them, and the script is
//! kept in memory, so nothing that a command writes changes what a later command reads.

mod capture;
mod names;
mod records;
mod script;
mod stamps;
mod store;

use pegboard_process::Limits;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Largest script, in bytes.
const MOST_BYTES: usize = 1024 * 1024;

/// What to capture, and where to keep it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SnapshotRequest {
    /// Environment of the host, from which the login shell gets its own.
    pub env: Arc<BTreeMap<String, String>>,
    /// Home directory, where the start-up files are.
    pub home: PathBuf,
    /// Folder of the captures; made, and private to the user. `None`: `pegboard/shell-snapshots` in
    /// `XDG_CACHE_HOME`, or in `.cache` of the home directory.
    pub folder: Option<PathBuf>,
    /// The bash to run. `None`: the one on PATH.
    pub shell: Option<PathBuf>,
    /// How long the start-up files may take. Default 10 s.
    pub time_limit: Duration,
    /// What the start-up files may use. Default: no limits.
    pub limits: Limits,
}

impl SnapshotRequest {
    /// The usual: bash on PATH, the user's cache folder, 10 s.
    #[must_use]
    pub fn new(env: Arc<BTreeMap<String, String>>, home: impl Into<PathBuf>) -> Self {
        let (home, time_limit, limits) = (home.into(), Duration::from_secs(10), Limits::none());
        Self { env, home, folder: None, shell: None, time_limit, limits }
    }

    /// The same with another folder of the captures.
    #[must_use]
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    /// The same with another bash.
    #[must_use]
    pub fn with_shell(self, shell: impl Into<PathBuf>) -> Self {
        Self { shell: Some(shell.into()), ..self }
    }

    /// The same with another time limit.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// The same with limits of memory and processes.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    fn shell(&self) -> Option<PathBuf> {
        if let Some(shell) = &self.shell {
            return shell.is_file().then(|| shell.clone());
        }
        let path = self.env.get("PATH").map(String::as_str).unwrap_or_default();
        let on_path = path.split(':').filter(|entry| entry.starts_with('/'));
        let on_path = on_path.map(|entry| Path::new(entry).join("bash"));
        on_path.chain(["/bin/bash", "/usr/bin/bash"].map(PathBuf::from)).find(|shell| shell.is_file())
    }

    /// Where the captures are kept. What is in them is run by every command, so that a host has to close the folder
    /// to its tools.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        if let Some(folder) = &self.folder {
            return folder.clone();
        }
        let named = self.env.get("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| self.home.join(".cache")).join("pegboard/shell-snapshots")
    }
}

/// What the start-up files define, ready for the start of a command's shell.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Snapshot {
    text: Arc<str>,
    names: Arc<BTreeSet<String>>,
    left_out: Arc<BTreeSet<String>>,
}

/// Why there is no snapshot. Commands run without one then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotProblem {
    /// There is no bash.
    #[error("bash is not installed; commands run without the aliases of the start-up files")]
    NoShell,
    /// The start-up files took too long.
    #[error("the shell's start-up files did not finish within {} s; see what they wait for", .0.as_secs_f64())]
    TooSlow(Duration),
    /// The shell ended before the capture: a start-up file calls `exit` or `exec`, or fails.
    #[error(
        "the shell's start-up files end the shell before it is ready; see whether they call `exit` or `exec`"
    )]
    Ended,
    /// There is more than a command's shell should read.
    #[error(
        "the shell's start-up files define more than {MOST_BYTES} bytes of functions and aliases; define fewer"
    )]
    TooLarge,
    /// What was captured cannot be read back.
    #[error("what the shell's start-up files define cannot be read back by bash")]
    Unusable,
    /// A folder or file of the captures is not the user's alone.
    #[error("`{}` is not private to the user; remove it or correct its owner and mode", .0.display())]
    NotPrivate(PathBuf),
    /// A folder or file could not be used.
    #[error("the shell's start-up files could not be captured")]
    Io(#[from] std::io::Error),
}

impl Snapshot {
    /// Gives what the start-up files define: from an earlier capture while their stamps are the same,
    /// else from a login shell.
    ///
    /// # Errors
    /// When there is no usable capture; the problem says whose turn it is.
    pub async fn take(request: &SnapshotRequest) -> Result<Self, SnapshotProblem> {
        let shell = request.shell().ok_or(SnapshotProblem::NoShell)?;
        let folder = request.folder();
        let asked = request.clone();
        let (store, key, kept) = off_runtime(move || {
            let store = store::Store::open(folder)?;
            let key = stamps::key(&asked, &shell);
            let kept = store.read(&key)?;
            Ok((store, (key, shell), kept))
        })
        .await?;
        let (key, shell) = key;
        if let Some(snapshot) = kept {
            return Ok(snapshot);
        }
        let captured = capture::capture(request, &shell, store.folder()).await?;
        let snapshot = script::write(records::read(&captured).ok_or(SnapshotProblem::Unusable)?)?;
        capture::try_out(request, &shell, store.folder(), &snapshot).await?;
        off_runtime(move || {
            store.keep(&key, &snapshot)?;
            Ok(snapshot)
        })
        .await
    }

    /// Bash text that defines it all, to be read at the start of a command's shell. It prints nothing.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Names of the aliases and functions, for `ShellStart.shadowed` and the gate's configuration.
    #[must_use]
    pub fn names(&self) -> &Arc<BTreeSet<String>> {
        &self.names
    }

    /// What the start-up files define and the snapshot does not: names that bash or the start of a
    /// command itself needs, and options (as `-o name`) that change how a line is read.
    #[must_use]
    pub fn left_out(&self) -> &BTreeSet<String> {
        &self.left_out
    }
}

async fn off_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SnapshotProblem> + Send + 'static,
) -> Result<T, SnapshotProblem> {
    let ended = |_| SnapshotProblem::Io(std::io::Error::other("the work ended early"));
    tokio::task::spawn_blocking(work).await.map_err(ended)?
}
