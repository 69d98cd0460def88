//! Calls that begin while their message still arrives.

use crate::fake::{FakeInvoker, Seen, call, ctx, texts};
use async_trait::async_trait;
use pegboard_scheduler::{Scheduler, Siblings, Start};
use pegboard_tool_core::ports::{
    Outcome, StopReason, TurnEnd, TurnEvent, TurnEvents, TurnExecutor, TurnOutcome,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Events with a pause before each, in milliseconds.
#[derive(Debug)]
struct Paced(VecDeque<(u64, TurnEvent)>);

#[async_trait]
impl TurnEvents for Paced {
    async fn next(&mut self) -> Option<TurnEvent> {
        let (ms, event) = self.0.pop_front()?;
        tokio::time::sleep(Duration::from_millis(ms)).await;
        Some(event)
    }
}

fn ready(id: &str, script: serde_json::Value) -> TurnEvent {
    TurnEvent::CallReady(call(id, script))
}

fn bash(id: &str, mut script: serde_json::Value) -> TurnEvent {
    script["tool"] = json!("Bash");
    ready(id, script)
}

fn ended() -> TurnEvent {
    TurnEvent::Ended(StopReason::ToolUse)
}

async fn stream(
    start: Start,
    siblings: Siblings,
    events: impl IntoIterator<Item = (u64, TurnEvent)>,
) -> (TurnOutcome, Arc<Mutex<Seen>>) {
    let invoker = FakeInvoker::default();
    let seen = Arc::clone(&invoker.seen);
    let scheduler = Scheduler::new(Arc::new(invoker)).with_start(start).with_siblings(siblings);
    let outcome = scheduler.run(Box::new(Paced(events.into_iter().collect())), ctx()).await;
    (outcome, seen)
}

/// Ids with the millisecond in which each began.
fn began(seen: &Mutex<Seen>) -> Vec<(String, u128)> {
    seen.lock().unwrap().times.clone()
}

fn at(expected: &[(&str, u128)]) -> Vec<(String, u128)> {
    expected.iter().map(|(id, ms)| ((*id).to_owned(), *ms)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_call_begins_when_its_block_ends_or_later_as_told() {
    let events = || {
        [
            (10, ready("read", json!({"shared": true, "ms": 5, "reads": true}))),
            (10, ready("write", json!({"ms": 5}))),
            (10, ready("read2", json!({"shared": true, "ms": 5, "reads": true}))),
            (70, ended()),
        ]
    };
    for (start, expected) in [
        (Start::Block, at(&[("read", 10), ("write", 20), ("read2", 30)])),
        (Start::ReadOnly, at(&[("read", 10), ("write", 100), ("read2", 105)])),
        (Start::End, at(&[("read", 100), ("write", 105), ("read2", 110)])),
    ] {
        let (outcome, seen) = stream(start, Siblings::Independent, events()).await;
        assert_eq!(texts(&outcome), ["read: done read", "write: done write", "read2: done read2"]);
        assert_eq!(began(&seen), expected, "{start:?}");
        assert!(matches!(outcome.end, TurnEnd::Completed));
    }
}

#[tokio::test(start_paused = true)]
async fn what_arrives_while_a_batch_runs_joins_it_and_an_exclusive_call_waits() {
    let (_, seen) = stream(
        Start::Block,
        Siblings::Independent,
        [
            (0, ready("a", json!({"shared": true, "ms": 50}))),
            (10, ready("b", json!({"shared": true, "ms": 10}))),
            (10, ready("x", json!({"ms": 10}))),
            (10, ready("c", json!({"shared": true, "ms": 10}))),
            (0, ended()),
        ],
    )
    .await;
    assert_eq!(began(&seen), at(&[("a", 0), ("b", 10), ("x", 50), ("c", 60)]));
    assert!(seen.lock().unwrap().overlaps.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_became_stricter_closes_its_batch() {
    let (_, seen) = stream(
        Start::Block,
        Siblings::Independent,
        [
            (0, ready("a", json!({"shared": true, "ms": 50}))),
            (0, ready("s", json!({"shared": true, "do": "stricter", "ms": 10}))),
            (10, ready("b", json!({"shared": true, "ms": 10}))),
            (0, ended()),
        ],
    )
    .await;
    assert_eq!(began(&seen), at(&[("a", 0), ("s", 50), ("b", 60)]));
    assert!(seen.lock().unwrap().overlaps.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_cut_or_fails_keeps_what_began_and_begins_nothing_more() {
    for (end, why) in [
        (
            TurnEvent::Ended(StopReason::Other("max_tokens".into())),
            "not run: the response was cut (max_tokens)",
        ),
        (TurnEvent::Failed("connection lost".into()), "not run: the response failed (connection lost)"),
    ] {
        let failed = matches!(end, TurnEvent::Failed(_));
        let (outcome, seen) = stream(
            Start::Block,
            Siblings::Independent,
            [(0, ready("a", json!({"ms": 50}))), (0, ready("b", json!({"ms": 10}))), (10, end)],
        )
        .await;
        assert_eq!(texts(&outcome), ["a: done a".to_owned(), format!("b: {why}")]);
        assert_eq!(began(&seen), at(&[("a", 0)]));
        assert_eq!(matches!(outcome.end, TurnEnd::Failed(_)), failed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_bash_call_that_failed_cancels_the_unfinished_and_the_later() {
    let events = || {
        [
            (0, ready("done", json!({"ms": 1}))),
            (5, bash("bad", json!({"shared": true, "do": "fail", "ms": 20}))),
            (0, ready("beside", json!({"shared": true, "ms": 100}))),
            (0, ready("waits", json!({"ms": 1}))),
            (50, ready("later", json!({"ms": 1}))),
            (0, ended()),
        ]
    };
    let (outcome, seen) = stream(Start::Block, Siblings::Cancelled, events()).await;
    let texts = texts(&outcome);
    assert_eq!(texts[..2], ["done: done done", "bad: done bad"]);
    assert!(texts[2].contains("sibling_error: cut short") && texts[2].contains("`bad`"), "{}", texts[2]);
    for later in &texts[3..] {
        assert!(later.contains("not run: sibling_error"), "{later}");
    }
    assert_eq!(outcome.calls[4].outcome, Outcome::NotRun);
    assert_eq!(began(&seen).len(), 3);
    assert!(matches!(outcome.end, TurnEnd::Completed));

    let (outcome, seen) = stream(Start::Block, Siblings::Independent, events()).await;
    assert_eq!(began(&seen).len(), 5);
    assert_eq!(outcome.calls.iter().filter(|call| call.result.is_error).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refused_bash_call_and_another_tool_that_fails_cancel_nobody() {
    let (outcome, _) = stream(
        Start::Block,
        Siblings::Cancelled,
        [
            (0, bash("refused", json!({"do": "refuse"}))),
            (0, ready("fails", json!({"do": "fail"}))),
            (0, ready("runs", json!({}))),
            (0, ended()),
        ],
    )
    .await;
    assert_eq!(texts(&outcome), ["refused: refused", "fails: done fails", "runs: done runs"]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_does_not_begin_again_what_was_begun() {
    let one = || json!({"n": 1, "ms": 40, "cd": "/sub"});
    let (outcome, seen) = stream(
        Start::Block,
        Siblings::Independent,
        [
            (0, ready("a1", one())),
            (0, ready("a2", json!({"n": 2, "ms": 10}))),
            (10, TurnEvent::Failed("overloaded".into())),
            (10, TurnEvent::Restarted),
            (0, ready("b1", one())),
            (0, ready("b2", json!({"n": 2, "ms": 10}))),
            (0, ready("b3", one())),
            (0, ended()),
        ],
    )
    .await;
    assert_eq!(texts(&outcome), ["b1: done a1", "b2: done b2", "b3: done b3"]);
    // The one that ran on was taken over; the one that had not begun is the retry's own; a second equal one runs.
    assert_eq!(began(&seen), at(&[("a1", 0), ("b2", 40), ("b3", 50)]));
    assert_eq!(outcome.context.cwd, std::path::Path::new("/sub"));
    assert!(matches!(outcome.end, TurnEnd::Completed));
}

#[tokio::test(start_paused = true)]
async fn what_a_retry_takes_over_ends_before_anything_else_begins() {
    let calls = |attempt: &str| {
        [
            (
                2,
                ready(
                    &format!("{attempt}0"),
                    json!({"shared": true, "n": 0, "do": "stricter", "decide_ms": 2, "ms": 5}),
                ),
            ),
            (0, ready(&format!("{attempt}1"), json!({"shared": true, "n": 1, "ms": 8}))),
        ]
    };
    let events =
        calls("old").into_iter().chain([(3, TurnEvent::Restarted)]).chain(calls("")).chain([(2, ended())]);
    let (outcome, seen) = stream(Start::Block, Siblings::Independent, events).await;
    assert_eq!(texts(&outcome), ["0: done 0", "1: done old1"]);
    // Both first ones are decided at once; the second runs, and the first one of the retry waits for its end.
    assert_eq!(began(&seen), at(&[("old1", 2), ("0", 12)]));
}

#[tokio::test(start_paused = true)]
async fn a_failed_bash_call_of_a_dropped_attempt_cancels_nothing_of_the_next() {
    for pause in [1, 20] {
        let (outcome, _) = stream(
            Start::Block,
            Siblings::Cancelled,
            [
                (0, bash("a1", json!({"n": 1, "do": "fail", "ms": 10}))),
                (pause, TurnEvent::Restarted),
                (0, bash("b1", json!({"n": 2, "ms": 5}))),
                (0, ended()),
            ],
        )
        .await;
        assert_eq!(texts(&outcome), ["b1: done b1"], "{pause}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_retry_leaves_out_is_told_after_the_results() {
    let (outcome, seen) = stream(
        Start::Block,
        Siblings::Independent,
        [
            (0, ready("a1", json!({"n": 1, "ms": 5}))),
            (0, ready("a2", json!({"n": 2, "ms": 50}))),
            (10, TurnEvent::Restarted),
            (0, ready("b2", json!({"n": 3, "ms": 5}))),
            (0, ended()),
        ],
    )
    .await;
    assert_eq!(texts(&outcome), ["b2: done b2"]);
    // Nothing of the new attempt begins beside what the old one left running.
    assert_eq!(began(&seen), at(&[("a1", 0), ("a2", 5), ("b2", 55)]));
    let reports: Vec<&String> =
        outcome.messages.iter().filter(|text| text.contains("earlier attempt")).collect();
    assert_eq!(reports.len(), 2, "{:?}", outcome.messages);
    assert!(reports[0].contains("done a1") && reports[1].contains("done a2"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_does_not_wait_for_its_message() {
    let context = ctx();
    let cancel = context.cancel.clone();
    let scheduler = Scheduler::new(Arc::new(FakeInvoker::default())).with_start(Start::Block);
    let events = [(0, ready("a", json!({"ms": 1000}))), (1_000_000, ended())];
    let running = scheduler.run(Box::new(Paced(events.into_iter().collect())), context);
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        cancel.cancel();
    };
    let before = tokio::time::Instant::now();
    let (outcome, ()) = tokio::join!(running, cancelling);
    assert!(matches!(outcome.end, TurnEnd::Cancelled));
    assert_eq!(texts(&outcome), ["a: interrupted"]);
    assert_eq!(before.elapsed(), Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn partial_input_is_painted_as_it_grows() {
    let id: Arc<str> = "p".into();
    let delta = |text: &str| TurnEvent::InputDelta { id: "p".into(), text: text.into() };
    let (_, seen) = stream(
        Start::Block,
        Siblings::Independent,
        [
            (0, TurnEvent::CallStarted { id, name: "Fake".into() }),
            (0, delta("{\"a")),
            (0, delta("\":1}")),
            (0, ready("p", json!({"a": 1}))),
            (0, delta("too late")),
            (0, ended()),
        ],
    )
    .await;
    assert_eq!(seen.lock().unwrap().painted, ["{\"a", "{\"a\":1}"]);
}

#[derive(Clone, Debug)]
enum End {
    Whole,
    Cut,
    Failed,
    Lost,
}

#[derive(Clone, Debug)]
struct Message {
    /// Pause before the block and what the call does.
    blocks: Vec<(u64, serde_json::Value)>,
    end: (u64, End),
    /// After how many blocks the message is written again, with the same calls under other ids.
    restart: Option<usize>,
    cancel_after: Option<u64>,
    start: Start,
    siblings: Siblings,
}

fn messages() -> impl Strategy<Value = Message> {
    let ends = ["succeed", "fail", "panic", "invalid", "refuse", "refuse-and-stop", "stop", "stricter"];
    let block = (0_u64..20, any::<bool>(), any::<bool>(), 0..ends.len(), 0_u64..30, 0_u64..30, any::<bool>()).prop_map(
        move |(pause, shared, reads, end, decide_ms, ms, is_bash)| {
            let tool = if is_bash { "Bash" } else { "Fake" };
            let script = json!({
                "shared": shared, "reads": reads, "do": ends[end], "decide_ms": decide_ms, "ms": ms, "tool": tool,
            });
            (pause, script)
        },
    );
    let end = prop_oneof![Just(End::Whole), Just(End::Cut), Just(End::Failed), Just(End::Lost)];
    let start = prop_oneof![Just(Start::Block), Just(Start::ReadOnly), Just(Start::End)];
    let siblings = prop_oneof![Just(Siblings::Independent), Just(Siblings::Cancelled)];
    (
        prop::collection::vec(block, 0..10),
        (0_u64..20, end),
        prop::option::weighted(0.3, 0_usize..10),
        prop::option::weighted(0.3, 0_u64..150),
        start,
        siblings,
    )
        .prop_map(|(blocks, end, restart, cancel_after, start, siblings)| Message {
            blocks,
            end,
            restart,
            cancel_after,
            start,
            siblings,
        })
}

fn events(message: &Message) -> VecDeque<(u64, TurnEvent)> {
    let block = |attempt: &str, at: usize| {
        let (pause, script) = &message.blocks[at];
        let mut script = script.clone();
        script["n"] = json!(at);
        (*pause, ready(&format!("{attempt}{at}"), script))
    };
    let mut events = VecDeque::new();
    if let Some(blocks) = message.restart {
        events.extend((0..blocks.min(message.blocks.len())).map(|at| block("old", at)));
        events.push_back((3, TurnEvent::Restarted));
    }
    events.extend((0..message.blocks.len()).map(|at| block("", at)));
    let (pause, end) = &message.end;
    let end = match end {
        End::Whole => ended(),
        End::Cut => TurnEvent::Ended(StopReason::Other("max_tokens".into())),
        End::Failed => TurnEvent::Failed("lost".into()),
        End::Lost => return events,
    };
    events.push_back((*pause, end));
    events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_a_stream_each_call_that_arrived_has_one_result(message in messages()) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (outcome, seen) = runtime.block_on(async {
            let invoker = FakeInvoker::default();
            let seen = Arc::clone(&invoker.seen);
            let scheduler =
                Scheduler::new(Arc::new(invoker)).with_start(message.start).with_siblings(message.siblings);
            let context = ctx();
            let cancel = context.cancel.clone();
            let cancelling = async {
                if let Some(ms) = message.cancel_after {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    cancel.cancel();
                }
            };
            let (outcome, ()) = tokio::join!(scheduler.run(Box::new(Paced(events(&message))), context), cancelling);
            (outcome, seen)
        });
        let seen = seen.lock().unwrap();
        let answered: Vec<String> = outcome.calls.iter().map(|call| call.result.tool_use_id.to_string()).collect();
        let old = answered.iter().filter(|id| id.starts_with("old")).count();
        let attempt = if old > 0 { "old" } else { "" };
        // A cancelled turn may miss calls; those that it has are the first ones of one attempt.
        let expected: Vec<String> = (0..answered.len()).map(|at| format!("{attempt}{at}")).collect();
        prop_assert_eq!(&answered, &expected);
        if message.cancel_after.is_none() {
            prop_assert_eq!(answered.len(), message.blocks.len());
        }
        prop_assert_eq!(&seen.overlaps, &vec![]);
        let mut once: Vec<&String> = seen.began.iter().map(|(id, _)| id).collect();
        let began = once.len();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), began);
        // What a dropped attempt ran to its end is not run by the next one.
        for (at, call) in outcome.calls.iter().enumerate() {
            let text = call.result.joined_text();
            if old == 0 && text.starts_with(&format!("done old{at}")) {
                let again = at.to_string();
                prop_assert!(!seen.began.iter().any(|(id, _)| *id == again));
            }
        }
        prop_assert!(message.start == Start::Block || message.restart.is_some() || seen.began.len() <= answered.len());
    }
}
