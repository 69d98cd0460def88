//! What runs beside what, and in which context.

use crate::fake::{call, ctx, run, texts};
use pegboard_scheduler::Scheduler;
use pegboard_tool_core::ports::{StopReason, TurnEnd, TurnEvent, TurnExecutor};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Arc;

#[tokio::test(start_paused = true)]
async fn shared_calls_overlap_up_to_the_limit() {
    let calls = (0..12).map(|id| call(id, json!({"shared": true, "ms": 100}))).collect();
    let started = tokio::time::Instant::now();
    let (outcome, seen) = run(calls, 10, ctx()).await;
    assert_eq!(outcome.calls.len(), 12);
    assert_eq!(seen.lock().unwrap().most, 10);
    // Paused time: two rounds of 100 ms.
    assert_eq!(started.elapsed().as_millis(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_decision_holds_no_slot() {
    let calls = vec![
        call("asks", json!({"shared": true, "decide_ms": 1000, "ms": 10})),
        call("runs", json!({"shared": true, "ms": 10})),
        call("also", json!({"shared": true, "ms": 10})),
    ];
    let (_, seen) = run(calls, 1, ctx()).await;
    let began: Vec<String> = seen.lock().unwrap().began.iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(began, ["runs", "also", "asks"]);
}

#[tokio::test(start_paused = true)]
async fn results_are_in_call_order_whatever_finishes_first() {
    let calls = vec![
        call("a", json!({"shared": true, "ms": 50, "say": "from a"})),
        call("b", json!({"shared": true, "ms": 1, "say": "from b"})),
        call("c", json!({"do": "invalid"})),
    ];
    let (outcome, _) = run(calls, 10, ctx()).await;
    assert_eq!(texts(&outcome), ["a: done a", "b: done b", "c: invalid"]);
    assert_eq!(outcome.messages, ["from a", "from b", "batch of 3"]);
    assert!(matches!(outcome.end, TurnEnd::Completed));
}

#[tokio::test(start_paused = true)]
async fn a_context_change_of_a_shared_call_is_dropped_and_that_of_an_exclusive_one_holds() {
    let calls = vec![
        call("r1", json!({"shared": true, "cd": "/nowhere"})),
        call("r2", json!({"shared": true, "ms": 20})),
        call("cd", json!({"cd": "/w/sub"})),
        call("r3", json!({"shared": true})),
    ];
    let (outcome, seen) = run(calls, 10, ctx()).await;
    let began = seen.lock().unwrap().began.clone();
    let expected = [("r1", "/w"), ("r2", "/w"), ("cd", "/w"), ("r3", "/w/sub")];
    assert_eq!(began, expected.map(|(id, cwd)| (id.to_owned(), cwd.to_owned())));
    // A shared call's change is dropped; the exclusive one's holds after the turn.
    assert_eq!(outcome.context.cwd, std::path::Path::new("/w/sub"));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_became_stricter_runs_alone_after_its_batch() {
    let calls = vec![
        call("a", json!({"shared": true, "do": "stricter", "ms": 5})),
        call("b", json!({"shared": true, "ms": 30})),
        call("c", json!({"shared": true, "do": "stricter", "ms": 5})),
    ];
    let (outcome, seen) = run(calls, 10, ctx()).await;
    assert_eq!(texts(&outcome), ["a: done a", "b: done b", "c: done c"]);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.overlaps, []);
    let began: Vec<&str> = seen.began.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(began, ["b", "a", "c"]);
}

#[tokio::test(start_paused = true)]
async fn of_two_calls_with_one_id_the_first_stands() {
    let calls = vec![call("a", json!({})), call("a", json!({"do": "fail"})), call("b", json!({}))];
    let (outcome, _) = run(calls, 10, ctx()).await;
    assert_eq!(texts(&outcome), ["a: done a", "b: done b"]);
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_cut_response_are_answered_and_not_run() {
    for (event, expected) in [
        (
            TurnEvent::Ended(StopReason::Other("max_tokens".into())),
            "a: not run: the response was cut (max_tokens)",
        ),
        (TurnEvent::Failed("overloaded".into()), "a: not run: the response failed (overloaded)"),
    ] {
        let invoker = crate::fake::FakeInvoker::default();
        let seen = Arc::clone(&invoker.seen);
        let events = VecDeque::from([TurnEvent::CallReady(call("a", json!({}))), event]);
        let outcome = Scheduler::new(Arc::new(invoker)).run(Box::new(events), ctx()).await;
        assert_eq!(texts(&outcome), [expected]);
        assert!(seen.lock().unwrap().began.is_empty());
    }
}
