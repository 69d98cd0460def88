//! Which files there are to read, in which order: a list of candidates, before any of them is opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pegboard_tool_core::SettingSource;

use crate::error::SettingsError;
use crate::locations::{CLAUDE_FOLDER, OUR_FOLDER};
use crate::read::is_absent;
use crate::repository::repository_root;
use crate::request::{Compat, LoadRequest};

/// Name of the shared file of a project, and of the user's file.
const SHARED: &str = "settings.json";
/// Name of the local file of a project.
const LOCAL: &str = "settings.local.json";
/// Folder of work trees in `.claude`.
const WORK_TREES: &str = "worktrees";

/// A file that would count if it is there.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) source: SettingSource,
    pub(crate) path: PathBuf,
    /// Where `/path` patterns of it start.
    pub(crate) anchor: PathBuf,
    /// The project folder whose trust it needs.
    pub(crate) trusted_with: Option<PathBuf>,
}

/// Where things are for this run.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Start directory with links resolved.
    pub(crate) project: PathBuf,
    /// Folder of the local file: the repository's root, else the start directory.
    pub(crate) local_root: PathBuf,
    /// Whether `.claude` files are read.
    pub(crate) reads_claude: bool,
    /// Whether they are read only because of what the project looks like.
    pub(crate) by_itself: bool,
}

impl Places {
    pub(crate) fn find(request: &LoadRequest) -> Result<Self, SettingsError> {
        let start = &request.locations.working_directory;
        let refused = |source| SettingsError::WorkingDirectory { path: start.clone(), source };
        if !start.is_absolute() {
            return Err(refused(io::Error::new(io::ErrorKind::InvalidInput, "not an absolute path")));
        }
        let project = fs::canonicalize(start).map_err(refused)?;
        if !project.is_dir() {
            return Err(refused(io::Error::from(io::ErrorKind::NotADirectory)));
        }
        let home = request.locations.home.as_deref().and_then(|home| fs::canonicalize(home).ok());
        let local_root = repository_root(&project)
            .and_then(|root| fs::canonicalize(root).ok())
            .filter(|root| Some(root) != home.as_ref() && is_ours(root))
            .unwrap_or_else(|| project.clone());
        let has = |folder: &str| {
            [&project, &local_root].iter().any(|root| root.join(folder).symlink_metadata().is_ok())
        };
        let has_claude = [&project, &local_root].iter().any(|root| means_settings(&root.join(CLAUDE_FOLDER)));
        let only_claude = has_claude && !has(OUR_FOLDER);
        let by_itself = request.compat == Compat::Auto && only_claude;
        let reads_claude = by_itself || request.compat == Compat::Claude;
        Ok(Self { project, local_root, reads_claude, by_itself })
    }

    /// The file that a rule for this place is written to.
    pub(crate) fn project_file(&self) -> PathBuf {
        self.project.join(self.folder_at(&self.project)).join(SHARED)
    }

    /// The file that a personal rule for this repository is written to.
    pub(crate) fn local_file(&self) -> PathBuf {
        self.local_root.join(self.folder_at(&self.local_root)).join(LOCAL)
    }

    /// Writing must not create our folder beside a `.claude` that is read because ours is absent: its deny rules
    /// would no longer be read.
    fn folder_at(&self, root: &Path) -> &'static str {
        let ours = root.join(OUR_FOLDER).symlink_metadata().is_ok();
        if self.reads_claude && !ours { CLAUDE_FOLDER } else { OUR_FOLDER }
    }
}

/// Whether a `.claude` is a folder of settings: one that holds nothing but work trees, which our own tools make, says
/// nothing about whose rules hold. What cannot be looked into counts.
fn means_settings(folder: &Path) -> bool {
    let Ok(entries) = folder.read_dir() else { return folder.symlink_metadata().is_ok() };
    let mut names = entries.map(|entry| entry.map(|entry| entry.file_name()));
    let mut is_empty = true;
    let holds_more = names.any(|name| {
        is_empty = false;
        name.map_or(true, |name| name != WORK_TREES)
    });
    holds_more || is_empty
}

/// Whether the repository and what marks it belong to whoever runs this: somebody else's may be a trap that was laid
/// above the folder.
#[cfg(unix)]
fn is_ours(root: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let me = rustix::process::geteuid().as_raw();
    let mut parts = vec![root.to_path_buf()];
    parts.extend([".git", OUR_FOLDER, CLAUDE_FOLDER].map(|name| root.join(name)));
    parts.iter().all(|part| part.symlink_metadata().map_or(true, |metadata| metadata.uid() == me))
}

/// Owners cannot be told here, so a folder is its own.
#[cfg(not(unix))]
fn is_ours(_root: &Path) -> bool {
    false
}

/// Every candidate, within a source from the weaker to the stronger.
pub(crate) fn candidates(request: &LoadRequest, places: &Places) -> Result<Vec<Candidate>, SettingsError> {
    let locations = &request.locations;
    let claude = places.reads_claude;
    let mut found = Vec::new();
    if request.sources.user {
        let theirs = locations.claude_user_file.as_ref().filter(|_| claude);
        for path in theirs.into_iter().chain(&locations.user_file) {
            found.push(beside(SettingSource::User, path));
        }
    }
    let folders: &[&str] = if claude { &[CLAUDE_FOLDER, OUR_FOLDER] } else { &[OUR_FOLDER] };
    for (wanted, source, root, name) in [
        (request.sources.project, SettingSource::Project, &places.project, SHARED),
        (request.sources.local, SettingSource::Local, &places.local_root, LOCAL),
    ] {
        for folder in folders.iter().filter(|_| wanted) {
            found.push(Candidate {
                source,
                path: root.join(folder).join(name),
                anchor: locations.working_directory.clone(),
                trusted_with: Some(root.clone()),
            });
        }
    }
    let theirs = Some(&locations.claude_policy_file).filter(|_| claude);
    for path in theirs.into_iter().chain([&locations.policy_file]) {
        found.push(beside(SettingSource::Policy, path));
        for path in drop_ins(&path.with_extension("d"))? {
            found.push(beside(SettingSource::Policy, &path));
        }
    }
    Ok(found)
}

fn beside(source: SettingSource, path: &Path) -> Candidate {
    let anchor = path.parent().unwrap_or(path).to_path_buf();
    Candidate { source, path: path.to_path_buf(), anchor, trusted_with: None }
}

/// The `.json` files of a drop-in folder in name order; hidden ones are left out.
fn drop_ins(folder: &Path) -> Result<Vec<PathBuf>, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { path: folder.to_path_buf(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let name = entry.map_err(unreadable)?.file_name();
        let bytes = name.as_encoded_bytes();
        if bytes.ends_with(b".json") && !bytes.starts_with(b".") {
            files.push(folder.join(name));
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_trees_alone_do_not_bring_the_settings_of_another_agent() {
        let dir = tempfile::tempdir().unwrap();
        let claude = dir.path().join(".claude");
        assert!(!means_settings(&claude));
        std::fs::create_dir_all(claude.join("worktrees/w")).unwrap();
        assert!(!means_settings(&claude));
        std::fs::write(claude.join("settings.json"), "{}").unwrap();
        assert!(means_settings(&claude));
    }
}
