//! What every permission gate keeps, whatever its rules are.

use super::{answers, context, odd_inputs};
use crate::FakeTool;
use pegboard_tool_core::ports::{Decision, DecisionStep, GateCall, HookAdvice, PermissionGate, Verdict};
use pegboard_tool_core::{
    Access, Accesses, Caller, ContextChange, DynTool, Effects, PermissionMode, Resource, ToolCheck,
    ToolContext,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Runs the cases against the gate that `make` makes.
///
/// # Panics
/// At the first case that the gate fails.
pub async fn gate_conformance<G: PermissionGate>(make: impl Fn() -> G) {
    let gate = make();
    for name in ["Fake", "Read", "Bash", "Edit", "mcp__server__tool"] {
        let tool = FakeTool::new(name).tool();
        for mode in PermissionMode::ALL {
            let mut snapshot = (**context().snapshot()).clone();
            snapshot.mode = mode;
            let ctx = context().with_snapshot(Arc::new(snapshot));
            for input in odd_inputs() {
                one_call(&gate, &*tool, &input, &ctx).await;
            }
        }
    }
    judged_paths_are_granted(&gate).await;
    changes_are_answered(&gate);
}

async fn one_call(gate: &dyn PermissionGate, tool: &dyn DynTool, input: &Value, ctx: &ToolContext) {
    let accesses = Accesses::Everything;
    let call = GateCall::new(tool.definition(), input, Effects::Destructive, &accesses, ctx);
    let what = format!("{} {} in {}", tool.definition().name, shown(input), ctx.mode);

    let plain = decided(gate, &call).await;
    assert!(!plain.reason.is_empty(), "{what}: a decision has a reason");
    let again = decided(gate, &call).await;
    assert_eq!(plain.verdict, again.verdict, "{what}: the same call is decided the same way");

    let deny = ToolCheck::Deny("never".to_owned());
    let ask = ToolCheck::Ask("look".to_owned());
    for advice in [HookAdvice::None, HookAdvice::Ask, HookAdvice::Allow] {
        let advised = decided(gate, &call.with_hook(advice)).await;
        // `dontAsk` makes a deny of the ask that nobody answers; a hook's allow is an answer.
        let is_answered = advice == HookAdvice::Allow
            && ctx.mode == PermissionMode::DontAsk
            && plain.step == DecisionStep::Default;
        if plain.verdict == Verdict::Deny && !is_answered {
            assert_eq!(advised.verdict, Verdict::Deny, "{what}: no hook lifts a deny ({advice:?})");
        }
        let denied = decided(gate, &call.with_hook(advice).with_check(&deny)).await;
        assert_eq!(denied.verdict, Verdict::Deny, "{what}: the tool's own deny is final ({advice:?})");
        let asked = decided(gate, &call.with_hook(advice).with_check(&ask)).await;
        assert_ne!(asked.verdict, Verdict::Allow, "{what}: the tool's own ask stays ({advice:?})");
    }
    let asked = decided(gate, &call.with_hook(HookAdvice::Ask)).await;
    assert!(asked.verdict >= plain.verdict, "{what}: a hook's ask never loosens");
    assert_ne!(asked.verdict, Verdict::Allow, "{what}: a hook's ask is no allow");

    let client = Caller::Client("somebody".to_owned());
    let by_client = decided(gate, &call.with_caller(&client)).await;
    if plain.verdict == Verdict::Deny {
        assert_eq!(by_client.verdict, Verdict::Deny, "{what}: a deny holds for every caller");
    }
    let traced = decided(gate, &call.with_trail(true)).await;
    assert_eq!(plain.verdict, traced.verdict, "{what}: looking at the trail changes nothing");

    let offers = answers("offers", gate.offers(&call, &plain)).await;
    if plain.safety || plain.by_rule {
        assert!(offers.is_empty(), "{what}: \"always\" is not offered against a rule or safety");
    }
    for offer in offers {
        assert!(!offer.rules.is_empty(), "{what}: an offer has rules");
        assert!(!offer.summary.is_empty(), "{what}: an offer says what it means");
    }
    let _ = answers("classify", gate.classify(&call)).await;
}

async fn judged_paths_are_granted(gate: &dyn PermissionGate) {
    let tool = FakeTool::new("Fake").tool();
    let (file, host) = ("/w/no-such-file", "example.com");
    let accesses = Accesses::Only(Arc::from([
        Access::read(Resource::File(file.into())),
        Access::read(Resource::Host(host.to_owned())),
    ]));
    let ctx = context();
    let input = json!({ "file_path": file });
    let call = GateCall::new(tool.definition(), &input, Effects::ReadOnly, &accesses, &ctx);
    let decision = decided(gate, &call).await;
    if decision.verdict != Verdict::Deny {
        assert!(decision.grant.canonical(file.as_ref()).is_some(), "a path that was judged is in the grant");
        assert!(decision.grant.hosts.iter().any(|one| one == host), "a host that was judged is in the grant");
    }
}

fn changes_are_answered(gate: &dyn PermissionGate) {
    for change in [ContextChange::Mode(PermissionMode::Plan), ContextChange::AddDirectory("/w/\0".into())] {
        let first = gate.permits_change(&change, &context());
        assert_eq!(first, gate.permits_change(&change, &context()), "the same change has the same answer");
    }
    assert!(gate.generation() <= gate.generation(), "the count of changes never goes back");
}

async fn decided(gate: &dyn PermissionGate, call: &GateCall<'_>) -> Decision {
    answers("decide", gate.decide(call)).await
}

fn shown(input: &Value) -> String {
    input.to_string().chars().take(60).collect()
}
