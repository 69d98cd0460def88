//! Nothing runs without the proof of the phase before.

use crate::world::{World, context, text};
use pegboard_dispatch::{DispatchConfig, Dispatcher};
use pegboard_test_support::conformance::invoker_conformance;
use pegboard_test_support::{AllowAll, DenyAll, FakeLookup, FakeTool, ScriptedGate};
use pegboard_tool_core::ports::{
    Decision, DecisionStep, Finished, Outcome, Prepared, Ready, Step, ToolInvoker, Verdict,
};
use pegboard_tool_core::{Accesses, Concurrency, ContextChange, ToolUse};
use serde_json::json;
use std::sync::Arc;

#[tokio::test(start_paused = true)]
async fn invokers_keep_the_contract() {
    invoker_conformance(|tools| {
        Dispatcher::new(DispatchConfig::new(Arc::new(FakeLookup::new(tools)), Arc::new(AllowAll)))
    })
    .await;
}

async fn ready_of(world: &World) -> Ready {
    let Step::Next(prepared) = world.dispatcher.validate(ToolUse::new("id", "Echo", json!({})), &context())
    else {
        panic!("the call is valid")
    };
    match world.dispatcher.decide(prepared, &context()).await {
        Step::Next(ready) => ready,
        Step::Done(finished) => panic!("{finished:?}"),
    }
}

#[tokio::test]
async fn nothing_executes_without_a_permitted() {
    let tool = FakeTool::new("Echo");
    let strict = World::with(&tool, Arc::new(DenyAll), |config| config);
    let lax = World::of(&tool);
    let refused = |finished: Finished| assert_eq!(finished.outcome, Outcome::NotRun, "{finished:?}");

    // Made up by somebody.
    let prepared = Prepared::new(
        "id".into(),
        "Echo".into(),
        Concurrency::Shared,
        Accesses::nothing(),
        false,
        Box::new(()),
    );
    refused(strict.dispatcher.execute(Ready::new(prepared, 0, 0), context()).await);
    // Validated, not decided.
    let call = ToolUse::new("id", "Echo", json!({}));
    if let Step::Next(prepared) = strict.dispatcher.validate(call, &context()) {
        refused(strict.dispatcher.execute(Ready::new(prepared, 0, 0), context()).await);
    }
    // Decided by a dispatcher with another gate.
    refused(strict.dispatcher.execute(ready_of(&lax).await, context()).await);
    assert!(tool.calls().is_empty());
    // And so that the test can fail: with its own proof it runs.
    let ready = ready_of(&lax).await;
    assert_eq!(lax.dispatcher.execute(ready, context()).await.outcome, Outcome::Succeeded);
    assert_eq!(tool.calls().len(), 1);
}

/// Allows the first time and denies from then on.
fn turning() -> ScriptedGate {
    let asked = std::sync::atomic::AtomicBool::new(false);
    ScriptedGate::deciding(move |_| {
        let (verdict, step) = if asked.swap(true, std::sync::atomic::Ordering::Relaxed) {
            (Verdict::Deny, DecisionStep::DenyRule)
        } else {
            (Verdict::Allow, DecisionStep::AllowRule)
        };
        Decision::new(verdict, step, "a rule says so")
    })
}

#[tokio::test]
async fn a_call_is_decided_again_when_the_rules_moved() {
    let (tool, gate) = (FakeTool::new("Echo"), Arc::new(turning()));
    let world = World::with(&tool, Arc::clone(&gate) as _, |config| config);
    let ready = ready_of(&world).await;
    gate.bump();
    let finished = world.dispatcher.execute(ready, context()).await;
    assert_eq!((finished.outcome, tool.calls().len()), (Outcome::Refused, 0));
}

#[tokio::test]
async fn a_call_is_decided_again_when_the_context_moved() {
    let (tool, gate) = (FakeTool::new("Echo").backfills(), Arc::new(turning()));
    let world = World::with(&tool, Arc::clone(&gate) as _, |config| config);
    let call = ToolUse::new("id", "Echo", json!({ "file_path": "a" }));
    let Step::Next(prepared) = world.dispatcher.validate(call, &context()) else { panic!("valid") };
    let Step::Next(ready) = world.dispatcher.decide(prepared, &context()).await else { panic!("allowed") };
    let moved = Arc::new(context().changed(&ContextChange::Cwd("/w/sub".into())));
    let finished = world.dispatcher.execute(ready, context().with_snapshot(moved)).await;
    assert_eq!((finished.outcome, tool.calls().len()), (Outcome::Refused, 0));
    let judged: Vec<_> = gate.asked().iter().map(|input| input["file_path"].clone()).collect();
    assert_eq!(judged, ["/w/a", "/w/sub/a"]);
}

#[tokio::test]
async fn a_call_runs_with_the_input_that_the_model_wrote() {
    let tool = FakeTool::new("Echo").backfills();
    let world = World::of(&tool);
    let finished = world.call("Echo", json!({ "file_path": "a" })).await;
    assert_eq!(text(&finished), r#"{"file_path":"a"}"#);
    assert_eq!(*tool.calls()[0].input, json!({ "file_path": "a" }));
    assert_eq!(world.observer.details("validated"), [r#"Echo {"file_path":"/w/a"} (Echo)"#]);
}

#[tokio::test]
async fn a_layer_that_panics_is_no_allow() {
    fn broken() -> ScriptedGate {
        ScriptedGate::deciding(|_| panic!("the gate is broken"))
    }
    let tool = FakeTool::new("Echo");
    let world = World::with(&tool, Arc::new(broken()), |config| config);
    let finished = world.call("Echo", json!({})).await;
    assert!(finished.result.is_error && tool.calls().is_empty());
    assert_eq!(world.observer.details("finished"), ["Echo Failed(Bug) is_error=true"]);
}
