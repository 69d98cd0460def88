//! Settings while a session runs: loads again, and never lets a file that became bad widen anything.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use pegboard_tool_core::{Origin, RuleText, SettingSource};

use crate::discover::{Places, candidates};
use crate::layer::Layer;
use crate::load::load_over;
use crate::merge::{Base, merge};
use crate::notice::Problem;
use crate::request::{Compat, FlagSettings, LoadRequest};
use crate::settings::Settings;

/// Whether a rule can be enforced as written; in words why not.
pub type RuleCheck = Arc<dyn Fn(&RuleText) -> Result<(), String> + Send + Sync>;

/// Settings that are loaded again when somebody says so.
///
/// A file that cannot be used any more (unreadable, no JSON, the wrong shape, or a policy with a bad entry) keeps the
/// deny and ask rules, the hooks and the switches of its last good content; its allow rules, directories and other
/// values end. A file that was removed contributes nothing any more.
#[derive(Debug)]
pub struct LiveSettings {
    request: LoadRequest,
    good: LastGood,
}

/// The last good content of every file.
pub(crate) struct LastGood {
    layers: HashMap<PathBuf, Layer>,
    check: Option<RuleCheck>,
    /// The settings that it is of, for when nothing can be loaded at all.
    settings: Settings,
}

impl fmt::Debug for LastGood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LastGood").field("files", &self.layers.keys()).finish_non_exhaustive()
    }
}

impl LastGood {
    fn of(settings: &Settings, check: Option<RuleCheck>) -> Self {
        let with_file = |layer: &Layer| Some((layer.file()?.to_path_buf(), layer.clone()));
        let layers = settings.layers.iter().filter_map(with_file).collect();
        Self { layers, check, settings: settings.clone() }
    }

    /// The last good content of `file`.
    pub(crate) fn layer(&self, file: &Path) -> Option<&Layer> {
        self.layers.get(file)
    }

    /// The first entry of `layer` that cannot be enforced as written.
    pub(crate) fn problem_of(&self, layer: &Layer) -> Option<Problem> {
        if let Some(problem) = layer.first_problem() {
            return Some(problem);
        }
        let check = self.check.as_ref()?;
        layer.rules(&mut Vec::new()).into_iter().find_map(|rule| {
            let why = check(&rule).err()?;
            Some(Problem::new(rule.origin.clone(), format!("the rule `{}` cannot be used: {why}", rule.text)))
        })
    }
}

impl LiveSettings {
    /// Goes on from `settings`, which were loaded by `request`.
    #[must_use]
    pub fn new(mut request: LoadRequest, settings: &Settings) -> Self {
        // A `.pegboard` folder that comes later must not make deny rules of `.claude` vanish.
        if settings.reads_claude {
            request.compat = Compat::Claude;
        }
        Self { request, good: LastGood::of(settings, None) }
    }

    /// The same, with `check` for the rules of policies: a policy with a rule that fails it is a bad file.
    #[must_use]
    pub fn with_rule_check(mut self, check: RuleCheck) -> Self {
        self.good.check = Some(check);
        self
    }

    /// Loads again. Cannot fail: where nothing can be loaded at all, what restricts stays as it was and everything
    /// else ends. [`Settings::problems`] says what is wrong.
    pub fn reload(&mut self) -> Settings {
        let settings = match load_over(&self.request, Some(&self.good)) {
            Ok(settings) => settings,
            Err(error) => self.restricted(&format!("{error}; only what restricts stays in force")),
        };
        self.good = LastGood::of(&settings, self.good.check.take());
        settings
    }

    fn restricted(&self, problem: &str) -> Settings {
        let locations = &self.request.locations;
        let last = &self.good.settings;
        let layers = last.layers.iter().map(Layer::restricted).collect();
        let base = Base { working_directory: &locations.working_directory, home: locations.home.as_deref() };
        let mut settings = merge(layers, &self.request.order, base);
        settings.problems.push(Problem::new(Origin::of(SettingSource::Builtin), problem));
        settings.trust = last.trust.clone();
        settings.files.clone_from(&last.files);
        settings.reads_claude = last.reads_claude;
        settings.write_back.clone_from(&last.write_back);
        settings
    }

    /// The files that a change of would matter, whether they are there or not.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let locations = &self.request.locations;
        let mut files = vec![locations.trust_file()];
        if let Ok(places) = Places::find(&self.request) {
            files.push(places.project.join(".mcp.json"));
            let found = candidates(&self.request, &places).unwrap_or_default();
            files.extend(found.into_iter().map(|candidate| candidate.path));
        }
        // Where one of them cannot be looked for now, it was known before.
        files.extend(self.good.settings.files.iter().map(|file| file.path.clone()));
        for flag in &self.request.flags {
            if let FlagSettings::File(path) = flag {
                files.push(locations.working_directory.join(path));
            }
        }
        for policy in [&locations.policy_file, &locations.claude_policy_file] {
            files.push(policy.with_extension("d"));
        }
        files.sort();
        files.dedup();
        files
    }

    /// What tells a changed set of files from an unchanged one, without reading them.
    #[must_use]
    pub fn stamps(&self) -> Vec<Stamp> {
        self.files().into_iter().map(Stamp::of).collect()
    }
}

/// What is known of a file without reading it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Stamp {
    /// The file.
    pub path: PathBuf,
    /// Length in bytes and time of the last change; `None` when it is not there.
    pub state: Option<(u64, Option<SystemTime>)>,
}

impl Stamp {
    fn of(path: PathBuf) -> Self {
        let state = fs::metadata(&path).ok().map(|file| (file.len(), file.modified().ok()));
        Self { path, state }
    }
}
