//! Refusals, stops, panics and cancellation.

use crate::fake::{FakeInvoker, call, ctx, run, texts};
use pegboard_scheduler::Scheduler;
use pegboard_tool_core::ports::{Event, Observer, Outcome, StopReason, TurnEnd, TurnEvent, TurnExecutor};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_refusal_that_stops_ends_what_runs_and_what_waits() {
    let calls = vec![
        call("runs", json!({"shared": true, "ms": 1000})),
        call("no", json!({"shared": true, "do": "refuse-and-stop", "decide_ms": 10})),
        call("waits", json!({"shared": true, "decide_ms": 1000})),
        call("later", json!({})),
    ];
    let (outcome, seen) = run(calls, 10, ctx()).await;
    assert_eq!(
        texts(&outcome),
        [
            "runs: interrupted",
            "no: refused",
            "waits: not run: the turn was stopped",
            "later: not run: the turn was stopped",
        ]
    );
    assert!(matches!(&outcome.end, TurnEnd::Stopped(why) if why == "a person refused"));
    assert_eq!(seen.lock().unwrap().began.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_by_rule_concerns_that_call_only() {
    let calls = vec![call("no", json!({"do": "refuse"})), call("yes", json!({}))];
    let (outcome, _) = run(calls, 10, ctx()).await;
    assert_eq!(texts(&outcome), ["no: refused", "yes: done yes"]);
    assert!(matches!(outcome.end, TurnEnd::Completed));
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_stops_keeps_the_result_of_its_call() {
    let calls = vec![call("a", json!({"do": "stop"})), call("b", json!({}))];
    let (outcome, _) = run(calls, 10, ctx()).await;
    assert_eq!(texts(&outcome), ["a: done a", "b: not run: the turn was stopped"]);
    assert!(matches!(&outcome.end, TurnEnd::Stopped(why) if why == "a hook said so"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_the_result_of_its_call_only() {
    for told in ["panic", "panic-in-decide", "panic-in-validate"] {
        let calls = vec![
            call("a", json!({"shared": true})),
            call("b", json!({"shared": true, "do": told})),
            call("c", json!({"shared": true, "ms": 20})),
        ];
        let (outcome, _) = run(calls, 10, ctx()).await;
        let errors: Vec<bool> = outcome.calls.iter().map(|call| call.result.is_error).collect();
        assert_eq!(errors, [false, true, false]);
    }
}

#[tokio::test(start_paused = true)]
async fn cancellation_answers_every_call_and_starts_nothing_more() {
    let context = ctx();
    let cancel = context.cancel.clone();
    let calls = vec![
        call("done", json!({"ms": 5})),
        call("running", json!({"ms": 1000})),
        call("later", json!({"shared": true})),
    ];
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        cancel.cancel();
    };
    let ((outcome, seen), ()) = tokio::join!(run(calls, 10, context), cancelling);
    assert_eq!(
        texts(&outcome),
        ["done: done done", "running: interrupted", "later: not run: the turn was interrupted"]
    );
    assert!(matches!(outcome.end, TurnEnd::Cancelled));
    assert_eq!(outcome.calls[2].outcome, Outcome::Cancelled);
    assert_eq!(seen.lock().unwrap().began.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_comes_free_by_a_stop_starts_nothing() {
    let calls = vec![
        call("stops", json!({"shared": true, "do": "stop", "ms": 5})),
        call("waits", json!({"shared": true})),
    ];
    let (outcome, seen) = run(calls, 1, ctx()).await;
    assert_eq!(texts(&outcome), ["stops: done stops", "waits: not run: the turn was stopped"]);
    assert_eq!(seen.lock().unwrap().began.len(), 1);
}

#[derive(Debug, Default)]
struct Ends(Mutex<Vec<String>>);

impl Observer for Ends {
    fn event(&self, event: &Event<'_>) {
        if let (Event::Finished { id, outcome, .. }, Ok(mut ends)) = (event, self.0.lock()) {
            ends.push(format!("{id} {outcome:?}"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_call_that_only_the_scheduler_answers_is_observed() {
    let ends = Arc::new(Ends::default());
    let batches = Scheduler::new(Arc::new(FakeInvoker::default()))
        .with_observer(Arc::clone(&ends) as Arc<dyn Observer>);
    let events = |end: StopReason| {
        let calls = [("stops", json!({"do": "refuse-and-stop"})), ("later", json!({}))];
        let ready = calls.into_iter().map(|(id, script)| TurnEvent::CallReady(call(id, script)));
        Box::new(ready.chain([TurnEvent::Ended(end)]).collect::<VecDeque<_>>())
    };
    batches.run(events(StopReason::ToolUse), ctx()).await;
    assert_eq!(*ends.0.lock().unwrap(), ["later NotRun"]);
    batches.run(events(StopReason::Other("refusal".to_owned())), ctx()).await;
    assert_eq!(*ends.0.lock().unwrap(), ["later NotRun", "stops NotRun", "later NotRun"]);
}

#[tokio::test(start_paused = true)]
async fn c_t_04_a_call_that_fails_leaves_its_siblings_alone() {
    let calls = vec![
        call("fails", json!({"do": "fail"})),
        call("reads", json!({"shared": true, "ms": 10})),
        call("fails too", json!({"shared": true, "do": "fail"})),
        call("edits", json!({})),
    ];
    let (outcome, _) = run(calls, 10, ctx()).await;
    let ends: Vec<bool> = outcome.calls.iter().map(|call| call.outcome == Outcome::Succeeded).collect();
    assert_eq!(ends, [false, true, false, true]);
    assert!(matches!(outcome.end, TurnEnd::Completed));
}
