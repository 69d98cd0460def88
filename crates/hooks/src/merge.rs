//! Merges what all handlers of an event said: the strictest decision, everything else kept.

use crate::config::Entry;
use crate::event::{Block, EventKind};
use crate::events::ElicitationAction;
use crate::long_text::{bounded, short};
use crate::{EventOutcome, HandlerEnd, OnFailure};
use pegboard_tool_core::ports::{HookDecision, HookReport, HookReportOutcome, PermissionAnswer};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A handler that ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) label: String,
    pub(crate) on_failure: OnFailure,
    pub(crate) end: HandlerEnd,
    pub(crate) duration: Duration,
}

impl Ended {
    /// A handler that ended as soon as it was looked at.
    pub(crate) fn at_once(entry: &Entry, end: HandlerEnd, on_failure: OnFailure) -> Self {
        Self { label: entry.label.clone(), on_failure, end, duration: Duration::ZERO }
    }

    /// Whether it said no.
    pub(crate) fn refuses(&self) -> bool {
        self.end.answer.decision == Some(HookDecision::Deny)
    }

    /// The texts of a handler that nobody waited for: what it decides has no effect.
    pub(crate) fn undecided(self) -> Self {
        Self { end: HandlerEnd { answer: self.end.answer.undecided(), ..self.end }, ..self }
    }

    /// What it decides, with its failure counted as the configuration says.
    fn decision(&self) -> Option<HookDecision> {
        if self.blocks_by_failing() { Some(HookDecision::Deny) } else { self.end.answer.decision }
    }

    fn blocks_by_failing(&self) -> bool {
        match self.end.outcome {
            HookReportOutcome::Answered => false,
            // Whoever cancels a call does not want it to go on.
            HookReportOutcome::Cancelled => true,
            HookReportOutcome::NotUnderstood
            | HookReportOutcome::WrongSchema
            | HookReportOutcome::Crashed
            | HookReportOutcome::Killed
            | HookReportOutcome::TimedOut
            | HookReportOutcome::CouldNotStart => self.on_failure == OnFailure::Block,
        }
    }

    fn reason(&self) -> Option<String> {
        let own = self.end.answer.reason.clone().filter(|_| self.end.answer.decision.is_some());
        let failed = || {
            let notice = self.end.notice.as_deref().unwrap_or("failed");
            format!("the hook `{}` has to answer first, but it {notice}", short(&self.label))
        };
        own.or_else(|| self.blocks_by_failing().then(failed))
    }

    fn report(&self, more: Option<&str>) -> HookReport {
        let mut report = HookReport::new(self.label.clone(), self.end.outcome, self.duration);
        report.decision = self.decision();
        let notice = [self.end.notice.as_deref().filter(|_| !self.end.is_told), more];
        let notice: Vec<&str> = notice.into_iter().flatten().collect();
        report.notice = (!notice.is_empty()).then(|| notice.join("; "));
        report
    }
}

/// Reasons of those who decided so, in configuration order, joined.
fn reasons(ended: &[Ended], decision: HookDecision) -> Option<String> {
    let reasons = ended.iter().filter(|one| one.decision() == Some(decision)).filter_map(Ended::reason);
    let reasons: Vec<String> = reasons.filter(|reason| !reason.is_empty()).collect();
    (!reasons.is_empty()).then(|| reasons.join("\n"))
}

/// Index of the handler whose replacement counts: the last in configuration order.
fn winner(ended: &[Ended], replaces: impl Fn(&Ended) -> bool) -> Option<usize> {
    ended.iter().rposition(replaces)
}

fn stop(ended: &[Ended]) -> Option<String> {
    let stops: Vec<&str> = ended.iter().filter_map(|one| one.end.answer.stop.as_deref()).collect();
    (!stops.is_empty()).then(|| stops.join("\n"))
}

fn texts(ended: &[Ended], dir: Option<&Path>, text: impl Fn(&Ended) -> Option<&String>) -> Vec<String> {
    ended
        .iter()
        .filter_map(text)
        .filter(|text| !text.is_empty())
        .map(|text| bounded(text.clone(), dir))
        .collect()
}

