//! The group of one tree: who is in it, and killing all of it.

use super::control;
use super::session_groups::SessionGroups;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Version of a hierarchy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    V1,
    V2,
}

/// A group of processes that no process leaves on its own unless it may write the system's groups.
#[derive(Clone, Debug)]
pub(crate) struct TreeGroup {
    kind: Kind,
    folder: PathBuf,
    joins: Vec<PathBuf>,
    /// Kept while a tree is in it.
    session: Option<Arc<SessionGroups>>,
}

impl TreeGroup {
    pub(super) fn new(kind: Kind, folder: PathBuf, joins: Vec<PathBuf>, session: Arc<SessionGroups>) -> Self {
        Self { kind, folder, joins, session: Some(session) }
    }

    /// A group that another process made, to be ended only.
    pub(crate) fn known(kind: Kind, folder: PathBuf) -> Self {
        Self { kind, folder, joins: Vec::new(), session: None }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Files to which a process writes `0` to be in the group and under the limits.
    pub(crate) fn joins(&self) -> &[PathBuf] {
        &self.joins
    }

    /// Folders around this group that can go when it is gone.
    pub(crate) fn around(&self) -> Vec<&Path> {
        self.session.as_ref().map(|session| session.folders()).unwrap_or_default()
    }

    /// Ids of the processes in it, corpses left out by the system.
    pub(crate) fn members(&self) -> Vec<u32> {
        let text = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).filter(|id| *id != 0).collect()
    }

    /// Kills all of it at once where the system can; else keeps it from growing, where the system can.
    pub(crate) fn kill(&self) {
        let _older_system = match self.kind {
            Kind::V2 => control(&self.folder.join("cgroup.kill"), "1"),
            Kind::V1 => control(&self.folder.join("pids.max"), "0"),
        };
    }

    /// Removes it, when it is empty.
    pub(crate) fn remove(&self) {
        let _still_used = fs::remove_dir(&self.folder);
    }
}
