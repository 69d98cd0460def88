//! Invariants over random turns, in paused time.

use crate::fake::{Seen, call, ctx, run};
use pegboard_tool_core::ports::{Outcome, TurnEnd, TurnOutcome};
use pegboard_tool_core::{ErrorKind, ToolUse};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ENDS: [&str; 11] = [
    "succeed",
    "fail",
    "panic",
    "panic-in-decide",
    "panic-in-validate",
    "panic-in-batch",
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
    let script = (any::<bool>(), 0..ENDS.len(), 0_u64..40, 0_u64..40, prop::option::of("/[a-c]")).prop_map(
        |(shared, end, decide_ms, ms, cd)| {
            json!({"shared": shared, "do": ENDS[end], "decide_ms": decide_ms, "ms": ms, "cd": cd})
        },
    );
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

/// Whether a call may not run beside others, from the start or because its decision made it so.
fn runs_alone(script: &Value) -> bool {
    script["shared"] != json!(true) || script["do"] == json!("stricter")
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
    fn exclusive_calls_run_in_call_order(turn in turns()) {
        let (_, _, seen) = play(&turn);
        let began = seen.lock().unwrap().began.clone();
        let exclusive: Vec<usize> =
            began.iter().map(|(id, _)| id.parse().unwrap()).filter(|at| runs_alone(&turn.scripts[*at])).collect();
        prop_assert!(exclusive.is_sorted(), "{exclusive:?}");
    }

    #[test]
    fn context_changes_take_effect_only_between_batches(turn in turns()) {
        let (_, outcome, seen) = play(&turn);
        let mut cwd = "/w".to_owned();
        for (id, saw) in &seen.lock().unwrap().began {
            prop_assert_eq!(saw, &cwd);
            let at: usize = id.parse().unwrap();
            let script = &turn.scripts[at];
            let ended = matches!(
                outcome.calls[at].outcome,
                Outcome::Succeeded | Outcome::Failed(ErrorKind::Failed)
            );
            if let (true, true, Some(path)) = (ended, runs_alone(script), script["cd"].as_str()) {
                path.clone_into(&mut cwd);
            }
        }
        prop_assert_eq!(&outcome.context.cwd, std::path::Path::new(&cwd));
    }

    #[test]
    fn a_turn_that_was_not_cancelled_finishes_its_batch_once(turn in turns()) {
        let (calls, outcome, seen) = play(&turn);
        let none = calls.is_empty() || matches!(outcome.end, TurnEnd::Cancelled);
        let expected = if none { vec![] } else { vec![calls.len()] };
        prop_assert_eq!(&seen.lock().unwrap().batches, &expected);
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
            let refused = ["invalid", "refuse", "refuse-and-stop", "panic-in-decide", "panic-in-validate"].iter().any(|end| script["do"] == *end);
            prop_assert!(!refused || !began.contains(&at.to_string()));
            prop_assert!(!refused || outcome.calls[at].result.is_error);
        }
    }
}
