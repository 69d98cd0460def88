//! Invariants over random turns, in paused time.

use crate::fake::{Seen, call, ctx, run};
use pegboard_tool_core::ToolUse;
use pegboard_tool_core::ports::TurnOutcome;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ENDS: [&str; 9] = [
    "succeed",
    "fail",
    "panic",
    "panic-in-decide",
    "invalid",
    "refuse",
    "refuse-and-stop",
    "stop",
    "stricter",
];

#[derive(Clone, Debug)]
struct Turn {
    scripts: Vec<Value>,
    limit: usize,
    cancel_after: Option<u64>,
}

fn turns() -> impl Strategy<Value = Turn> {
    let script = (any::<bool>(), 0..ENDS.len(), 0_u64..40, 0_u64..40).prop_map(|(shared, end, decide_ms, ms)| {
        json!({"shared": shared, "do": ENDS[end], "decide_ms": decide_ms, "ms": ms})
    });
    (prop::collection::vec(script, 0..14), 1_usize..4, prop::option::of(0_u64..200))
        .prop_map(|(scripts, limit, cancel_after)| Turn { scripts, limit, cancel_after })
}

fn play(turn: &Turn) -> (Vec<ToolUse>, TurnOutcome, Arc<Mutex<Seen>>) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let calls: Vec<ToolUse> =
        turn.scripts.iter().enumerate().map(|(id, script)| call(id, script.clone())).collect();
    let context = ctx();
    let cancel = context.cancel.clone();
    let cancelling = async {
        if let Some(ms) = turn.cancel_after {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            cancel.cancel();
        }
    };
    let (outcome, seen) = runtime.block_on(async {
        let ((outcome, seen), ()) = tokio::join!(run(calls.clone(), turn.limit, context), cancelling);
        (outcome, seen)
    });
    (calls, outcome, seen)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_gets_exactly_one_result_in_order(turn in turns()) {
        let (calls, outcome, _) = play(&turn);
        let asked: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
        let answered: Vec<_> = outcome.calls.iter().map(|call| call.result.tool_use_id.clone()).collect();
        prop_assert_eq!(asked, answered);
    }

    #[test]
    fn exclusive_calls_never_overlap(turn in turns()) {
        let (_, _, seen) = play(&turn);
        prop_assert_eq!(&seen.lock().unwrap().overlaps, &vec![]);
    }

    #[test]
    fn at_most_n_shared_calls_run_at_once(turn in turns()) {
        let (_, _, seen) = play(&turn);
        prop_assert!(seen.lock().unwrap().most <= turn.limit);
    }

    #[test]
    fn no_call_runs_twice_and_none_that_was_refused_runs(turn in turns()) {
        let (_, outcome, seen) = play(&turn);
        let began: Vec<String> = seen.lock().unwrap().began.iter().map(|(id, _)| id.clone()).collect();
        let mut once = began.clone();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), began.len());
        for (at, script) in turn.scripts.iter().enumerate() {
            let refused = ["invalid", "refuse", "refuse-and-stop", "panic-in-decide"].iter().any(|end| script["do"] == *end);
            prop_assert!(!refused || !began.contains(&at.to_string()));
            prop_assert!(!refused || outcome.calls[at].result.is_error);
        }
    }
}
