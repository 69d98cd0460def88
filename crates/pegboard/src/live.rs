//! Changed settings while a runtime is in use: rules, hooks and switches move, calls that wait are decided again.

use crate::loader::{Loaded, read_hooks, switches_of};
use pegboard_permissions::{Engine, EngineConfig, Outcome};
#[cfg(feature = "live-settings")]
use pegboard_settings::{LiveSettings, LoadRequest, WatchError, WatchOptions, Watcher};
use pegboard_settings::{RuleCheck, Settings};
use pegboard_tool_core::SettingSource;
use std::sync::Arc;

impl Loaded {
    /// Puts changed settings in force: rules, hooks, switches, and where "always allow" is written. A call that was
    /// decided and has not begun is decided again. The mode, the directories and the tools of the session stay as
    /// they are.
    ///
    /// Gives what is wrong with the new ones, in words for the operator. Hooks of a policy that cannot be used as
    /// written leave all hooks as they were.
    pub fn reload(&self, settings: Settings) -> Vec<String> {
        let settings = Arc::new(settings);
        let mut problems: Vec<String> = settings.problems.iter().map(ToString::to_string).collect();
        self.keeper.replace(Arc::clone(&settings));
        let switches = switches_of(&settings, self.engine.switches());
        let found = self.engine.replace(settings.rules.clone(), switches);
        problems.extend(found.iter().map(ToString::to_string));
        let (hooks, found) = read_hooks(&settings, &self.engine, &self.hook_caller);
        let of_policy = found.iter().any(|problem| problem.origin.source == SettingSource::Policy);
        problems.extend(found.iter().map(ToString::to_string));
        if of_policy {
            problems.push("a hook of the policy cannot be used, so all hooks stay as they were".to_owned());
        } else {
            self.hooks.replace(hooks);
        }
        problems
    }

    /// The settings as they are now.
    #[must_use]
    pub fn current_settings(&self) -> Arc<Settings> {
        self.keeper.settings()
    }

    /// Whether a rule can be enforced as written, by the engine's own word.
    #[must_use]
    pub fn rule_check(&self) -> RuleCheck {
        let home = self.home.clone();
        let analyzer = Arc::clone(&self.analyzer);
        Arc::new(move |rule| {
            let mut config = EngineConfig::new(Arc::clone(&analyzer));
            config.home.clone_from(&home);
            config.rules.push(rule.clone());
            let (_, problems) = Engine::new(config);
            match problems.into_iter().find(|problem| problem.outcome == Outcome::Skipped) {
                Some(problem) => Err(problem.message),
                None => Ok(()),
            }
        })
    }

    /// Loads the settings of `request` again whenever a file of theirs changes, and puts them in force, until the
    /// watcher is dropped. `say` gets what is wrong with them, each time; in another thread.
    ///
    /// # Errors
    /// When nothing can be watched.
    #[cfg(feature = "live-settings")]
    pub fn watch(
        &self,
        request: LoadRequest,
        mut say: impl FnMut(&[String]) + Send + 'static,
    ) -> Result<Watcher, WatchError> {
        let live = LiveSettings::new(request, &self.settings).with_rule_check(self.rule_check());
        let loaded = self.clone();
        Watcher::start(live, WatchOptions::default(), move |settings| say(&loaded.reload(settings)))
    }
}
