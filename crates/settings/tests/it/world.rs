//! A temporary machine: a home, a project, a policy folder and a state folder.

use std::fs;
use std::path::{Path, PathBuf};

use pegboard_settings::{LoadRequest, Locations, Settings, SettingsError, TrustStore, load};
use pegboard_tool_core::{RuleEffect, RuleText};

pub(crate) struct World {
    _temp: tempfile::TempDir,
    pub(crate) base: PathBuf,
    pub(crate) request: LoadRequest,
}

impl World {
    /// An empty project `w` (no repository), no settings at all.
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(temp.path()).unwrap();
        for folder in ["home", "w"] {
            fs::create_dir(base.join(folder)).unwrap();
        }
        let mut locations = Locations::from_environment(base.join("w"), |_| None);
        locations.home = Some(base.join("home"));
        locations.user_file = Some(base.join("home/.config/pegboard/settings.json"));
        locations.policy_file = base.join("etc/pegboard/managed-settings.json");
        locations.claude_user_file = Some(base.join("home/.claude/settings.json"));
        locations.claude_policy_file = base.join("etc/claude-code/managed-settings.json");
        locations.state_directory = base.join("home/.local/state/pegboard");
        Self { _temp: temp, base, request: LoadRequest::new(locations) }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    /// Writes a file, below the base.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn user(&self, text: &str) -> &Self {
        self.file("home/.config/pegboard/settings.json", text)
    }

    pub(crate) fn project(&self, text: &str) -> &Self {
        self.file("w/.pegboard/settings.json", text)
    }

    pub(crate) fn local(&self, text: &str) -> &Self {
        self.file("w/.pegboard/settings.local.json", text)
    }

    pub(crate) fn policy(&self, text: &str) -> &Self {
        self.file("etc/pegboard/managed-settings.json", text)
    }

    pub(crate) fn try_load(&self) -> Result<Settings, SettingsError> {
        load(&self.request)
    }

    pub(crate) fn load(&self) -> Settings {
        self.try_load().unwrap()
    }

    /// The message of the error, with the base written as `/`.
    pub(crate) fn refused(&self) -> String {
        self.plain(&self.try_load().unwrap_err().to_string())
    }

    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(self.base.to_str().unwrap(), "")
    }

    pub(crate) fn store(&self) -> TrustStore {
        TrustStore::new(self.request.locations.trust_file())
    }

    /// Accepts what is there now and loads again.
    pub(crate) fn trusted(&self) -> Settings {
        self.store().accept(&self.load().trust).unwrap();
        self.load()
    }
}

/// The texts of the rules of one effect.
pub(crate) fn texts(settings: &Settings, effect: RuleEffect) -> Vec<&str> {
    settings.rules.iter().filter(|rule| rule.effect == effect).map(|rule| &*rule.text).collect()
}

/// `source file:line effect text anchor`, with paths below `base`.
pub(crate) fn shown(rules: &[RuleText], base: &Path) -> String {
    let below = |path: &Path| path.strip_prefix(base).unwrap_or(path).display().to_string();
    let lines: Vec<_> = rules
        .iter()
        .map(|rule| {
            let file = rule.origin.file.as_deref().map_or_else(|| "-".to_owned(), below);
            let line = rule.origin.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
            format!(
                "{} {file}:{line} {} {} @{}",
                rule.origin.source,
                rule.effect,
                rule.text,
                below(&rule.anchor)
            )
        })
        .collect();
    lines.join("\n")
}
