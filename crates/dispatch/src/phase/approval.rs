//! What becomes of an ask: hooks, the classifier, then whoever approves. Every way that does not end in
//! a clear yes is a no.

use super::permit::gate_call;
use super::updates;
use super::validate::Validated;
use crate::config::DispatchConfig;
use crate::wait::unless_cancelled;
use futures::future::{Either, select};
use pegboard_tool_core::ports::{
    Approval, ApprovalRequest, Decision, DecisionStep, Finished, HookAdvice, HookEvent, Outcome,
    PermissionAnswer, RuleOffer, Verdict,
};
use pegboard_tool_core::{Caller, PermissionMode, ToolCheck, ToolContext};
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::Arc;

/// The model reads this when nobody could be asked or nobody answered.
const NOBODY: &str = "the call needs an approval and nobody gave one";

/// An ask of the gate.
pub(super) struct Question<'a> {
    pub(super) call: &'a Validated,
    pub(super) decision: &'a Decision,
    pub(super) check: &'a ToolCheck,
    pub(super) advice: HookAdvice,
    pub(super) hook_reason: Option<&'a str>,
    pub(super) fingerprint: u64,
    /// Generation of the rules under which the gate asked.
    pub(super) rules_generation: u64,
    pub(super) hooks_answered: bool,
}

/// What was answered.
pub(super) enum Answer {
    Yes,
    No(Box<Finished>),
    /// Yes, with another input, which is judged again.
    Instead(Value),
    /// The answer to another call changed the rules, so that this one is no question any more.
    Settled,
}

/// Asks in turn, and says who answered.
pub(super) async fn approve(
    config: &DispatchConfig,
    question: Question<'_>,
    ctx: &ToolContext,
) -> (Answer, &'static str) {
    // What safety asks for is asked of a person and of nobody else.
    if !question.decision.safety {
        let offers = offers(config, &question, ctx).await;
        if !question.hooks_answered
            && let Some(answer) = ask_hooks(config, &question, &offers, ctx).await
        {
            return (answer, "hook");
        }
        if let Some(answer) = ask_classifier(config, &question, ctx).await {
            return (answer, "classifier");
        }
        return ask_approver(config, &question, offers, ctx).await;
    }
    ask_approver(config, &question, Vec::new(), ctx).await
}

/// Why it is asked: also in the words of a hook that wants it so.
pub(super) fn why(decision: &Decision, advice: HookAdvice, hook_reason: Option<&str>) -> String {
    match hook_reason.filter(|reason| advice == HookAdvice::Ask && !reason.is_empty()) {
        Some(reason) => format!("{}: {reason}", decision.reason),
        None => decision.reason.to_string(),
    }
}

async fn offers(config: &DispatchConfig, question: &Question<'_>, ctx: &ToolContext) -> Vec<RuleOffer> {
    if question.decision.by_rule {
        return Vec::new();
    }
    let gate_call = gate_call(question.call, question.check, question.advice, ctx);
    let offers = config.gate.offers(&gate_call, question.decision);
    unless_cancelled(&ctx.cancel, config.grace, offers).await.unwrap_or_default()
}

async fn ask_hooks(
    config: &DispatchConfig,
    question: &Question<'_>,
    offers: &[RuleOffer],
    ctx: &ToolContext,
) -> Option<Answer> {
    let definition = question.call.definition();
    let (tool, aliases) = (definition.name.as_str(), &definition.aliases);
    let by_hook = *question.call.caller() == Caller::Hook;
    if by_hook || !config.hooks.interested(HookEvent::PermissionRequest, tool, aliases) {
        return None;
    }
    let hook_call = question.call.hook_call(ctx);
    let suggestions: Vec<_> = offers.iter().map(suggestion).collect();
    let asked = config.hooks.permission(&hook_call, &suggestions);
    let Some(said) = unless_cancelled(&ctx.cancel, config.grace, asked).await else {
        return Some(Answer::No(question.call.who().cancelled()));
    };
    let id = &question.call.who().id;
    config.hooks_ran(id, HookEvent::PermissionRequest, &said.reports, &said.system_messages);
    match said.answer? {
        PermissionAnswer::Allow { updated_input, updated_permissions } => {
            for update in &updated_permissions {
                apply(config, id, update, ctx).await;
            }
            Some(updated_input.map_or(Answer::Yes, Answer::Instead))
        }
        PermissionAnswer::Deny { message, interrupt } => {
            let who = question.call.who();
            let text = match &message {
                Some(message) => format!("A hook refused the call: {message}"),
                None => "A hook refused the call.".to_owned(),
            };
            Some(Answer::No(if interrupt {
                let stop = message.unwrap_or_else(|| "a hook refused a call".to_owned());
                who.stopped(Outcome::Refused, text, stop)
            } else {
                who.end(Outcome::Refused, text)
            }))
        }
    }
}

/// Puts rules in force that a hook asks for beside its yes. Its yes holds whatever comes of them.
async fn apply(config: &DispatchConfig, id: &str, update: &Value, ctx: &ToolContext) {
    let done = match updates::read(update) {
        Ok(offer) => config.gate.remember(&offer, ctx).await.map_err(|error| error.to_string()),
        Err(why) => Err(why),
    };
    match done {
        Ok(()) => config.rules_moved.notify_waiters(),
        Err(why) => config.notice(id, &format!("a hook asks for other permission rules: {why}")),
    }
}

