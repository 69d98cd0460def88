//! May this call run? Port of `permissions`.

use super::{Decision, RuleOffer};
use crate::{Accesses, Caller, ContextChange, Effects, ToolCheck, ToolContext, ToolDefinition};
use async_trait::async_trait;
use serde_json::Value;
use std::fmt::Debug;

/// What the pre-hooks of a call said, merged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "gates must handle each advice")]
pub enum HookAdvice {
    /// Nothing.
    None,
    /// Ask a person.
    Ask,
    /// Let it run, as far as rules and safety have nothing against it.
    Allow,
}

/// What a gate judges: the input that would run, and what the tool says about it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GateCall<'a> {
    /// The tool, under its canonical name.
    pub tool: &'a ToolDefinition,
    /// The input that would run, backfilled.
    pub input: &'a Value,
    /// The worst that it may do.
    pub effects: Effects,
    /// What it may touch.
    pub accesses: &'a Accesses,
    /// The tool's own word.
    pub check: &'a ToolCheck,
    /// What hooks said.
    pub hook: HookAdvice,
    /// Whether the hook that allows the call gave its input too: that answers for a person, where only the answer to
    /// a question is missing.
    pub is_answered: bool,
    /// Who asks.
    pub caller: &'a Caller,
    /// Where and in which mode.
    pub ctx: &'a ToolContext,
    /// Whether the trail of all steps is wanted.
    pub want_trail: bool,
}

impl<'a> GateCall<'a> {
    /// A call of the model that no hook said anything about, without a trail.
    pub fn new(
        tool: &'a ToolDefinition,
        input: &'a Value,
        effects: Effects,
        accesses: &'a Accesses,
        ctx: &'a ToolContext,
    ) -> Self {
        Self {
            tool,
            input,
            effects,
            accesses,
            check: &ToolCheck::PassThrough,
            hook: HookAdvice::None,
            is_answered: false,
            caller: &Caller::Model,
            ctx,
            want_trail: false,
        }
    }

    /// The same call with the tool's own word.
    #[must_use]
    pub fn with_check(self, check: &'a ToolCheck) -> Self {
        Self { check, ..self }
    }

    /// The same call with what hooks said.
    #[must_use]
    pub fn with_hook(self, hook: HookAdvice) -> Self {
        Self { hook, ..self }
    }

    /// The same call, whose input the hook that allows it gave.
    #[must_use]
    pub fn with_answer(self, is_answered: bool) -> Self {
        Self { is_answered, ..self }
    }

    /// The same call from another caller.
    #[must_use]
    pub fn with_caller(self, caller: &'a Caller) -> Self {
        Self { caller, ..self }
    }

    /// The same call, with the trail wanted or not.
    #[must_use]
    pub fn with_trail(self, want_trail: bool) -> Self {
        Self { want_trail, ..self }
    }
}

/// A rule cannot be remembered.
#[derive(Debug, thiserror::Error)]
#[error("the rule was not kept: {reason}")]
#[non_exhaustive]
pub struct RememberError {
    /// Why, and what to do.
    pub reason: String,
}

impl RememberError {
    /// Says why a rule was not kept.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Decides whether a call may run.
///
/// # Contract
/// - Asked once a call after its input was validated, again when the input, the context or the rules
///   changed, and always before anything runs.
/// - Cannot fail: a gate that cannot decide answers `Ask` or `Deny`, never `Allow`.
/// - Decides before any approver: whoever calls it puts an `Ask` to hooks, classifier and person.
#[async_trait]
pub trait PermissionGate: Debug + Send + Sync {
    /// Decides about `call` and says which step and rule decided.
    async fn decide(&self, call: &GateCall<'_>) -> Decision;

    /// Whether a context change that a built-in tool asks for (`Mode`, `AddDirectory`) may happen.
    /// Default: no.
    fn permits_change(&self, _change: &ContextChange, _ctx: &ToolContext) -> bool {
        false
    }

    /// Rules that would let this call run in future, tried on the gate first. Empty when the ask has
    /// a safety or rule reason.
    async fn offers(&self, _call: &GateCall<'_>, _decision: &Decision) -> Vec<RuleOffer> {
        Vec::new()
    }

    /// Takes an offer that a person accepted into force, and keeps it if it is permanent.
    ///
    /// # Errors
    /// When it cannot be kept; the call itself is still approved once.
    async fn remember(&self, _offer: &RuleOffer, _ctx: &ToolContext) -> Result<(), RememberError> {
        Err(RememberError::new("this gate keeps no rules"))
    }

    /// An `auto` mode answer to an ask whose only reason is the default: `Some(true)` lets it run.
    /// Default: no classifier.
    async fn classify(&self, _call: &GateCall<'_>) -> Option<bool> {
        None
    }

    /// Counts the changes of the rules; a call that was decided under another count is decided again.
    fn generation(&self) -> u64 {
        0
    }
}

const _: fn(&dyn PermissionGate) = |_| ();
