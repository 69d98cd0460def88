//! [`HookOptions`]: what a configuration means here, and what handlers may work with.

use crate::http_rules::HttpRules;
use crate::{HookHandler, ToolCaller};
use pegboard_tool_core::SettingSource;
use pegboard_tool_core::ports::{Ask, RuleCompiler};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// What happens when a handler fails: is not understood, crashes, is killed, times out or cannot start.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum OnFailure {
    /// The call goes on to the rules; the user is told.
    #[default]
    Continue,
    /// The call is blocked.
    Block,
}

/// Makes handlers of a kind that this crate does not know.
pub trait HandlerFactory: Debug + Send + Sync {
    /// Makes a handler from its object in the settings.
    ///
    /// # Errors
    /// When the object is wrong; the text says what to write.
    fn make(&self, event: &str, handler: &Map<String, Value>) -> Result<Arc<dyn HookHandler>, String>;
}

const _: fn(&dyn HandlerFactory) = |_| ();

/// What configuration means here.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HookOptions {
    /// Compiles the `if` of handlers; without it every handler with an `if` runs.
    pub rules: Option<Arc<dyn RuleCompiler>>,
    /// What happens when any handler fails; a handler's own `onFailure` may only tighten it.
    pub on_failure: OnFailure,
    /// `disableAllHooks`, and whether the policy says so itself; it switches off the policy's hooks only then.
    pub disabled_by: Option<SettingSource>,
    /// `allowManagedHooksOnly` of the policy.
    pub only_policy: bool,
    /// `strictPluginOnlyCustomization.hooks` of the policy: only hooks of plugins run.
    pub only_plugins: bool,
    /// Kinds of handlers beside those of the public documents, by `type`. One of the same name goes first.
    pub kinds: BTreeMap<String, Arc<dyn HandlerFactory>>,
    /// Calls the tools of `mcp_tool` handlers; without it they cannot start.
    pub caller: Option<Arc<dyn ToolCaller>>,
    /// Answers `prompt` handlers, and `agent` handlers when nobody else does; without it they cannot start.
    pub ask: Option<Arc<dyn Ask>>,
    /// Answers `agent` handlers; may look at files before it does.
    pub agent: Option<Arc<dyn Ask>>,
    /// What `http` handlers may do.
    pub http: HttpRules,
}

impl HookOptions {
    /// No rules, failures go on, nothing switched off, commands only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a compiler for `if`.
    #[must_use]
    pub fn with_rules(self, rules: Arc<dyn RuleCompiler>) -> Self {
        Self { rules: Some(rules), ..self }
    }

    /// The same with another answer to failures.
    #[must_use]
    pub fn with_on_failure(self, on_failure: OnFailure) -> Self {
        Self { on_failure, ..self }
    }

    /// The same with `disableAllHooks` set by a source.
    #[must_use]
    pub fn with_disabled_by(self, source: SettingSource) -> Self {
        Self { disabled_by: Some(source), ..self }
    }

    /// The same with only the policy's hooks.
    #[must_use]
    pub fn with_only_policy(self) -> Self {
        Self { only_policy: true, ..self }
    }

    /// The same with only the hooks of plugins.
    #[must_use]
    pub fn with_only_plugins(self) -> Self {
        Self { only_plugins: true, ..self }
    }

    /// The same with handlers of one more kind.
    #[must_use]
    pub fn with_kind(mut self, kind: impl Into<String>, factory: Arc<dyn HandlerFactory>) -> Self {
        self.kinds.insert(kind.into(), factory);
        self
    }

    /// The same with somebody who calls tools.
    #[must_use]
    pub fn with_caller(self, caller: Arc<dyn ToolCaller>) -> Self {
        Self { caller: Some(caller), ..self }
    }

    /// The same with a model for `prompt` and `agent` handlers.
    #[must_use]
    pub fn with_ask(self, ask: Arc<dyn Ask>) -> Self {
        Self { ask: Some(ask), ..self }
    }

    /// The same with somebody else for `agent` handlers.
    #[must_use]
    pub fn with_agent(self, agent: Arc<dyn Ask>) -> Self {
        Self { agent: Some(agent), ..self }
    }

    /// The same with bounds for `http` handlers.
    #[must_use]
    pub fn with_http(self, http: HttpRules) -> Self {
        Self { http, ..self }
    }
}