/// An offer in the public form of permission updates.
fn suggestion(offer: &RuleOffer) -> Value {
    let rules = offer.rules.iter().map(|rule| match rule.split_once('(') {
        Some((tool, content)) => {
            json!({ "toolName": tool, "ruleContent": content.strip_suffix(')').unwrap_or(content) })
        }
        None => json!({ "toolName": rule }),
    });
    let rules: Vec<_> = rules.collect();
    let destination = if offer.permanent { "localSettings" } else { "session" };
    json!({ "type": "addRules", "rules": rules, "behavior": "allow", "destination": destination })
}

async fn ask_classifier(
    config: &DispatchConfig,
    question: &Question<'_>,
    ctx: &ToolContext,
) -> Option<Answer> {
    let only_default = question.decision.step == DecisionStep::Default && !question.decision.by_rule;
    if ctx.mode != PermissionMode::Auto || !only_default {
        return None;
    }
    let gate_call = gate_call(question.call, question.check, question.advice, ctx);
    match unless_cancelled(&ctx.cancel, config.grace, config.gate.classify(&gate_call)).await {
        None => Some(Answer::No(question.call.who().cancelled())),
        Some(Some(true)) => Some(Answer::Yes),
        // Not sure enough, or no classifier: the ask goes on to the approver.
        Some(Some(false) | None) => None,
    }
}

async fn ask_approver(
    config: &DispatchConfig,
    question: &Question<'_>,
    offers: Vec<RuleOffer>,
    ctx: &ToolContext,
) -> (Answer, &'static str) {
    let who = question.call.who();
    let reason = &why(question.decision, question.advice, question.hook_reason);
    let nobody = |text: String| (Answer::No(who.end(Outcome::Refused, text)), "nobody");
    if !config.approver.can_answer() {
        return nobody(format!("Permission denied: {reason}; {NOBODY}."));
    }
    let is_person = config.approver.is_person();
    if question.decision.safety && !is_person {
        return nobody(format!("Permission denied: {reason}; only a person may approve this call."));
    }
    let request = request(question, offers);
    let closed = ctx.cancel.child_token();
    let mut asked = pin!(config.approver.ask(&request, &closed));
    let answered = async {
        match select(&mut asked, pin!(settled(config, question, ctx))).await {
            Either::Left((approval, _)) => Some(approval),
            Either::Right(((), asked)) => {
                closed.cancel();
                // Whoever paints the question gets time to take it away; what it answers now counts no more.
                let _ = tokio::time::timeout(config.grace, asked).await;
                None
            }
        }
    };
    let Some(answered) = unless_cancelled(&ctx.cancel, config.grace, answered).await else {
        return (Answer::No(who.cancelled()), "nobody");
    };
    let Some(approval) = answered else { return (Answer::Settled, "rule") };
    let by = if is_person { "person" } else { "program" };
    let answer = match approval {
        Approval::Once => Answer::Yes,
        Approval::Always(index) => {
            remember(config, question, request.offers.get(index), ctx).await;
            Answer::Yes
        }
        Approval::Modified(input) => Answer::Instead(input),
        Approval::Deny { comment: Some(comment) } => {
            Answer::No(who.end(Outcome::Refused, format!("The call was refused: {comment}")))
        }
        Approval::Deny { comment: None } if is_person => Answer::No(who.stopped(
            Outcome::Refused,
            "The user refused the call.",
            "a call was refused".to_owned(),
        )),
        Approval::Deny { comment: None } => {
            Answer::No(who.end(Outcome::Refused, format!("The call was refused: {reason}")))
        }
        Approval::Interrupt => Answer::No(who.stopped(
            Outcome::Refused,
            "The user refused the call and stopped the turn.",
            "the turn was interrupted".to_owned(),
        )),
        Approval::NoAnswer => return nobody(format!("Permission denied: {reason}; {NOBODY}.")),
    };
    (answer, by)
}

/// Waits until the rules settle the question.
async fn settled(config: &DispatchConfig, question: &Question<'_>, ctx: &ToolContext) {
    loop {
        // Enabled before the look, so that no change between look and wait is missed.
        let mut moved = pin!(config.rules_moved.notified());
        moved.as_mut().enable();
        if config.gate.generation() != question.rules_generation {
            let call = gate_call(question.call, question.check, question.advice, ctx);
            if config.gate.decide(&call).await.verdict != Verdict::Ask {
                return;
            }
        }
        moved.await;
    }
}

fn request(question: &Question<'_>, offers: Vec<RuleOffer>) -> ApprovalRequest {
    let call = question.call;
    let mut decision = question.decision.clone();
    if decision.step == DecisionStep::HookAsk
        && let Some(reason) = question.hook_reason
    {
        decision.reason = reason.to_owned().into();
    }
    let title = call.invocation().describe();
    let name = call.definition().name.clone();
    let id = Arc::clone(&call.who().id);
    let mut request = ApprovalRequest::new(id, name, Arc::clone(&call.who().input), title, decision);
    request.detail = call.invocation().render_use();
    request.offers = offers;
    request.fingerprint = question.fingerprint;
    request
}

/// Takes an accepted offer into force. Whatever goes wrong with that, the call is approved once.
async fn remember(
    config: &DispatchConfig,
    question: &Question<'_>,
    offer: Option<&RuleOffer>,
    ctx: &ToolContext,
) {
    let id = &question.call.who().id;
    let Some(offer) = offer else {
        config.notice(id, "an answer of \"always\" was for no offer; the call runs this once");
        return;
    };
    match config.gate.remember(offer, ctx).await {
        Ok(()) => config.rules_moved.notify_waiters(),
        Err(error) => config.notice(id, &format!("{error}; the call runs this once")),
    }
}
