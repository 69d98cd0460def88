//! From loaded settings to the layers that follow them. Only hands values over.

use crate::keeper::LocalFile;
use pegboard_hooks::{HookConfig, HookOptions, Hooks, OnFailure};
use pegboard_permissions::{Bypass, Engine, EngineConfig, RuleScope};
use pegboard_settings::Settings;
use pegboard_tool_core::ports::{CommandAnalyzer, HookRunner};
use pegboard_tool_core::{PermissionMode, SettingSource};
use std::path::PathBuf;
use std::sync::Arc;

/// Rules cannot be enforced as written, so nothing may run.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// An entry of a policy.
    #[error("{problem}; a policy is enforced as a whole or not at all, so mend it")]
    Policy {
        /// Which entry, and what is wrong with it.
        problem: String,
    },
    /// An argument.
    #[error("{problem}; mend the argument")]
    Argument {
        /// Which one, and what is wrong with it.
        problem: String,
    },
}

/// Layers made of settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// What was loaded.
    pub settings: Arc<Settings>,
    /// The rule engine: gate, access policy and rule compiler.
    pub engine: Arc<Engine>,
    /// The hooks.
    pub hooks: Arc<dyn HookRunner>,
    /// Entries that cannot be used as written, in words for the operator.
    pub problems: Vec<String>,
}

impl Loaded {
    /// Layers of `settings`. `home` is what `~` means; `protected` are files and folders of the host's own that no
    /// call may change without a person.
    ///
    /// # Errors
    /// When an entry of a policy, or a rule given as an argument, cannot be used.
    pub fn new(
        settings: Settings,
        analyzer: Arc<dyn CommandAnalyzer>,
        home: Option<PathBuf>,
        protected: Vec<PathBuf>,
    ) -> Result<Self, LoadError> {
        let settings = Arc::new(settings);
        let mut config = EngineConfig::new(analyzer);
        config.rules.clone_from(&settings.rules);
        config.home = home;
        config.protected = protected;
        if settings.only_policy_rules.is_some() {
            config.scope = RuleScope::PolicyOnly;
        }
        if settings.default_mode == PermissionMode::BypassPermissions {
            config.bypass = Bypass::Available;
        }
        config.keeper = Some(Arc::new(LocalFile::new(Arc::clone(&settings))));
        let (engine, rule_problems) = Engine::new(config);
        let engine = Arc::new(engine);
        let mut problems = Vec::new();
        for problem in rule_problems {
            if problem.outcome == pegboard_permissions::Outcome::Kept {
                problems.push(problem.to_string());
                continue;
            }
            let source = problem.rule.origin.source;
            let text = match source {
                // Nothing is skipped there: nothing runs.
                SettingSource::Cli => {
                    format!("the rule `{}` cannot be read: {}", problem.rule.text, problem.message)
                }
                _ => problem.to_string(),
            };
            note(&mut problems, source, text)?;
        }
        let (hooks, hook_problems) = hooks_of(&settings, &engine);
        for problem in hook_problems {
            note(&mut problems, problem.origin.source, problem.to_string())?;
        }
        Ok(Self { settings, engine, hooks: Arc::new(Hooks::new(hooks)), problems })
    }
}

/// The hooks of `settings`, whose `if` the engine understands.
pub fn hooks_of(settings: &Settings, engine: &Arc<Engine>) -> (HookConfig, Vec<pegboard_hooks::HookProblem>) {
    let rules: Arc<Engine> = Arc::clone(engine);
    let mut options = HookOptions::new().with_rules(rules);
    if let Some(origin) = &settings.hooks_disabled {
        options = options.with_disabled_by(origin.source);
    }
    if settings.only_policy_hooks.is_some() {
        options = options.with_only_policy();
    }
    // May only tighten: one source that says so is enough.
    let blocks = |layer: &pegboard_settings::Layer| {
        layer.value().get("hooksOnFailure").is_some_and(|on| on == "block")
    };
    if settings.layers.iter().any(blocks) {
        options = options.with_on_failure(OnFailure::Block);
    }
    let layers = settings.hooks.iter().map(|layer| (layer.origin.clone(), layer.hooks.clone()));
    HookConfig::from_layers(layers.collect(), &options)
}

fn note(problems: &mut Vec<String>, source: SettingSource, problem: String) -> Result<(), LoadError> {
    match source {
        SettingSource::Policy => Err(LoadError::Policy { problem }),
        SettingSource::Cli => Err(LoadError::Argument { problem }),
        SettingSource::Builtin
        | SettingSource::Agent
        | SettingSource::Session
        | SettingSource::Command
        | SettingSource::User
        | SettingSource::Project
        | SettingSource::Local
        | SettingSource::Flag => {
            problems.push(problem);
            Ok(())
        }
    }
}
