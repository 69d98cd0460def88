//! Events of settings, directories, files and worktrees.

use serde::{Deserialize, Serialize};

/// Which settings changed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConfigSource {
    /// The user's.
    UserSettings,
    /// The project's.
    ProjectSettings,
    /// The project's local ones.
    LocalSettings,
    /// The organisation's. They cannot be kept from taking effect.
    PolicySettings,
    /// A skill.
    Skills,
}

/// A settings file changed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConfigChange {
    /// Which settings.
    pub source: ConfigSource,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
}

impl ConfigChange {
    /// A change.
    #[must_use]
    pub fn new(source: ConfigSource) -> Self {
        Self { source, file_path: None }
    }
}

/// The working directory changed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CwdChanged {
    /// Where it was.
    pub old_cwd: String,
    /// Where it is.
    pub new_cwd: String,
}

impl CwdChanged {
    /// A change.
    pub fn new(old_cwd: impl Into<String>, new_cwd: impl Into<String>) -> Self {
        Self { old_cwd: old_cwd.into(), new_cwd: new_cwd.into() }
    }
}

/// A directory was added.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DirectoryAdded {
    /// Which.
    pub directory: String,
    /// By what.
    pub source: String,
}

impl DirectoryAdded {
    /// An added directory.
    pub fn new(directory: impl Into<String>, source: impl Into<String>) -> Self {
        Self { directory: directory.into(), source: source.into() }
    }
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Its content changed.
    Change,
    /// It is new.
    Add,
    /// It is gone.
    Unlink,
}

/// A watched file changed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileChanged {
    /// Which.
    pub file_path: String,
    /// How.
    pub event: ChangeKind,
}

impl FileChanged {
    /// A changed file.
    pub fn new(file_path: impl Into<String>, event: ChangeKind) -> Self {
        Self { file_path: file_path.into(), event }
    }
}

/// A worktree is needed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorktreeCreate {
    /// Its name.
    pub name: String,
}

impl WorktreeCreate {
    /// A worktree of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

/// A worktree is removed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorktreeRemove {
    /// Where it is.
    pub worktree_path: String,
}

impl WorktreeRemove {
    /// The worktree at this path.
    pub fn new(worktree_path: impl Into<String>) -> Self {
        Self { worktree_path: worktree_path.into() }
    }
}
