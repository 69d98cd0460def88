//! Phase 4: may the call run? The only place that can make a [`Permitted`].

use super::approval::{Answer, approve};
use super::pre_hooks::{Hooked, confirm, pre_hooks};
use super::validate::Validated;
use crate::config::DispatchConfig;
use crate::wait::unless_cancelled;
use pegboard_tool_core::ports::{
    Decision, DecisionStep, Event, Finished, GateCall, HookAdvice, Outcome, Verdict,
};
use pegboard_tool_core::{Concurrency, Grant, PermissionMode, ToolCheck, ToolContext};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// How often an answer may replace the input of one call before it is refused.
const MAX_REPLACEMENTS: usize = 8;

/// Proof that the call may run as it is, in this context and under these rules.
// INVARIANT: all fields are private and only `permit` builds one, after the gate (or who answers for its
// ask) said yes.
pub(crate) struct Permitted {
    call: Validated,
    grant: Grant,
    advice: HookAdvice,
    messages: Vec<String>,
    context_generation: u64,
    rules_generation: u64,
    /// What somebody said yes to, when the gate asked.
    approved: Option<u64>,
}

/// What a yes that was given before is still good for.
#[derive(Default)]
struct Given {
    /// Exactly this name, input and grant was approved.
    fingerprint: Option<u64>,
    /// The input at hand came with a yes from whoever replaced it.
    replaced_with_yes: bool,
    /// Hooks answered already and are not asked again.
    hooks_answered: bool,
}

/// Judges the call, and puts an ask to whoever may answer it.
pub(crate) async fn permit(
    config: &DispatchConfig,
    hooked: Hooked,
    ctx: &ToolContext,
) -> Result<Permitted, Box<Finished>> {
    judge(config, hooked, Given::default(), ctx).await
}

impl Permitted {
    /// The same call, judged again because the context or the rules moved since.
    pub(crate) async fn renewed(
        self,
        config: &DispatchConfig,
        ctx: &ToolContext,
    ) -> Result<Self, Box<Finished>> {
        let Self { call, advice, messages, approved, .. } = self;
        let was_shared = call.invocation().concurrency() == Concurrency::Shared;
        let (call, moved) = call.renewed(ctx)?;
        let given = Given { fingerprint: approved, ..Given::default() };
        // Hooks judged another input when the one that they would see moved with the context.
        let hooked = if moved {
            let again = pre_hooks(config, call, ctx).await?;
            Hooked { messages: messages.into_iter().chain(again.messages).collect(), ..again }
        } else {
            confirm(config, &call, ctx).await?;
            Hooked { call, advice, reason: None, messages }
        };
        let permitted = judge(config, hooked, given, ctx).await?;
        let is_exclusive = permitted.call.invocation().concurrency() == Concurrency::Exclusive;
        if !(was_shared && is_exclusive) {
            Ok(permitted)
        } else {
            let text = "The call did not run: it may no longer run beside others since its context changed; \
                        call again.";
            Err(permitted.call.who().end(Outcome::NotRun, text))
        }
    }

    /// Whether context and rules are those under which the call was decided.
    pub(crate) fn is_current(&self, config: &DispatchConfig, ctx: &ToolContext) -> bool {
        self.context_generation == ctx.generation && self.rules_generation == config.gate.generation()
    }

    pub(crate) fn generations(&self) -> (u64, u64) {
        (self.context_generation, self.rules_generation)
    }

    pub(crate) fn call(&self) -> &Validated {
        &self.call
    }

    /// Takes the proof apart, to run the call.
    pub(super) fn into_parts(self) -> (Validated, Grant, Vec<String>) {
        (self.call, self.grant, self.messages)
    }
}

