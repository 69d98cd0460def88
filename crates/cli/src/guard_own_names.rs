//! Deny and ask rules under the host's own names of a tool. They hold beside those under the name that rules have for it.

use crate::exit::{Fault, chain};
use crate::stack;
use pegboard::guard::{Request, Ruling, ruling};
use pegboard::permissions::{Engine, EngineConfig, RuleParts};
use pegboard::ports::{Decision, DecisionStep, GateCall};
use pegboard::tool_core::RuleEffect;
use pegboard::{Accesses, ContextSnapshot, Effects, RuleText, ToolContext, ToolDefinition};
use serde_json::json;
use std::sync::Arc;

/// What rules say about the call under the host's own names: those that name a whole tool, and those on fields of a tool of
/// such a name. Nothing here lets a call run, and nothing is said where no rule holds it back.
pub(crate) fn own_decisions(
    request: &Request,
    rules: &[RuleText],
    context: &ContextSnapshot,
) -> Result<Vec<Decision>, Fault> {
    let mut decisions = Vec::new();
    let names = names(request);
    if names.is_empty() {
        return Ok(decisions);
    }
    let could_name = |rule: &&RuleText| {
        let parts = RuleParts::parse(&rule.text);
        let is_named =
            |parts: RuleParts| parts.specifier.is_none() || request.own.names.contains(&parts.tool);
        rule.effect != RuleEffect::Allow && parts.is_ok_and(is_named)
    };
    let mut config = EngineConfig::new(stack::analyzer());
    config.rules = rules.iter().filter(could_name).cloned().collect();
    let (engine, _) = Engine::new(config);
    let ctx = ToolContext::new(Arc::new(context.clone()));
    for name in names {
        let definition = ToolDefinition::new(&name, "", json!({"type": "object"}));
        let definition = definition.map_err(|error| Fault::usage(chain(&error)))?;
        let own = &request.own.input;
        let call = GateCall::new(&definition, own, Effects::Destructive, &Accesses::Everything, &ctx);
        let decision = engine.decide_now(&call);
        let is_by_rule = matches!(decision.step, DecisionStep::DenyRule | DecisionStep::AskRule);
        if is_by_rule && ruling(&decision) >= Ruling::Ask {
            decisions.push(decision);
        }
    }
    Ok(decisions)
}

/// The host's names of the tool, and what rules of such a name are read as: some names of older settings mean a tool that
/// has another name now, also in rules.
fn names(request: &Request) -> Vec<String> {
    let written = request.own.names.iter().chain(request.calls.iter().map(|call| &call.tool));
    let present = written.filter_map(|name| RuleParts::parse(name).ok()).map(|parts| parts.tool);
    let mut names: Vec<String> = request.own.names.iter().cloned().chain(present).collect();
    names.sort();
    names.dedup();
    names.retain(|name| request.calls.iter().all(|call| call.tool != *name));
    names
}
