//! What rules, safety and working directories have to say about one call, before the decision list
//! (`decide.rs`) weighs it.

use crate::rule_set::RuleSet;
use pegboard_tool_core::{Grant, RuleEffect, RuleText};
use std::borrow::Cow;
use std::sync::Arc;

/// A rule that says something, and why.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    /// Index of the rule: a lower one has a higher source.
    pub(crate) id: u32,
    /// The rule.
    pub(crate) rule: Arc<RuleText>,
    /// Why it says so.
    pub(crate) note: Cow<'static, str>,
}

/// What was found out about one call.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The deny rule of the highest source.
    pub(crate) deny: Option<Hit>,
    /// The ask rule of the highest source.
    pub(crate) ask: Option<Hit>,
    /// An allow rule, when allow rules (with what needs none) cover the whole call.
    pub(crate) allow: Option<Hit>,
    /// Why a person is asked, as by an ask rule.
    pub(crate) insists: Option<Cow<'static, str>>,
    /// The part of a command line that nothing lets run.
    pub(crate) unallowed: Option<String>,
    /// Why safety asks.
    pub(crate) safety: Option<String>,
    /// Whether nothing but looking inside the working directories happens.
    pub(crate) is_read_only: bool,
    /// Whether only files inside the working directories change, in ways that are known.
    pub(crate) is_edit_inside: bool,
    /// Whether files change, as far as that is known.
    pub(crate) writes_files: bool,
    /// Whether the command runs in a sandbox that needs no asking.
    pub(crate) is_sandboxed: bool,
    /// What was judged.
    pub(crate) grant: Grant,
}

impl Findings {
    /// Takes note of a rule that holds the call back.
    pub(crate) fn hold(
        &mut self,
        rules: &RuleSet,
        effect: RuleEffect,
        id: Option<u32>,
        note: impl Into<Cow<'static, str>>,
    ) {
        let slot = match effect {
            RuleEffect::Deny => &mut self.deny,
            RuleEffect::Ask => &mut self.ask,
            RuleEffect::Allow => return,
        };
        if let Some(id) = id
            && slot.as_ref().is_none_or(|hit| id < hit.id)
            && let Some(rule) = rules.rule(id)
        {
            *slot = Some(Hit { id, rule: Arc::clone(rule), note: note.into() });
        }
    }

    /// Takes note of an allow rule.
    pub(crate) fn permit(&mut self, rules: &RuleSet, id: Option<u32>) {
        if let Some(id) = id
            && self.allow.as_ref().is_none_or(|hit| id < hit.id)
            && let Some(rule) = rules.rule(id)
        {
            self.allow = Some(Hit { id, rule: Arc::clone(rule), note: Cow::Borrowed("") });
        }
    }

    /// Takes note that a setting puts the call to a person.
    pub(crate) fn insist(&mut self, reason: &'static str) {
        self.insists.get_or_insert(Cow::Borrowed(reason));
    }

    /// Takes note of a reason of safety.
    pub(crate) fn guard(&mut self, reason: impl Into<String>) {
        self.safety.get_or_insert_with(|| reason.into());
    }
}

/// What holds calls back, in the order of strictness.
pub(crate) const HOLDING: [RuleEffect; 2] = [RuleEffect::Deny, RuleEffect::Ask];
