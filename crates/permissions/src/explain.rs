//! A decision in words for people: every step in order, what it said, by which rule, from which file and line.

use pegboard_tool_core::RuleText;
use pegboard_tool_core::ports::{Decision, DecisionStep, Verdict};
use std::fmt;
use std::sync::Arc;

/// The steps of a decision, made from its trail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in words.
    pub reason: String,
    /// All steps, in order. Empty when the decision was made without a trail.
    pub steps: Vec<ExplainedStep>,
}

/// One step of a decision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedStep {
    /// Place in the list, from 1.
    pub number: usize,
    /// What it looks at.
    pub title: &'static str,
    /// What it said; `None` for nothing.
    pub verdict: Option<Verdict>,
    /// By which rule.
    pub rule: Option<Arc<RuleText>>,
    /// In words; empty when it said nothing.
    pub note: String,
    /// Whether this step decided.
    pub is_deciding: bool,
}

impl Explanation {
    /// Explains `decision`.
    #[must_use]
    pub fn new(decision: &Decision) -> Self {
        let trail = decision.trail.iter().flatten();
        let steps = trail.enumerate().map(|(at, entry)| ExplainedStep {
            number: at + 1,
            title: title(entry.step),
            verdict: entry.verdict,
            rule: entry.rule.clone(),
            note: entry.note.clone(),
            is_deciding: entry.step == decision.step,
        });
        Self {
            verdict: decision.verdict,
            reason: decision.reason.clone().into_owned(),
            steps: steps.collect(),
        }
    }
}

/// What a step looks at, in words.
fn title(step: DecisionStep) -> &'static str {
    match step {
        DecisionStep::DenyRule => "deny rules",
        DecisionStep::AskRule => "ask rules",
        DecisionStep::Tool => "the tool",
        DecisionStep::Safety => "safety",
        DecisionStep::HookAsk => "hook asks",
        DecisionStep::HookAllow => "hook allows",
        DecisionStep::Mode => "mode",
        DecisionStep::AllowRule => "allow rules",
        DecisionStep::Default => "default",
    }
}

/// The word for a verdict.
pub(crate) fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Allow) => "allow",
        Some(Verdict::Ask) => "ask",
        Some(Verdict::Deny) => "deny",
        None => "-",
    }
}

impl fmt::Display for ExplainedStep {
    /// One line, with a second one for the rule where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_deciding { '>' } else { ' ' };
        write!(f, "{mark} {} {:<11}  {:<5}", self.number, self.title, word(self.verdict))?;
        if !self.note.is_empty() {
            write!(f, "  {}", self.note)?;
        }
        if let Some(rule) = &self.rule {
            write!(f, "\n{:24}{} `{}`, {}", "", rule.effect, rule.text, rule.origin)?;
        }
        Ok(())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", word(Some(self.verdict)), self.reason)?;
        self.steps.iter().try_for_each(|step| write!(f, "\n{}", step.to_string().trim_end()))
    }
}
