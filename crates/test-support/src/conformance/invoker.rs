//! What every pipeline keeps: exactly one result, whatever happens to the call.

use super::{answers, context, odd_inputs};
use crate::{Behaviour, FakeTool};
use pegboard_tool_core::ports::{Finished, Outcome, Prepared, Ready, Step, ToolInvoker};
use pegboard_tool_core::{Accesses, Concurrency, DynTool, ErrorKind, ToolContext, ToolUse};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Runs the cases against the invoker that `make` makes of these tools, with a gate that allows all.
///
/// # Panics
/// At the first case that the invoker fails.
pub async fn invoker_conformance<I: ToolInvoker>(make: impl Fn(Vec<Arc<dyn DynTool>>) -> I) {
    let echo = FakeTool::new("Echo").shared();
    let tools = [
        echo.clone(),
        FakeTool::new("Fails").behaving(Behaviour::Fail(ErrorKind::Failed, "it failed".to_owned())),
        FakeTool::new("Panics").behaving(Behaviour::Panic("panicked".to_owned())),
        FakeTool::new("Waits").behaving(Behaviour::UntilCancelled),
        FakeTool::new("Denies").checking(pegboard_tool_core::ToolCheck::Deny("never".to_owned())),
        FakeTool::new("Refuses").refusing_input("not this"),
    ];
    let invoker = make(tools.iter().map(FakeTool::tool).collect());
    every_call_has_one_result(&invoker).await;
    odd_calls_are_answered(&invoker).await;
    cancelled_calls_are_answered(&invoker).await;
    let before = echo.calls().len();
    foreign_proofs_run_nothing(&invoker, &make(vec![echo.tool()])).await;
    assert_eq!(echo.calls().len(), before, "a proof of somebody else runs nothing");
}

async fn invoked(invoker: &dyn ToolInvoker, call: ToolUse, ctx: ToolContext) -> Finished {
    let id = Arc::clone(&call.id);
    let finished = answers("invoke", invoker.invoke(call, ctx)).await;
    assert_eq!(finished.result.tool_use_id, id, "the result carries the id of the call");
    let succeeded = finished.outcome == Outcome::Succeeded;
    assert_eq!(!succeeded, finished.result.is_error, "everything but a success is an error result");
    finished
}

async fn every_call_has_one_result(invoker: &dyn ToolInvoker) {
    for (name, outcome) in [
        ("Echo", Outcome::Succeeded),
        ("Fails", Outcome::Failed(ErrorKind::Failed)),
        ("Panics", Outcome::Failed(ErrorKind::Bug)),
        ("Denies", Outcome::Refused),
        ("Refuses", Outcome::Invalid),
        ("NoSuchTool", Outcome::Invalid),
    ] {
        let finished = invoked(invoker, ToolUse::new("id", name, json!({})), context()).await;
        assert_eq!(finished.outcome, outcome, "{name}");
    }
}

async fn odd_calls_are_answered(invoker: &dyn ToolInvoker) {
    for id in ["", "id\n\0", &"x".repeat(10_000)] {
        for name in ["Echo", "", "no tool\0", &"y".repeat(10_000)] {
            invoked(invoker, ToolUse::new(id, name, json!({})), context()).await;
        }
    }
    for input in odd_inputs() {
        invoked(invoker, ToolUse::new("id", "Echo", input), context()).await;
    }
    let unreadable = ToolUse::unreadable("id", "Echo", "{\"a\": ");
    let finished = invoked(invoker, unreadable, context()).await;
    assert_eq!(finished.outcome, Outcome::Invalid, "unreadable arguments are invalid");
}

async fn cancelled_calls_are_answered(invoker: &dyn ToolInvoker) {
    let ctx = context();
    ctx.cancel.cancel();
    let finished = invoked(invoker, ToolUse::new("id", "Echo", json!({})), ctx).await;
    assert_eq!(finished.outcome, Outcome::Cancelled, "a call that was cancelled before it began");
    let ctx = context();
    let cancel = ctx.cancel.clone();
    let later = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        cancel.cancel();
    };
    let call = ToolUse::new("id", "Waits", json!({}));
    let (finished, ()) = futures::join!(invoked(invoker, call, ctx), later);
    assert_eq!(finished.outcome, Outcome::Cancelled, "a call that was cancelled while it ran");
}

async fn foreign_proofs_run_nothing(invoker: &dyn ToolInvoker, other: &dyn ToolInvoker) {
    let forged = || {
        let payload = Box::new("forged");
        Prepared::new("id".into(), "Echo".into(), Concurrency::Shared, Accesses::nothing(), false, payload)
    };
    let finished = answers("execute", invoker.execute(Ready::new(forged(), 0, 0), context())).await;
    assert!(finished.result.is_error, "a proof that nobody made is an error result");
    let ctx = context();
    let decided = answers("decide", invoker.decide(forged(), &ctx)).await;
    assert!(matches!(decided, Step::Done(_)), "a proof that nobody made is not decided about");
    // Skips the decision: a validated call is no decided one.
    if let Step::Next(prepared) = invoker.validate(ToolUse::new("id", "Echo", json!({})), &ctx) {
        let finished = answers("execute", invoker.execute(Ready::new(prepared, 0, 0), context())).await;
        assert!(finished.result.is_error, "a call that was not decided about does not run");
    }
    if let Step::Next(prepared) = other.validate(ToolUse::new("id", "Echo", json!({})), &ctx)
        && let Step::Next(ready) = answers("decide", other.decide(prepared, &ctx)).await
    {
        let finished = answers("execute", invoker.execute(ready, context())).await;
        assert!(finished.result.is_error, "what another invoker decided does not run");
    }
}