/// A replacement counts unless its own handler refuses or defers the call.
fn replaces_input(one: &Ended) -> bool {
    one.end.answer.updated_input.is_some()
        && matches!(one.decision(), None | Some(HookDecision::Allow | HookDecision::Ask))
}

/// Merges what handlers of any event said.
pub(crate) fn all(ended: &[Ended], event: EventKind, dir: Option<&Path>) -> EventOutcome {
    let stop = stop(ended).filter(|_| !event.ignores_continue()).map(|text| bounded(text, dir));
    let mut outcome = EventOutcome { stop, ..EventOutcome::default() };
    if !event.drops_messages() {
        outcome.system_messages = texts(ended, dir, |one| one.end.answer.system_message.as_ref());
    }
    outcome.additional_context = texts(ended, dir, |one| one.end.answer.additional_context.as_ref());
    for one in ended {
        outcome.fields.take_in(&one.end.answer.fields);
    }
    outcome.fields.initial_user_message =
        outcome.fields.initial_user_message.take().map(|text| bounded(text, dir));
    match event.name {
        "PreToolUse" => pre(ended, dir, &mut outcome),
        "PermissionRequest" => {
            outcome.permission = permission(ended, dir);
            outcome.reports = reports(ended, None, |_| false, "");
        }
        _ => post(ended, event, dir, &mut outcome),
    }
    outcome
}

/// Adds what handlers said that nobody waited for: all of it is for the model, failures are for the user.
pub(crate) fn add_late(late: &[Ended], wakes: Vec<String>, dir: Option<&Path>, outcome: &mut EventOutcome) {
    outcome.additional_context.extend(wakes.into_iter().map(|text| bounded(text, dir)));
    outcome.additional_context.extend(texts(late, dir, |one| one.end.answer.additional_context.as_ref()));
    outcome.additional_context.extend(texts(late, dir, |one| one.end.answer.system_message.as_ref()));
    outcome.reports.extend(late.iter().map(|one| one.report(None)));
}

fn pre(ended: &[Ended], dir: Option<&Path>, outcome: &mut EventOutcome) {
    let winner = winner(ended, replaces_input);
    let counts = |index: usize, decision: HookDecision| {
        // An allow was given to the input that its handler saw or made, and to no other.
        decision != HookDecision::Allow || winner.is_none_or(|winner| winner == index)
    };
    let decisions = ended.iter().enumerate().filter_map(|(index, one)| Some((index, one.decision()?)));
    let decision =
        decisions.filter(|(index, decision)| counts(*index, *decision)).map(|(_, decision)| decision).max();
    outcome.decision = decision;
    outcome.reason =
        decision.and_then(|decision| reasons(ended, decision)).map(|reason| bounded(reason, dir));
    if matches!(decision, None | Some(HookDecision::Allow | HookDecision::Ask)) {
        let input =
            winner.and_then(|winner| ended.get(winner)).and_then(|one| one.end.answer.updated_input.clone());
        outcome.updated_input = input.map(Arc::new);
    }
    if decision == Some(HookDecision::Defer) {
        outcome.additional_context.clear();
    }
    outcome.reports =
        reports(ended, winner, replaces_input, "its input was replaced by that of another hook");
}

fn reports(
    ended: &[Ended],
    winner: Option<usize>,
    replaces: impl Fn(&Ended) -> bool,
    lost: &str,
) -> Vec<HookReport> {
    let report =
        |(index, one): (usize, &Ended)| one.report((replaces(one) && winner != Some(index)).then_some(lost));
    ended.iter().enumerate().map(report).collect()
}

