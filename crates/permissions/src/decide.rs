//! The decision list, as a table of nine steps. All are evaluated; the strictest word counts.

use crate::config::Bypass;
use crate::findings::{Findings, Hit};
use pegboard_tool_core::ports::{Decision, DecisionStep, GateCall, HookAdvice, TrailEntry, Verdict};
use pegboard_tool_core::{PermissionMode, RuleText, ToolCheck};
use std::borrow::Cow;
use std::sync::Arc;

/// What one step of the list says.
#[derive(Debug)]
struct Says {
    verdict: Verdict,
    rule: Option<Arc<RuleText>>,
    note: Cow<'static, str>,
}

impl Says {
    fn new(verdict: Verdict, note: impl Into<Cow<'static, str>>) -> Option<Self> {
        Some(Self { verdict, rule: None, note: note.into() })
    }

    fn by(verdict: Verdict, hit: &Hit) -> Option<Self> {
        Some(Self { verdict, rule: Some(Arc::clone(&hit.rule)), note: hit.note.clone() })
    }
}

/// The steps in their order. The first five hold back, the others decide what is left.
const STEPS: [DecisionStep; 9] = [
    DecisionStep::DenyRule,
    DecisionStep::AskRule,
    DecisionStep::Tool,
    DecisionStep::Safety,
    DecisionStep::HookAsk,
    DecisionStep::HookAllow,
    DecisionStep::Mode,
    DecisionStep::AllowRule,
    DecisionStep::Default,
];

/// Weighs the findings.
pub(crate) fn decide(call: &GateCall<'_>, findings: Findings, bypass: Bypass) -> Decision {
    let table = STEPS.map(|step| says(step, call, &findings, bypass));
    let (holding, deciding) = table.split_at(5);
    let strictest = holding.iter().flatten().map(|says| says.verdict).max();
    let chosen = match strictest {
        Some(verdict) => {
            holding.iter().position(|says| says.as_ref().is_some_and(|says| says.verdict == verdict))
        }
        None => deciding.iter().position(Option::is_some).map(|at| at + 5),
    };
    let is_ask = |at: usize| matches!(table.get(at), Some(Some(Says { verdict: Verdict::Ask, .. })));
    let (by_rule, safety) = (is_ask(1) || is_ask(2), is_ask(3));
    let found = chosen.and_then(|at| Some((*STEPS.get(at)?, table.get(at)?.as_ref()?)));
    let mut decision = match found {
        Some((step, says)) => {
            let (verdict, reason) = settled(call.ctx.mode, step, says);
            let mut decision = Decision::new(verdict, step, reason);
            decision.rule = says.rule.clone();
            decision
        }
        None => Decision::new(Verdict::Deny, DecisionStep::Default, "nothing decided"),
    };
    decision.by_rule = by_rule;
    decision.safety = safety;
    let hits = [&findings.deny, &findings.ask, &findings.allow];
    decision.matched = hits.into_iter().flatten().map(|hit| Arc::clone(&hit.rule)).collect();
    if call.want_trail {
        decision.trail = Some(trail(&table));
    }
    decision.grant = findings.grant;
    decision
}

