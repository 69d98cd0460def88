//! Conflict scheduling gives what running the calls one after another gives.

use crate::fake::{FakeInvoker, Seen, call, ctx, texts};
use pegboard_scheduler::{Schedule, Scheduler};
use pegboard_tool_core::ToolUse;
use pegboard_tool_core::ports::{StopReason, TurnEvent, TurnExecutor, TurnOutcome};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

async fn schedule(
    scripts: &[Value],
    schedule: Schedule,
    limit: usize,
) -> (TurnOutcome, Arc<Mutex<Seen>>, Duration) {
    let invoker = FakeInvoker::default();
    let seen = Arc::clone(&invoker.seen);
    let scheduler = Scheduler::new(Arc::new(invoker))
        .with_schedule(schedule)
        .with_max_concurrency(NonZeroUsize::new(limit).unwrap());
    let calls: Vec<ToolUse> =
        scripts.iter().enumerate().map(|(id, script)| call(id, script.clone())).collect();
    let mut events: VecDeque<TurnEvent> = calls.into_iter().map(TurnEvent::CallReady).collect();
    events.push_back(TurnEvent::Ended(StopReason::ToolUse));
    let before = tokio::time::Instant::now();
    let outcome = scheduler.run(Box::new(events), ctx()).await;
    (outcome, seen, before.elapsed())
}

fn files(seen: &Mutex<Seen>) -> BTreeMap<String, String> {
    seen.lock().unwrap().files.clone()
}

#[tokio::test(start_paused = true)]
async fn independent_writes_run_side_by_side_and_conflicting_ones_in_order() {
    let write = |file: &str| json!({"ms": 10, "touches": [{"write": file}]});
    let read = |file: &str| json!({"ms": 10, "touches": [{"read": file}]});
    let tree = json!({"ms": 10, "touches": [{"read_tree": "/nowhere/d"}]});
    let scripts = [
        write("/nowhere/d/a"),
        write("/nowhere/d/b"),
        read("/nowhere/d/a"),
        tree,
        write("/nowhere/e/c"),
        write("/nowhere/d/a"),
        json!({"ms": 10}),
        read("/nowhere/d/a"),
    ];
    let (outcome, seen, took) = schedule(&scripts, Schedule::Conflicts, 10).await;
    let times: Vec<u128> = {
        let mut times = seen.lock().unwrap().times.clone();
        times.sort_by_key(|(id, _)| id.parse::<usize>().unwrap());
        times.into_iter().map(|(_, ms)| ms).collect()
    };
    assert_eq!(times, [0, 0, 10, 10, 0, 20, 30, 40]);
    assert_eq!(took, Duration::from_millis(50));
    let (serial, _, _) = schedule(&scripts, Schedule::Batches, 1).await;
    assert_eq!(texts(&outcome), texts(&serial));
}

const NAMES: [&str; 4] = ["/nowhere/a", "/nowhere/d/b", "/nowhere/d/c", "/nowhere/d/e/f"];
const TREES: [&str; 3] = ["/nowhere", "/nowhere/d", "/nowhere/d/e"];

fn touch() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..NAMES.len()).prop_map(|at| json!({"read": NAMES[at]})),
        (0..NAMES.len()).prop_map(|at| json!({"write": NAMES[at]})),
        (0..TREES.len()).prop_map(|at| json!({"read_tree": TREES[at]})),
        (0..TREES.len()).prop_map(|at| json!({"write_tree": TREES[at]})),
    ]
}

fn scripts() -> impl Strategy<Value = Vec<Value>> {
    let ends = ["succeed", "fail", "panic", "refuse", "invalid", "stricter"];
    let script = (
        prop::option::weighted(0.85, prop::collection::vec(touch(), 0..3)),
        0_u64..30,
        0_u64..30,
        0..ends.len(),
        prop::option::weighted(0.2, "/nowhere/[a-c]"),
    )
        .prop_map(move |(touches, ms, decide_ms, end, cd)| {
            // Only a call that may touch everything changes the context.
            let cd = cd.filter(|_| touches.is_none());
            json!({"touches": touches, "ms": ms, "decide_ms": decide_ms, "do": ends[end], "cd": cd})
        });
    prop::collection::vec(script, 0..12)
}

fn play(scripts: &[Value], kind: Schedule, limit: usize) -> (TurnOutcome, Arc<Mutex<Seen>>, Duration) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(schedule(scripts, kind, limit))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_outcome_is_that_of_running_one_after_another(scripts in scripts(), limit in 1_usize..6) {
        let (outcome, seen, _) = play(&scripts, Schedule::Conflicts, limit);
        let (serial, serial_seen, _) = play(&scripts, Schedule::Batches, 1);
        prop_assert_eq!(texts(&outcome), texts(&serial));
        prop_assert_eq!(files(&seen), files(&serial_seen));
        prop_assert_eq!(&outcome.context.cwd, &serial.context.cwd);
        prop_assert!(seen.lock().unwrap().most <= limit);
    }

    #[test]
    fn it_is_never_slower_than_batches_while_the_limit_does_not_bind(scripts in scripts()) {
        let (_, _, conflicts) = play(&scripts, Schedule::Conflicts, 100);
        let (_, _, batches) = play(&scripts, Schedule::Batches, 100);
        prop_assert!(conflicts <= batches, "{conflicts:?} against {batches:?}");
    }
}

#[test]
fn the_median_is_not_slower_where_the_limit_binds() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut ratios: Vec<f64> = (0..101)
        .map(|_| {
            let scripts = scripts().new_tree(&mut runner).unwrap().current();
            let (_, _, conflicts) = play(&scripts, Schedule::Conflicts, 2);
            let (_, _, batches) = play(&scripts, Schedule::Batches, 2);
            (conflicts.as_secs_f64() + 0.001) / (batches.as_secs_f64() + 0.001)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[50] <= 1.0, "{}", ratios[50]);
}

/// All turns of three calls over two files: every way in which two calls can overlap, with every order of ends.
#[test]
fn all_small_turns_equal_the_serial_ones() {
    let kinds = [
        json!([{"read": "/nowhere/a"}]),
        json!([{"write": "/nowhere/a"}]),
        json!([{"write": "/nowhere/d/b"}]),
        json!([{"read_tree": "/nowhere"}]),
        json!([]),
        Value::Null,
    ];
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let mut turns = 0;
    for picks in 0..kinds.len().pow(3) {
        for order in 0..27_u64 {
            let script = |place: u32| {
                let kind = &kinds[picks / kinds.len().pow(place) % kinds.len()];
                json!({"touches": kind, "ms": 1 + order / 3_u64.pow(place) % 3, "do": "succeed"})
            };
            let scripts = [script(0), script(1), script(2)];
            let (outcome, seen, _) = runtime.block_on(schedule(&scripts, Schedule::Conflicts, 3));
            let (serial, serial_seen, _) = runtime.block_on(schedule(&scripts, Schedule::Batches, 1));
            assert_eq!((texts(&outcome), files(&seen)), (texts(&serial), files(&serial_seen)), "{scripts:?}");
            turns += 1;
        }
    }
    assert_eq!(turns, 216 * 27);
}