/// Events other than those that decide about a call.
fn post(ended: &[Ended], event: EventKind, dir: Option<&Path>, outcome: &mut EventOutcome) {
    let reason = reasons(ended, HookDecision::Deny).map(|reason| bounded(reason, dir));
    let is_blocked = ended.iter().any(|one| one.decision() == Some(HookDecision::Deny));
    if is_blocked {
        let reason = reason.unwrap_or_else(|| "blocked by a hook, which gave no reason".to_owned());
        match event.block {
            Block::TellsModel | Block::Denies => outcome.additional_context.insert(0, reason),
            Block::Continues => {
                outcome.additional_context.insert(0, reason.clone());
                outcome.blocked = Some(reason);
            }
            Block::Prevents => outcome.blocked = Some(reason),
            Block::TellsUser => outcome.system_messages.push(reason),
            Block::Stops => {
                let so_far = outcome.stop.take().map(|stop| format!("{stop}\n")).unwrap_or_default();
                outcome.stop = Some(format!("{so_far}{reason}"));
            }
            Block::Ignored => {}
        }
    }
    if event.name == "WorktreeCreate" && outcome.blocked.is_none() {
        outcome.blocked = no_worktree(ended, outcome);
    }
    match event.name {
        // Feedback keeps the agent going as a block does.
        "Stop" | "SubagentStop" if outcome.blocked.is_none() && !outcome.additional_context.is_empty() => {
            outcome.blocked = Some(outcome.additional_context.join("\n"));
        }
        "Elicitation" | "ElicitationResult" if is_blocked => {
            let action = outcome.fields.action.max(Some(ElicitationAction::Decline));
            (outcome.fields.action, outcome.fields.content) = (action, None);
        }
        _ => {}
    }
    let replaces = |one: &Ended| one.end.answer.updated_output.is_some();
    let winner = winner(ended, replaces);
    outcome.updated_output =
        winner.and_then(|winner| ended.get(winner)).and_then(|one| one.end.answer.updated_output.clone());
    outcome.reports = reports(ended, winner, replaces, "its output was replaced by that of another hook");
}

/// Why there is no worktree: the hook makes it, so one that failed or named no path made none.
fn no_worktree(ended: &[Ended], outcome: &EventOutcome) -> Option<String> {
    let failed = ended.iter().find(|one| one.end.outcome != HookReportOutcome::Answered);
    if let Some(one) = failed {
        let notice = one.end.notice.as_deref().unwrap_or("failed");
        return Some(format!("the hook `{}` was to make the worktree, but it {notice}", short(&one.label)));
    }
    outcome.fields.worktree_path.is_none().then(|| "no hook gave the path of the worktree".to_owned())
}

