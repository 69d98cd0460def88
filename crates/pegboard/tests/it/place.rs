//! A temporary machine: a home, a project, a policy folder and a state folder.

use pegboard::settings::{LoadRequest, Locations, load};
use pegboard::shell_analysis::ShellAnalyzer;
use pegboard::{LoadError, Loaded};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A temporary machine without any settings.
pub(crate) struct Place {
    _temp: tempfile::TempDir,
    base: PathBuf,
    pub(crate) request: LoadRequest,
}

impl Place {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(temp.path()).unwrap();
        for folder in ["home", "w"] {
            fs::create_dir(base.join(folder)).unwrap();
        }
        let mut locations = Locations::from_environment(base.join("w"), |_| None);
        locations.home = Some(base.join("home"));
        locations.user_file = Some(base.join("home/settings.json"));
        locations.policy_file = base.join("policy/managed-settings.json");
        locations.claude_user_file = None;
        locations.claude_policy_file = base.join("policy/others.json");
        locations.state_directory = base.join("state");
        Self { _temp: temp, base, request: LoadRequest::new(locations) }
    }

    /// The project's folder.
    pub(crate) fn work(&self) -> &Path {
        &self.request.locations.working_directory
    }

    /// The project's local settings file.
    pub(crate) fn local_file(&self) -> PathBuf {
        self.work().join(".pegboard/settings.local.json")
    }

    /// Writes a file below the base.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn user(&self, settings: &Value) -> &Self {
        self.file("home/settings.json", &settings.to_string())
    }

    pub(crate) fn project(&self, settings: &Value) -> &Self {
        self.file("w/.pegboard/settings.json", &settings.to_string())
    }

    pub(crate) fn policy(&self, settings: &Value) -> &Self {
        self.file("policy/managed-settings.json", &settings.to_string())
    }

    /// The layers of the settings that are there now.
    pub(crate) fn layers(&self) -> Result<Loaded, LoadError> {
        let home = self.request.locations.home.clone();
        Loaded::new(load(&self.request).unwrap(), Arc::new(ShellAnalyzer::new()), home, Vec::new())
    }
}
