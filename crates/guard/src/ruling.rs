//! Which decisions are answered. This is the one place that says so.

use pegboard_tool_core::ports::{Decision, DecisionStep, Verdict};

/// What a decision is to the host. `Ord` is the strictness.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "every ruling has an answer at every host")]
pub enum Ruling {
    /// Let it run, for those who want that answered.
    Allow,
    /// Nothing: the host decides as it would without us.
    Silent,
    /// Put it to a person.
    Ask,
    /// Refuse it.
    Deny,
}

/// What `decision` is to the host: a deny rule, an ask rule, the tool's own check and safety are answered. What only the
/// mode or the lack of a rule holds back is left to the host, whose own prompt then stands.
#[must_use]
pub fn ruling(decision: &Decision) -> Ruling {
    match (decision.verdict, decision.step) {
        (
            Verdict::Deny,
            DecisionStep::DenyRule | DecisionStep::AskRule | DecisionStep::Tool | DecisionStep::Safety,
        ) => Ruling::Deny,
        (
            Verdict::Ask,
            DecisionStep::DenyRule | DecisionStep::AskRule | DecisionStep::Tool | DecisionStep::Safety,
        ) => Ruling::Ask,
        (Verdict::Allow, DecisionStep::Mode | DecisionStep::AllowRule) => Ruling::Allow,
        // The host's own hooks, mode and default: not ours to repeat.
        (
            Verdict::Deny | Verdict::Ask,
            DecisionStep::HookAsk
            | DecisionStep::HookAllow
            | DecisionStep::Mode
            | DecisionStep::AllowRule
            | DecisionStep::Default,
        )
        | (
            Verdict::Allow,
            DecisionStep::DenyRule
            | DecisionStep::AskRule
            | DecisionStep::Tool
            | DecisionStep::Safety
            | DecisionStep::HookAsk
            | DecisionStep::HookAllow
            | DecisionStep::Default,
        ) => Ruling::Silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rules_the_tools_own_check_and_safety_are_answered() {
        use DecisionStep::{AllowRule, AskRule, Default, DenyRule, HookAllow, HookAsk, Mode, Safety, Tool};
        let of = |verdict, step| ruling(&Decision::new(verdict, step, ""));
        for step in [DenyRule, AskRule, Tool, Safety] {
            assert_eq!(of(Verdict::Deny, step), Ruling::Deny);
            assert_eq!(of(Verdict::Ask, step), Ruling::Ask);
            assert_eq!(of(Verdict::Allow, step), Ruling::Silent);
        }
        for step in [HookAsk, HookAllow, Mode, AllowRule, Default] {
            assert_eq!(of(Verdict::Deny, step), Ruling::Silent);
            assert_eq!(of(Verdict::Ask, step), Ruling::Silent);
        }
        assert_eq!(of(Verdict::Allow, Mode), Ruling::Allow);
        assert_eq!(of(Verdict::Allow, AllowRule), Ruling::Allow);
        assert_eq!(of(Verdict::Allow, Default), Ruling::Silent);
    }
}