async fn judge(
    config: &DispatchConfig,
    hooked: Hooked,
    mut given: Given,
    ctx: &ToolContext,
) -> Result<Permitted, Box<Finished>> {
    let Hooked { mut call, mut advice, reason: hook_reason, messages } = hooked;
    let refuse = |mut finished: Box<Finished>, messages: Vec<String>| {
        finished.messages.splice(0..0, messages);
        finished
    };
    for _ in 0..=MAX_REPLACEMENTS {
        // Read before deciding: a change in between makes the decision an old one.
        let (context_generation, rules_generation) = (ctx.generation, config.gate.generation());
        let judged = unless_cancelled(&ctx.cancel, config.grace, decide(config, &call, advice, ctx)).await;
        let Some((decision, check)) = judged else { return Err(refuse(call.who().cancelled(), messages)) };
        let permitted = |call, decision: Decision, messages, approved| {
            let grant = decision.grant;
            Ok(Permitted { call, grant, advice, messages, context_generation, rules_generation, approved })
        };
        match decision.verdict {
            Verdict::Allow => {
                tell(config, &call, &decision, Verdict::Allow, &decision.reason, None);
                return permitted(call, decision, messages, None);
            }
            Verdict::Deny => {
                tell(config, &call, &decision, Verdict::Deny, &decision.reason, None);
                let text = format!("Permission denied: {}", decision.reason);
                return Err(refuse(call.who().end(Outcome::Refused, text), messages));
            }
            Verdict::Ask => {}
        }
        if ctx.mode == PermissionMode::DontAsk {
            let why = super::approval::why(&decision, advice, hook_reason.as_deref());
            let text = format!("Permission denied: {why} (nobody is asked in the mode dontAsk)");
            tell(config, &call, &decision, Verdict::Deny, &text, None);
            return Err(refuse(call.who().end(Outcome::Refused, text), messages));
        }
        let fingerprint = fingerprint(&call, &decision);
        let covered = given.replaced_with_yes && !decision.safety && !decision.by_rule;
        if given.fingerprint == Some(fingerprint) || covered {
            tell(config, &call, &decision, Verdict::Allow, "approved before", None);
            return permitted(call, decision, messages, Some(fingerprint));
        }
        let question = super::approval::Question {
            call: &call,
            decision: &decision,
            check: &check,
            advice,
            hook_reason: hook_reason.as_deref(),
            fingerprint,
            rules_generation,
            hooks_answered: given.hooks_answered,
        };
        // Rare and large: boxed, so that calls that nobody is asked about stay small.
        let (answer, by) = Box::pin(approve(config, question, ctx)).await;
        match answer {
            Answer::Yes => {
                tell(config, &call, &decision, Verdict::Allow, &decision.reason, Some(by));
                return permitted(call, decision, messages, Some(fingerprint));
            }
            Answer::No(finished) => {
                let text = finished.result.joined_text();
                tell(config, &call, &decision, Verdict::Deny, &text, Some(by));
                return Err(refuse(finished, messages));
            }
            // Judged again, by the rules of now.
            Answer::Settled => {}
            Answer::Instead(input) => {
                call = match Box::pin(replace(config, call, input, ctx)).await {
                    Ok(call) => call,
                    Err(finished) => return Err(refuse(finished, messages)),
                };
                // A hook's allow was for the input that it saw.
                advice = HookAdvice::None;
                given.replaced_with_yes = true;
                given.hooks_answered |= by == "hook";
            }
        }
    }
    let text = "Permission denied: the input was replaced too often without an end.";
    Err(refuse(call.who().end(Outcome::Refused, text), messages))
}

async fn replace(
    config: &DispatchConfig,
    call: Validated,
    input: Value,
    ctx: &ToolContext,
) -> Result<Validated, Box<Finished>> {
    let call = call.replaced(Arc::new(input), ctx)?;
    confirm(config, &call, ctx).await?;
    Ok(call)
}

async fn decide(
    config: &DispatchConfig,
    call: &Validated,
    advice: HookAdvice,
    ctx: &ToolContext,
) -> (Decision, ToolCheck) {
    let check = call.invocation().check_permissions().await;
    let gated = gate_call(call, &check, advice, ctx);
    let decision = config.gate.decide(&gated).await;
    let (id, tool) = (&*call.who().id, gated.tool.name.as_str());
    config.emit(&Event::Judged { id, tool, input: gated.input, context: ctx, hook: advice });
    (decision, check)
}

/// The call as the gate sees it.
pub(super) fn gate_call<'a>(
    call: &'a Validated,
    check: &'a ToolCheck,
    advice: HookAdvice,
    ctx: &'a ToolContext,
) -> GateCall<'a> {
    let invocation = call.invocation();
    let accesses = invocation.accesses();
    GateCall::new(call.definition(), invocation.view(), invocation.effects(), accesses, ctx)
        .with_check(check)
        .with_hook(advice)
        .with_caller(call.caller())
        .with_answer(call.is_answered())
}

fn fingerprint(call: &Validated, decision: &Decision) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.who().tool.hash(&mut hasher);
    call.who().input.to_string().hash(&mut hasher);
    // Where a relative path leads is part of what was approved.
    call.invocation().view().to_string().hash(&mut hasher);
    decision.grant.paths.hash(&mut hasher);
    decision.grant.hosts.hash(&mut hasher);
    hasher.finish()
}

fn tell(
    config: &DispatchConfig,
    call: &Validated,
    decision: &Decision,
    verdict: Verdict,
    reason: &str,
    approved_by: Option<&str>,
) {
    let step: DecisionStep = decision.step;
    let id = &call.who().id;
    config.emit(&Event::Decided { id, verdict, step, reason, rules: &decision.matched, approved_by });
}
