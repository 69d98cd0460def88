//! Phase 3: hooks before the rules look. They may deny, ask, allow, leave open, replace the input, add
//! context, stop the turn. On a replaced input they do not run again.

use super::validate::Validated;
use crate::config::DispatchConfig;
use crate::wait::unless_cancelled;
use pegboard_tool_core::ports::{Finished, HookAdvice, HookDecision, HookEvent, Outcome, Phase, PreOutcome};
use pegboard_tool_core::{Caller, ToolContext};

/// Proof that hooks saw the call, and what they said.
pub(crate) struct Hooked {
    pub(super) call: Validated,
    pub(super) advice: HookAdvice,
    /// Why a hook asks, for the person.
    pub(super) reason: Option<String>,
    /// Texts for the model.
    pub(super) messages: Vec<String>,
}

/// Runs the tool's own check and then the hooks, when any is interested.
pub(crate) async fn pre_hooks(
    config: &DispatchConfig,
    call: Validated,
    ctx: &ToolContext,
) -> Result<Hooked, Box<Finished>> {
    confirm(config, &call, ctx).await?;
    // Hooks do not run on what a hook calls. Whoever attached it wants the call: that opens the door and never
    // the lock, as the allow of a hook does.
    if *call.caller() == Caller::Hook {
        return Ok(Hooked { call, advice: HookAdvice::Allow, reason: None, messages: Vec::new() });
    }
    let definition = call.definition();
    if !config.hooks.interested(HookEvent::PreToolUse, definition.name.as_str(), &definition.aliases) {
        return Ok(Hooked { call, advice: HookAdvice::None, reason: None, messages: Vec::new() });
    }
    // Boxed, so that calls without hooks stay small.
    Box::pin(run(config, call, ctx)).await
}

async fn run(config: &DispatchConfig, call: Validated, ctx: &ToolContext) -> Result<Hooked, Box<Finished>> {
    config.started(&call.who().id, Phase::PreHooks);
    let asked = {
        let hook_call = call.hook_call(ctx);
        unless_cancelled(&ctx.cancel, config.grace, config.hooks.pre(&hook_call)).await
    };
    let Some(said) = asked else { return Err(call.who().cancelled()) };
    config.hooks_ran(&call.who().id, HookEvent::PreToolUse, &said.reports, &said.system_messages);
    config.ended(&call.who().id, Phase::PreHooks);
    follow(config, call, said, ctx).await
}

/// The tool's own check of the input.
pub(super) async fn confirm(
    config: &DispatchConfig,
    call: &Validated,
    ctx: &ToolContext,
) -> Result<(), Box<Finished>> {
    match unless_cancelled(&ctx.cancel, config.grace, call.confirm()).await {
        None => Err(call.who().cancelled()),
        Some(Err(invalid)) => Err(call.who().end(Outcome::Invalid, invalid.text)),
        Some(Ok(())) => Ok(()),
    }
}

async fn follow(
    config: &DispatchConfig,
    call: Validated,
    said: PreOutcome,
    ctx: &ToolContext,
) -> Result<Hooked, Box<Finished>> {
    let PreOutcome { decision, reason, updated_input, additional_context: messages, stop, reports, .. } =
        said;
    let with_messages = |mut finished: Box<Finished>, messages| {
        finished.messages = messages;
        finished
    };
    if let Some(stop) = stop {
        let text = format!("The call did not run: a hook stopped the turn: {stop}");
        return Err(with_messages(call.who().stopped(Outcome::NotRun, text, stop), messages));
    }
    let advice = match decision {
        Some(HookDecision::Deny) => {
            let text = match &reason {
                Some(reason) => format!("A hook refused the call: {reason}"),
                None => "A hook refused the call.".to_owned(),
            };
            return Err(with_messages(call.who().end(Outcome::Refused, text), messages));
        }
        Some(HookDecision::Defer) if config.approver.is_person() || !ctx.may_defer => {
            let text = "a hook wants to leave the call open; that is for the single call of a message in a run without a person";
            config.notice(&call.who().id, text);
            // Leaving open is stricter than asking, and must not hide that another handler asks.
            let asks = reports.iter().any(|report| report.decision == Some(HookDecision::Ask));
            let advice = if asks { HookAdvice::Ask } else { HookAdvice::None };
            return Ok(Hooked { call, advice, reason: None, messages: Vec::new() });
        }
        Some(HookDecision::Defer) => {
            return Err(call.who().end(Outcome::Deferred, "A hook left the call open."));
        }
        Some(HookDecision::Ask) => HookAdvice::Ask,
        Some(HookDecision::Allow) => HookAdvice::Allow,
        None => HookAdvice::None,
    };
    let call = match updated_input {
        None => call,
        Some(input) => {
            let replaced = match call.replaced(input, ctx) {
                Ok(replaced) => replaced,
                Err(finished) => return Err(with_messages(finished, messages)),
            };
            if let Err(finished) = confirm(config, &replaced, ctx).await {
                return Err(with_messages(finished, messages));
            }
            if advice == HookAdvice::Allow { replaced.answered() } else { replaced }
        }
    };
    Ok(Hooked { call, advice, reason, messages })
}
