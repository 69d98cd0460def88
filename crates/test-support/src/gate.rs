//! Gates that always say the same, and one that says what a test tells it.

use async_trait::async_trait;
use pegboard_tool_core::ports::{
    Decision, DecisionStep, GateCall, HookAdvice, PermissionGate, RememberError, RuleOffer, Verdict,
};
use pegboard_tool_core::{ContextChange, Grant, ToolCheck, ToolContext};
use serde_json::Value;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Allows everything that the tool itself lets run.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to say about it")]
pub struct AllowAll;

/// Denies everything.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to say about it")]
pub struct DenyAll;

fn with_grant(mut decision: Decision, call: &GateCall<'_>) -> Decision {
    decision.grant = Grant::of(call.accesses);
    decision
}

#[async_trait]
impl PermissionGate for AllowAll {
    async fn decide(&self, call: &GateCall<'_>) -> Decision {
        let decision = match (call.check, call.hook) {
            (ToolCheck::Deny(why), _) => Decision::new(Verdict::Deny, DecisionStep::Tool, why.clone()),
            (ToolCheck::Ask(why), _) => {
                let mut decision = Decision::new(Verdict::Ask, DecisionStep::Tool, why.clone());
                decision.by_rule = true;
                decision
            }
            (_, HookAdvice::Ask) => Decision::new(Verdict::Ask, DecisionStep::HookAsk, "a hook asks"),
            (_, HookAdvice::None | HookAdvice::Allow) => {
                Decision::new(Verdict::Allow, DecisionStep::Mode, "everything is allowed")
            }
        };
        with_grant(decision, call)
    }

    fn permits_change(&self, _change: &ContextChange, _ctx: &ToolContext) -> bool {
        true
    }
}

#[async_trait]
impl PermissionGate for DenyAll {
    async fn decide(&self, call: &GateCall<'_>) -> Decision {
        with_grant(Decision::new(Verdict::Deny, DecisionStep::DenyRule, "everything is denied"), call)
    }
}

type Decide = dyn Fn(&GateCall<'_>) -> Decision + Send + Sync;

/// A gate that says what a test tells it, and writes down what it was asked.
pub struct ScriptedGate {
    decide: Box<Decide>,
    offers: Vec<RuleOffer>,
    keeps: bool,
    permits: bool,
    classifies: Option<bool>,
    generation: AtomicU64,
    asked: Mutex<Vec<Arc<Value>>>,
    remembered: Mutex<Vec<RuleOffer>>,
}

impl fmt::Debug for ScriptedGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedGate").field("generation", &self.generation).finish_non_exhaustive()
    }
}

impl ScriptedGate {
    /// Decides so. The grant is filled in: it is what the call says that it touches.
    pub fn deciding(decide: impl Fn(&GateCall<'_>) -> Decision + Send + Sync + 'static) -> Self {
        Self {
            decide: Box::new(decide),
            offers: Vec::new(),
            keeps: true,
            permits: false,
            classifies: None,
            generation: AtomicU64::new(0),
            asked: Mutex::default(),
            remembered: Mutex::default(),
        }
    }

    /// Always this decision.
    #[must_use]
    pub fn always(decision: Decision) -> Self {
        Self::deciding(move |_| decision.clone())
    }

    /// Asks about everything, for no other reason than that nothing was said.
    #[must_use]
    pub fn asking() -> Self {
        Self::always(Decision::new(Verdict::Ask, DecisionStep::Default, "no rule says anything"))
    }

    /// The same gate with offers.
    #[must_use]
    pub fn offering(self, offers: Vec<RuleOffer>) -> Self {
        Self { offers, ..self }
    }

    /// The same gate, which cannot keep rules.
    #[must_use]
    pub fn forgetful(self) -> Self {
        Self { keeps: false, ..self }
    }

    /// The same gate, which permits changes of mode and directories.
    #[must_use]
    pub fn permitting_changes(self) -> Self {
        Self { permits: true, ..self }
    }

    /// The same gate with a classifier.
    #[must_use]
    pub fn classifying(self, answer: bool) -> Self {
        Self { classifies: Some(answer), ..self }
    }

    /// The rules moved.
    pub fn bump(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// Inputs that it decided about.
    #[must_use]
    pub fn asked(&self) -> Vec<Arc<Value>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Offers that were taken into force.
    #[must_use]
    pub fn remembered(&self) -> Vec<RuleOffer> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl PermissionGate for ScriptedGate {
    async fn decide(&self, call: &GateCall<'_>) -> Decision {
        let input = Arc::new(call.input.clone());
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(input);
        with_grant((self.decide)(call), call)
    }

    fn permits_change(&self, _change: &ContextChange, _ctx: &ToolContext) -> bool {
        self.permits
    }

    async fn offers(&self, _call: &GateCall<'_>, decision: &Decision) -> Vec<RuleOffer> {
        if decision.safety || decision.by_rule { Vec::new() } else { self.offers.clone() }
    }

    async fn remember(&self, offer: &RuleOffer, _ctx: &ToolContext) -> Result<(), RememberError> {
        if !self.keeps {
            return Err(RememberError::new("this fake forgets"));
        }
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).push(offer.clone());
        self.bump();
        Ok(())
    }

    async fn classify(&self, _call: &GateCall<'_>) -> Option<bool> {
        self.classifies
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }
}