/// Merges answers to `PermissionRequest`: one refusal is enough; a yes to an input that another
/// handler replaced does not count.
fn permission(ended: &[Ended], dir: Option<&Path>) -> Option<PermissionAnswer> {
    let stop = stop(ended);
    let refusals = ended.iter().filter_map(|one| match &one.end.answer.permission {
        Some(PermissionAnswer::Deny { message, interrupt }) => Some((message.clone(), *interrupt)),
        _ if one.blocks_by_failing() => Some((one.reason(), false)),
        _ => None,
    });
    let refusals: Vec<(Option<String>, bool)> = refusals.collect();
    if !refusals.is_empty() || stop.is_some() {
        let interrupt = stop.is_some() || refusals.iter().any(|(_, interrupt)| *interrupt);
        let messages: Vec<String> =
            refusals.into_iter().filter_map(|(message, _)| message).chain(stop).collect();
        let message = (!messages.is_empty()).then(|| bounded(messages.join("\n"), dir));
        return Some(PermissionAnswer::Deny { message, interrupt });
    }
    // Who wants it asked all the same is heard before who answers yes.
    if ended.iter().any(|one| one.end.answer.decision == Some(HookDecision::Ask)) {
        return None;
    }
    let yes = |one: &Ended| match &one.end.answer.permission {
        Some(PermissionAnswer::Allow { updated_input, updated_permissions }) => {
            Some((updated_input.clone(), updated_permissions.clone()))
        }
        _ => None,
    };
    let replacing = winner(ended, |one| matches!(yes(one), Some((Some(_), _))));
    let counted =
        ended.iter().enumerate().filter(|(index, _)| replacing.is_none_or(|winner| winner == *index));
    let mut answers = counted.filter_map(|(_, one)| yes(one)).peekable();
    answers.peek()?;
    let (mut input, mut permissions): (Option<Value>, Vec<Value>) = (None, Vec::new());
    for (updated_input, updated_permissions) in answers {
        input = updated_input.or(input);
        permissions.extend(updated_permissions);
    }
    Some(PermissionAnswer::Allow { updated_input: input, updated_permissions: permissions })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;
    use proptest::prelude::*;
    use serde_json::json;

    fn pre(ended: &[Ended], dir: Option<&Path>) -> EventOutcome {
        all(ended, EventKind::of("PreToolUse").unwrap(), dir)
    }

    fn ended(end: HandlerEnd, on_failure: OnFailure) -> Ended {
        Ended { label: "h".into(), on_failure, end: end.counted(), duration: Duration::ZERO }
    }

    fn said(decision: Option<HookDecision>, input: Option<i32>) -> Ended {
        let answer = Answer {
            decision,
            reason: decision.map(|decision| format!("{decision:?}")),
            updated_input: input.map(|number| json!({ "n": number })),
            ..Answer::silent()
        };
        ended(HandlerEnd::answered(answer), OnFailure::Continue)
    }

    #[test]
    fn an_allow_counts_only_for_the_input_that_it_saw() {
        use HookDecision::{Allow, Ask, Deny};
        for (handlers, decision, input) in [
            (vec![said(Some(Allow), None)], Some(Allow), None),
            (vec![said(Some(Allow), None), said(None, Some(2))], None, Some(2)),
            (vec![said(None, Some(1)), said(Some(Allow), None)], None, Some(1)),
            (vec![said(Some(Allow), None), said(Some(Allow), Some(2))], Some(Allow), Some(2)),
            (vec![said(Some(Allow), Some(1)), said(None, Some(2))], None, Some(2)),
            (vec![said(Some(Allow), Some(1)), said(Some(Deny), Some(2))], Some(Deny), None),
            (vec![said(Some(Allow), Some(1)), said(Some(Ask), None)], Some(Ask), Some(1)),
        ] {
            let outcome = pre(&handlers, None);
            let input = input.map(|number: i32| json!({ "n": number }));
            assert_eq!((outcome.decision, outcome.updated_input.as_deref()), (decision, input.as_ref()));
        }
    }

    #[test]
    fn a_lost_replacement_is_reported() {
        let outcome = pre(&[said(None, Some(1)), said(None, Some(2))], None);
        assert!(outcome.reports[0].notice.as_deref().is_some_and(|notice| notice.contains("replaced")));
        assert_eq!(outcome.reports[1].notice, None);
    }

    #[test]
    fn a_cancelled_handler_blocks() {
        let one = ended(HandlerEnd::failed(HookReportOutcome::Cancelled, "was ended"), OnFailure::Continue);
        assert_eq!(pre(&[one], None).decision, Some(HookDecision::Deny));
    }

    fn any_decision() -> impl Strategy<Value = Option<HookDecision>> {
        use HookDecision::{Allow, Ask, Defer, Deny};
        prop::sample::select(vec![None, Some(Allow), Some(Ask), Some(Defer), Some(Deny)])
    }

    fn any_ended() -> impl Strategy<Value = Ended> {
        use HookReportOutcome::{
            Answered, CouldNotStart, Crashed, Killed, NotUnderstood, TimedOut, WrongSchema,
        };
        let all = vec![Answered, CouldNotStart, Crashed, Killed, NotUnderstood, TimedOut, WrongSchema];
        let outcome = prop::sample::select(all);
        let on_failure = prop::sample::select(vec![OnFailure::Continue, OnFailure::Block]);
        (any_decision(), prop::option::of(0..9), outcome, on_failure).prop_map(
            |(decision, input, outcome, on_failure)| {
                let mut one = said(decision, input);
                one.end.outcome = outcome;
                one.end = one.end.counted();
                one.on_failure = on_failure;
                one
            },
        )
    }

    /// How strict a merged decision is: saying nothing leaves it to the rules, which is stricter than allow.
    fn strictness(decision: Option<HookDecision>) -> u8 {
        match decision {
            Some(HookDecision::Allow) => 0,
            None => 1,
            Some(HookDecision::Ask) => 2,
            Some(HookDecision::Defer) => 3,
            Some(HookDecision::Deny) => 4,
        }
    }

    /// The same handlers, asked for a permission.
    fn asked(mut one: Ended) -> Ended {
        one.end.answer.permission = match one.end.answer.decision.take() {
            Some(HookDecision::Allow) => {
                let updated_input = one.end.answer.updated_input.take();
                Some(PermissionAnswer::Allow { updated_input, updated_permissions: Vec::new() })
            }
            Some(HookDecision::Deny) => Some(PermissionAnswer::Deny { message: None, interrupt: false }),
            _ => None,
        };
        one
    }

    proptest! {
        #[test]
        fn a_request_is_never_answered_with_yes_against_a_no_or_a_failure_that_blocks(all_ in prop::collection::vec(any_ended(), 0..6)) {
            let handlers: Vec<Ended> = all_.into_iter().map(asked).collect();
            let refuses = |one: &Ended| matches!(one.end.answer.permission, Some(PermissionAnswer::Deny { .. })) || one.blocks_by_failing();
            let merged = all(&handlers, EventKind::of("PermissionRequest").unwrap(), None).permission;
            if handlers.iter().any(refuses) {
                let refused = matches!(merged, Some(PermissionAnswer::Deny { .. }));
                prop_assert!(refused, "{merged:?}");
            }
            let yes = |one: &Ended| one.end.outcome == HookReportOutcome::Answered && matches!(one.end.answer.permission, Some(PermissionAnswer::Allow { .. }));
            if !handlers.iter().any(yes) {
                let allowed = matches!(merged, Some(PermissionAnswer::Allow { .. }));
                prop_assert!(!allowed, "{merged:?}");
            }
        }

        #[test]
        fn a_no_on_any_event_that_can_be_blocked_is_heard(all_ in prop::collection::vec(any_ended(), 1..6)) {
            for event in crate::event::EVENTS {
                let merged = all(&all_, *event, None);
                let refused = all_.iter().any(|one| one.decision() == Some(HookDecision::Deny));
                let heard = match event.block {
                    Block::Denies => merged.decision == Some(HookDecision::Deny),
                    Block::TellsModel => !merged.additional_context.is_empty(),
                    Block::Continues | Block::Prevents => merged.blocked.is_some(),
                    Block::Stops => merged.stop.is_some(),
                    Block::TellsUser => event.drops_messages() || !merged.system_messages.is_empty(),
                    Block::Ignored => true,
                };
                prop_assert!(heard || !refused, "{}: {merged:?}", event.name);
            }
        }

        #[test]
        fn the_merged_decision_is_never_more_permissive_than_the_strictest_answer(all in prop::collection::vec(any_ended(), 0..6)) {
            let merged = pre(&all, None);
            let strictest = all.iter().filter_map(Ended::decision).max();
            if strictest.is_some_and(|decision| decision > HookDecision::Allow) {
                prop_assert_eq!(merged.decision, strictest);
            } else {
                prop_assert!(strictness(merged.decision) >= strictness(strictest));
            }
            if all.iter().any(|one| one.end.outcome != HookReportOutcome::Answered && one.on_failure == OnFailure::Block) {
                prop_assert_eq!(merged.decision, Some(HookDecision::Deny));
            }
            prop_assert_eq!(merged.reports.len(), all.len());
        }

        #[test]
        fn one_more_handler_that_allows_nothing_never_makes_it_more_permissive(all in prop::collection::vec(any_ended(), 0..6), more in any_ended()) {
            let before = pre(&all, None);
            let mut with = all.clone();
            with.push(more.clone());
            let after = pre(&with, None);
            if more.decision() != Some(HookDecision::Allow) {
                prop_assert!(strictness(after.decision) >= strictness(before.decision));
            }
        }
    }
}
