//! Cancellation and limits, in every phase. Time is paused.

use crate::world::{World, context, text};
use pegboard_test_support::{AllowAll, Behaviour, FakeTool, ScriptedApprover, ScriptedGate, ScriptedHooks};
use pegboard_tool_core::ports::{Finished, Outcome, PermissionAnswer, PostOutcome, PreOutcome};
use pegboard_tool_core::{ErrorKind, ToolContext};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

async fn cancelled_after(world: &World, after: Duration) -> Finished {
    let ctx: ToolContext = context();
    let cancel = ctx.cancel.clone();
    let stop = async move {
        tokio::time::sleep(after).await;
        cancel.cancel();
    };
    futures::join!(world.call_in("Echo", json!({}), ctx), stop).0
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_has_its_result_whatever_it_waited_for() {
    let tool = FakeTool::new("Echo").behaving(Behaviour::UntilCancelled);
    let hanging = || ScriptedHooks::new().hanging();
    let yes = PermissionAnswer::Allow { updated_input: None, updated_permissions: vec![] };
    let worlds = [
        ("the tool", World::of(&tool)),
        (
            "a hook before",
            World::with(&tool, Arc::new(AllowAll), |config| {
                config.with_hooks(Arc::new(hanging().pre(PreOutcome::default())))
            }),
        ),
        (
            "a person",
            World::with(&tool, Arc::new(ScriptedGate::asking()), |config| {
                config.with_approver(Arc::new(ScriptedApprover::person([])))
            }),
        ),
        (
            "a hook that answers",
            World::with(&tool, Arc::new(ScriptedGate::asking()), |config| {
                config
                    .with_hooks(Arc::new(hanging().permission(yes)))
                    .with_approver(Arc::new(ScriptedApprover::person([])))
            }),
        ),
    ];
    for (what, world) in worlds {
        let finished = cancelled_after(&world, SECOND).await;
        assert_eq!(finished.outcome, Outcome::Cancelled, "{what}");
        assert!(finished.result.is_error && text(&finished).contains("interrupted"), "{what}");
        assert_eq!(world.observer.details("finished").len(), 1, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_hook_runs_after_a_cancelled_call() {
    let tool = FakeTool::new("Echo").behaving(Behaviour::UntilCancelled);
    let hooks = Arc::new(ScriptedHooks::new().post(PostOutcome::default()).failure(PostOutcome::default()));
    let world = World::with(&tool, Arc::new(AllowAll), |config| config.with_hooks(Arc::clone(&hooks) as _));
    assert_eq!(cancelled_after(&world, SECOND).await.outcome, Outcome::Cancelled);
    assert!(hooks.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_no_notice_is_dropped_after_the_grace() {
    let tool = FakeTool::new("Echo").behaving(Behaviour::Deaf(SECOND * 3600));
    let world = World::of(&tool);
    let finished = cancelled_after(&world, SECOND).await;
    assert_eq!(finished.outcome, Outcome::Cancelled);
    assert_eq!(world.observer.details("notice").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_came_to_its_end_in_the_grace_says_what_it_did() {
    let tool = FakeTool::new("Echo").behaving(Behaviour::Deaf(SECOND * 2));
    let finished = cancelled_after(&World::of(&tool), SECOND).await;
    assert_eq!((finished.outcome, text(&finished).as_str()), (Outcome::Succeeded, "{}"));
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_time_limit() {
    let timed_out = Outcome::Failed(ErrorKind::TimedOut);
    let slow = |behaviour| FakeTool::new("Echo").behaving(behaviour);
    for (what, tool, default, expected) in [
        ("its own limit", slow(Behaviour::Sleep(SECOND * 9)).limited(SECOND), None, timed_out),
        ("the limit of all", slow(Behaviour::Sleep(SECOND * 9)), Some(SECOND), timed_out),
        (
            "its own before that of all",
            slow(Behaviour::Sleep(SECOND * 9)).limited(SECOND * 10),
            Some(SECOND),
            Outcome::Succeeded,
        ),
        ("one that takes no notice", slow(Behaviour::Deaf(SECOND * 99)), Some(SECOND), timed_out),
        ("no limit", slow(Behaviour::Sleep(SECOND * 9999)), None, Outcome::Succeeded),
        (
            "a limit beyond all time",
            slow(Behaviour::Sleep(SECOND)).limited(Duration::MAX),
            None,
            Outcome::Succeeded,
        ),
    ] {
        let world = World::with(&tool, Arc::new(AllowAll), |mut config| {
            config.default_time_limit = default;
            config
        });
        let finished = world.call("Echo", json!({})).await;
        assert_eq!(finished.outcome, expected, "{what}");
        if expected == timed_out {
            assert_eq!(text(&finished), "The call was ended at its time limit of 1s.", "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn progress_keeps_a_call_alive() {
    for (pause, expected) in
        [(SECOND, Outcome::Succeeded), (SECOND * 3, Outcome::Failed(ErrorKind::TimedOut))]
    {
        let tool = FakeTool::new("Echo").behaving(Behaviour::Progress(10, pause));
        let world = World::with(&tool, Arc::new(AllowAll), |config| config.with_idle_limit(SECOND * 2));
        assert_eq!(world.call("Echo", json!({})).await.outcome, expected);
        if expected == Outcome::Succeeded {
            assert_eq!(world.observer.details("progress").len(), 10);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn failure_hooks_run_after_a_time_limit() {
    let tool = FakeTool::new("Echo").behaving(Behaviour::Sleep(SECOND * 9)).limited(SECOND);
    let hooks = Arc::new(ScriptedHooks::new().post(PostOutcome::default()).failure(PostOutcome::default()));
    let world = World::with(&tool, Arc::new(AllowAll), |config| config.with_hooks(Arc::clone(&hooks) as _));
    world.call("Echo", json!({})).await;
    let seen: Vec<_> = hooks.seen().into_iter().map(|(event, _)| event.as_str()).collect();
    assert_eq!(seen, ["PostToolUseFailure"]);
}
