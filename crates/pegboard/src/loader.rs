//! From loaded settings to the layers that follow them. Only hands values over.

use crate::hook_sources::{hook_options, hook_sources, on_failure_problems};
use crate::keeper::LocalFile;
use pegboard_hooks::{HookConfig, HookProblem, Hooks, InvokerCaller};
use pegboard_permissions::{Bypass, Engine, EngineConfig, RuleScope, Switches};
use pegboard_settings::Settings;
use pegboard_tool_core::ports::CommandAnalyzer;
use pegboard_tool_core::{PermissionMode, SettingSource};
use std::collections::BTreeSet;
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
    pub hooks: Arc<Hooks>,
    /// Calls the tools of `mcp_tool` handlers, once it is bound to a runtime's invoker.
    pub hook_caller: Arc<InvokerCaller>,
    /// Entries that cannot be used as written, in words for the operator.
    pub problems: Vec<String>,
    pub(crate) keeper: Arc<LocalFile>,
    pub(crate) analyzer: Arc<dyn CommandAnalyzer>,
    pub(crate) home: Option<PathBuf>,
}

/// What rules must know of the shell in which command lines run.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ShellFacts {
    /// Whether it is bash; of any other shell every line is opaque.
    pub is_bash: bool,
    /// Names that mean something else in it than in a clean one.
    pub shadowed: Arc<BTreeSet<String>>,
}

impl ShellFacts {
    /// A shell and the names that its start defines.
    #[must_use]
    pub fn new(is_bash: bool, shadowed: Arc<BTreeSet<String>>) -> Self {
        Self { is_bash, shadowed }
    }
}

impl Default for ShellFacts {
    /// A clean bash.
    fn default() -> Self {
        Self::new(true, Arc::default())
    }
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
        Self::for_shell(settings, analyzer, home, protected, ShellFacts::default())
    }

    /// The same for a shell that does not start as a clean bash.
    ///
    /// # Errors
    /// As [`Loaded::new`].
    pub fn for_shell(
        settings: Settings,
        analyzer: Arc<dyn CommandAnalyzer>,
        home: Option<PathBuf>,
        protected: Vec<PathBuf>,
        shell: ShellFacts,
    ) -> Result<Self, LoadError> {
        let settings = Arc::new(settings);
        let keeper = Arc::new(LocalFile::new(Arc::clone(&settings)));
        let mut config = EngineConfig::new(Arc::clone(&analyzer));
        config.rules.clone_from(&settings.rules);
        config.home.clone_from(&home);
        config.protected = protected;
        config.shell_is_bash = shell.is_bash;
        config.shadowed = shell.shadowed;
        if settings.default_mode == PermissionMode::BypassPermissions {
            config.bypass = Bypass::Available;
        }
        config.set_switches(switches_of(&settings, config.switches()));
        config.keeper = Some(Arc::<LocalFile>::clone(&keeper));
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
        let hook_caller = Arc::new(InvokerCaller::new());
        let (hooks, hook_problems) = read_hooks(&settings, &engine, &hook_caller);
        for problem in hook_problems {
            note(&mut problems, problem.origin.source, problem.to_string())?;
        }
        let hooks = Arc::new(Hooks::new(hooks));
        Ok(Self { settings, engine, hooks, hook_caller, problems, keeper, analyzer, home })
    }

    /// Puts the hooks of changed settings in force. Events that run keep those that they began with. Gives what is
    /// wrong with the new ones.
    pub fn reload_hooks(&self, settings: &Settings) -> Vec<HookProblem> {
        let (hooks, problems) = read_hooks(settings, &self.engine, &self.hook_caller);
        self.hooks.replace(hooks);
        problems
    }
}

/// What `settings` switch on and off. Whether bypass can be entered is decided when a session starts; it may only end.
pub(crate) fn switches_of(settings: &Settings, mut switches: Switches) -> Switches {
    switches.scope = match settings.only_policy_rules {
        Some(_) => RuleScope::PolicyOnly,
        None => RuleScope::AllSources,
    };
    if settings.bypass_disabled.is_some() {
        switches.bypass = Bypass::Unavailable;
    }
    switches.auto_is_off = settings.auto_disabled.is_some();
    switches.asks_before_reads_outside = settings.block_reads_outside;
    switches.classify_all_shell = settings.classify_all_shell;
    switches
}

pub(crate) fn read_hooks(
    settings: &Settings,
    engine: &Arc<Engine>,
    caller: &Arc<InvokerCaller>,
) -> (HookConfig, Vec<HookProblem>) {
    let caller: Arc<InvokerCaller> = Arc::clone(caller);
    let options = hook_options(settings, engine).with_caller(caller);
    let (config, mut problems) = HookConfig::from_sources(hook_sources(settings), &options);
    problems.extend(on_failure_problems(settings));
    (config, problems)
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
