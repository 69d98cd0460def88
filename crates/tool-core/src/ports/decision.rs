//! A verdict that explains itself.

use crate::{Grant, RuleEffect, RuleText};
use std::borrow::Cow;
use std::sync::Arc;

/// May the call run? `Ord` is the strictness.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a new verdict must be handled everywhere")]
pub enum Verdict {
    /// Yes.
    Allow,
    /// A person must be asked.
    Ask,
    /// No, finally.
    Deny,
}

/// Which step of the decision list decided.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the list is the contract")]
pub enum DecisionStep {
    /// 1. A deny rule.
    DenyRule,
    /// 2. An ask rule, or a tool that always needs a person.
    AskRule,
    /// 3. The tool's own check.
    Tool,
    /// 4. Protected paths and critical removals.
    Safety,
    /// 5. A hook asked.
    HookAsk,
    /// 6. A hook allowed.
    HookAllow,
    /// 7. The mode.
    Mode,
    /// 8. An allow rule, or the tool's own allow.
    AllowRule,
    /// 9. Nothing said anything.
    Default,
}

/// One line of a decision's trail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TrailEntry {
    /// Which step.
    pub step: DecisionStep,
    /// What it said; `None` for nothing.
    pub verdict: Option<Verdict>,
    /// By which rule.
    pub rule: Option<Arc<RuleText>>,
    /// In words.
    pub note: String,
}

impl TrailEntry {
    /// A line of a trail.
    pub fn new(
        step: DecisionStep,
        verdict: Option<Verdict>,
        rule: Option<Arc<RuleText>>,
        note: impl Into<String>,
    ) -> Self {
        Self { step, verdict, rule, note: note.into() }
    }
}

/// What the gate decided, and who said so.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The step that decided.
    pub step: DecisionStep,
    /// Why, in words that the model may see.
    pub reason: Cow<'static, str>,
    /// The rule that decided.
    pub rule: Option<Arc<RuleText>>,
    /// Whether safety is among the reasons of an ask: only a person may answer, once, never "always".
    pub safety: bool,
    /// Whether a rule (or the tool itself) is among the reasons of an ask: "always" is not offered.
    pub by_rule: bool,
    /// What was judged.
    pub grant: Grant,
    /// Rules that the gate looked at and that matched, strictest first.
    pub matched: Vec<Arc<RuleText>>,
    /// All steps in order, when somebody asked for them.
    pub trail: Option<Vec<TrailEntry>>,
}

impl Decision {
    /// A verdict of a step, with nothing else.
    pub fn new(verdict: Verdict, step: DecisionStep, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            verdict,
            step,
            reason: reason.into(),
            rule: None,
            safety: false,
            by_rule: false,
            grant: Grant::default(),
            matched: Vec::new(),
            trail: None,
        }
    }
}

/// A rule that would settle calls like this one, for "always allow".
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RuleOffer {
    /// The rules, as they would be written. All together let this call run.
    pub rules: Vec<String>,
    /// What they would let run, in words for a person.
    pub summary: String,
    /// Whether they are kept after the session.
    pub permanent: bool,
    /// What they do. An offer to a person lets calls run; a hook may also ask for stricter rules.
    pub effect: RuleEffect,
}

impl RuleOffer {
    /// An offer.
    pub fn new(rules: Vec<String>, summary: impl Into<String>, permanent: bool) -> Self {
        Self { rules, summary: summary.into(), permanent, effect: RuleEffect::Allow }
    }

    /// The same with another effect.
    #[must_use]
    pub fn with_effect(self, effect: RuleEffect) -> Self {
        Self { effect, ..self }
    }
}