/// What `step` says about the call.
fn says(step: DecisionStep, call: &GateCall<'_>, findings: &Findings, bypass: Bypass) -> Option<Says> {
    match step {
        DecisionStep::DenyRule => Says::by(Verdict::Deny, findings.deny.as_ref()?),
        DecisionStep::AskRule => match &findings.ask {
            Some(hit) => Says::by(Verdict::Ask, hit),
            None => match &findings.insists {
                Some(reason) => Says::new(Verdict::Ask, reason.clone()),
                None if needs_person(call) => Says::new(Verdict::Ask, "this tool always needs a person"),
                None => None,
            },
        },
        DecisionStep::Tool => match call.check {
            ToolCheck::Deny(reason) => Says::new(Verdict::Deny, reason.clone()),
            ToolCheck::Ask(reason) => Says::new(Verdict::Ask, reason.clone()),
            ToolCheck::Allow | ToolCheck::PassThrough => None,
        },
        DecisionStep::Safety => Says::new(Verdict::Ask, findings.safety.clone()?),
        DecisionStep::HookAsk => match call.hook {
            HookAdvice::Ask => Says::new(Verdict::Ask, "a hook asked for a person"),
            HookAdvice::Allow | HookAdvice::None => None,
        },
        DecisionStep::HookAllow => match call.hook {
            HookAdvice::Allow => Says::new(Verdict::Allow, "a hook allowed it"),
            HookAdvice::Ask | HookAdvice::None => None,
        },
        DecisionStep::Mode => mode_says(call.ctx.mode, findings, bypass),
        DecisionStep::AllowRule => match (&findings.allow, call.check) {
            (Some(hit), _) => Says::by(Verdict::Allow, hit),
            (None, ToolCheck::Allow) => Says::new(Verdict::Allow, "the tool sees no reason to ask"),
            (None, ToolCheck::PassThrough | ToolCheck::Ask(_) | ToolCheck::Deny(_)) => None,
        },
        DecisionStep::Default => match &findings.unallowed {
            Some(part) => Says::new(Verdict::Ask, format!("no rule allows `{part}`")),
            None => Says::new(Verdict::Ask, "no rule allows it"),
        },
    }
}

/// Whether only a person may answer: an interactive tool, unless a hook that allows it gave the answers.
fn needs_person(call: &GateCall<'_>) -> bool {
    let is_interactive = matches!(call.tool.name.as_str(), "AskUserQuestion" | "ExitPlanMode");
    let is_answered = is_interactive && call.is_answered && call.hook == HookAdvice::Allow;
    (call.tool.needs_person || is_interactive) && !is_answered
}

fn mode_says(mode: PermissionMode, findings: &Findings, bypass: Bypass) -> Option<Says> {
    if mode == PermissionMode::BypassPermissions {
        return Says::new(Verdict::Allow, "the mode bypassPermissions lets it run");
    }
    if findings.is_read_only {
        return Says::new(Verdict::Allow, "it only reads inside the working directories");
    }
    if findings.is_sandboxed {
        return Says::new(Verdict::Allow, "it runs in the sandbox");
    }
    match mode {
        PermissionMode::Plan if bypass == Bypass::Available => {
            Says::new(Verdict::Allow, "plan mode holds nothing back in a session that may bypass it")
        }
        PermissionMode::AcceptEdits | PermissionMode::Auto if findings.is_edit_inside => {
            Says::new(Verdict::Allow, "the mode accepts edits inside the working directories")
        }
        PermissionMode::Plan if findings.writes_files => {
            Says::new(Verdict::Ask, "plan mode: nothing changes until the plan is approved")
        }
        PermissionMode::Default
        | PermissionMode::AcceptEdits
        | PermissionMode::Plan
        | PermissionMode::Auto
        | PermissionMode::DontAsk
        | PermissionMode::BypassPermissions => None,
    }
}

/// The verdict after `dontAsk`, and the reason in words that the model may see.
fn settled(mode: PermissionMode, step: DecisionStep, says: &Says) -> (Verdict, Cow<'static, str>) {
    let by = match (&says.rule, says.verdict) {
        (Some(rule), Verdict::Allow) => {
            Cow::Owned(format!("the {} rule `{}` allows it", rule.origin.source, rule.text))
        }
        (Some(rule), Verdict::Ask | Verdict::Deny) => {
            Cow::Owned(format!("the {} rule `{}` {}", rule.origin.source, rule.text, says.note))
        }
        (None, _) => says.note.clone(),
    };
    if says.verdict == Verdict::Ask && mode == PermissionMode::DontAsk {
        let reason = format!("{by}, and the mode dontAsk refuses what would ask");
        return (
            Verdict::Deny,
            if step == DecisionStep::Default {
                "the mode dontAsk refuses what no rule allows".into()
            } else {
                reason.into()
            },
        );
    }
    (says.verdict, by)
}

fn trail(table: &[Option<Says>; 9]) -> Vec<TrailEntry> {
    let entries = STEPS.into_iter().zip(table).map(|(step, says)| match says {
        Some(says) => TrailEntry::new(step, Some(says.verdict), says.rule.clone(), says.note.clone()),
        None => TrailEntry::new(step, None, None, ""),
    });
    entries.collect()
}
