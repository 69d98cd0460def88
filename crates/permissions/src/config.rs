//! What the engine is told. It finds no file and reads no environment by itself.

use async_trait::async_trait;
use pegboard_tool_core::ports::{CommandAnalyzer, GateCall, RememberError};
use pegboard_tool_core::{RuleEffect, RuleText, SourceOrder};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

/// Everything that an [`crate::Engine`] is made of. Fields are public; start with [`EngineConfig::new`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EngineConfig {
    /// Rules of all sources, as the settings give them.
    pub rules: Vec<RuleText>,
    /// Whose rules count.
    pub scope: RuleScope,
    /// Which source is named first when several rules match.
    pub order: SourceOrder,
    /// Tells what command lines would run.
    pub analyzer: Arc<dyn CommandAnalyzer>,
    /// Whether shell tools start a cleaned bash. Of anything else every line is opaque.
    pub shell_is_bash: bool,
    /// Names that the shell's start-up snapshot defines.
    pub shadowed: Arc<BTreeSet<String>>,
    /// Home directory for `~/` in rules.
    pub home: Option<PathBuf>,
    /// Paths that are guarded like `.git`: this program's own settings and state, absolute.
    pub protected: Vec<PathBuf>,
    /// Whether the session was started so that `bypassPermissions` can be entered.
    pub bypass: Bypass,
    /// `disableAutoMode`: `auto` cannot be entered.
    pub auto_is_off: bool,
    /// `blockReadsOutsideWorkingDirectories`: reads outside the working directories are put to a person in every mode,
    /// whatever allow rules say.
    pub asks_before_reads_outside: bool,
    /// `autoMode.classifyAllShell`: in `auto` mode no shell allow rule counts, the classifier sees every line that
    /// does more than look.
    pub classify_all_shell: bool,
    /// Whether shell commands run in a sandbox, and may run there without asking. Of no effect in plan mode and on
    /// calls that leave the sandbox by `dangerouslyDisableSandbox`.
    pub sandbox_allows_shell: bool,
    /// Names of tools beside the standard ones, so that rules on them are not taken for slips of the pen.
    pub tool_names: BTreeSet<String>,
    /// Answers for a person in `auto` mode.
    pub classifier: Option<Arc<dyn Classifier>>,
    /// Keeps rules that a person accepted for good.
    pub keeper: Option<Arc<dyn RuleKeeper>>,
}

impl EngineConfig {
    /// No rules, pegboard's order, a cleaned bash, no classifier, nothing kept, no bypass.
    #[must_use]
    pub fn new(analyzer: Arc<dyn CommandAnalyzer>) -> Self {
        Self {
            rules: Vec::new(),
            scope: RuleScope::AllSources,
            order: SourceOrder::default(),
            analyzer,
            shell_is_bash: true,
            shadowed: Arc::default(),
            home: None,
            protected: Vec::new(),
            bypass: Bypass::Unavailable,
            auto_is_off: false,
            asks_before_reads_outside: false,
            classify_all_shell: false,
            sandbox_allows_shell: false,
            tool_names: BTreeSet::new(),
            classifier: None,
            keeper: None,
        }
    }
}

/// What of a configuration may change while an engine is in use, beside its rules.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Switches {
    /// See [`EngineConfig::scope`].
    pub scope: RuleScope,
    /// See [`EngineConfig::bypass`].
    pub bypass: Bypass,
    /// See [`EngineConfig::auto_is_off`].
    pub auto_is_off: bool,
    /// See [`EngineConfig::asks_before_reads_outside`].
    pub asks_before_reads_outside: bool,
    /// See [`EngineConfig::classify_all_shell`].
    pub classify_all_shell: bool,
}

impl EngineConfig {
    /// The switches as they are.
    #[must_use]
    pub fn switches(&self) -> Switches {
        Switches {
            scope: self.scope,
            bypass: self.bypass,
            auto_is_off: self.auto_is_off,
            asks_before_reads_outside: self.asks_before_reads_outside,
            classify_all_shell: self.classify_all_shell,
        }
    }

    /// Turns the switches.
    pub fn set_switches(&mut self, switches: Switches) {
        self.scope = switches.scope;
        self.bypass = switches.bypass;
        self.auto_is_off = switches.auto_is_off;
        self.asks_before_reads_outside = switches.asks_before_reads_outside;
        self.classify_all_shell = switches.classify_all_shell;
    }

    /// The same with these switches.
    pub(crate) fn with_switches(&self, switches: Switches) -> Self {
        let mut config = self.clone();
        config.set_switches(switches);
        config
    }
}

/// Whose rules count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third scope")]
pub enum RuleScope {
    /// Everybody's.
    AllSources,
    /// Those that [`RuleText::stays_under_policy_only`] keeps; nothing is remembered.
    PolicyOnly,
}

/// Whether `bypassPermissions` can be entered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "it can or it cannot")]
pub enum Bypass {
    /// It can.
    Available,
    /// It cannot.
    Unavailable,
}

/// Answers in `auto` mode for calls whose only reason to ask is that nothing said anything.
///
/// # Contract
/// - `None` means it gave no usable answer: a person is asked.
#[async_trait]
pub trait Classifier: Debug + Send + Sync {
    /// Whether the call may run.
    async fn classify(&self, call: &GateCall<'_>) -> Option<bool>;
}

const _: fn(&dyn Classifier) = |_| ();

/// Writes accepted rules to where they are kept.
#[async_trait]
pub trait RuleKeeper: Debug + Send + Sync {
    /// Keeps these allow rules after the session.
    ///
    /// # Errors
    /// When they cannot be kept.
    async fn keep(&self, rules: &[String]) -> Result<(), RememberError>;

    /// Keeps rules of any effect. Default: allow rules only.
    ///
    /// # Errors
    /// When they cannot be kept.
    async fn keep_as(&self, effect: RuleEffect, rules: &[String]) -> Result<(), RememberError> {
        match effect {
            RuleEffect::Allow => self.keep(rules).await,
            RuleEffect::Ask | RuleEffect::Deny => {
                Err(RememberError::new("only allow rules are kept; this one holds for the session"))
            }
        }
    }
}

const _: fn(&dyn RuleKeeper) = |_| ();
