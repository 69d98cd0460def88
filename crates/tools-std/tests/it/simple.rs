//! Sleep, OverflowTest, TestingPermission.

use crate::harness::Session;
use pegboard_tool_core::{
    Accesses, Availability, CancellationToken, Concurrency, Effects, ToolCheck, ToolEnv,
};
use pegboard_tools_std::simple::{OverflowTest, Wakeups};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

fn env(flags: &[&str], vars: &[(&str, &str)]) -> ToolEnv {
    let mut env = ToolEnv::new();
    env.flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    env.vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    env
}

#[test]
fn each_is_there_by_its_gate_only() {
    let session = Session::new();
    for (tool, flags, vars, here) in [
        ("Sleep", &["sleep"][..], &[][..], true),
        ("Sleep", &["kairos"], &[], true),
        ("Sleep", &[], &[], false),
        ("OverflowTest", &["overflow_test"], &[], true),
        ("OverflowTest", &["sleep"], &[], false),
        ("TestingPermission", &[], &[("PEGBOARD_ENV", "test")], true),
        ("TestingPermission", &["testing_permission"], &[("PEGBOARD_ENV", "production")], false),
    ] {
        let found = session.tool(tool).availability(&env(flags, vars));
        assert_eq!(found == Availability::Here, here, "{tool} {flags:?} {vars:?}: {found:?}");
    }
    let Availability::Absent(why) = session.tool("Sleep").availability(&env(&[], &[])) else { panic!() };
    assert_eq!(why, "it needs the flag `sleep` or `kairos`");
}

#[test]
fn sleeping_and_overflowing_touch_nothing_and_share() {
    let session = Session::new();
    for (tool, input) in [("Sleep", json!({"seconds": 1})), ("OverflowTest", json!({}))] {
        let invocation = session.tool(tool).prepare(Arc::new(input), &session.ctx()).unwrap();
        assert_eq!(invocation.concurrency(), Concurrency::Shared, "{tool}");
        assert_eq!(invocation.effects(), Effects::ReadOnly, "{tool}");
        assert_eq!(*invocation.accesses(), Accesses::nothing(), "{tool}");
        assert!(!invocation.changes_context(), "{tool}");
    }
    let long = session.tool("Sleep").prepare(Arc::new(json!({"seconds": 3600})), &session.ctx()).unwrap();
    assert!(long.time_limit() > Some(Duration::from_secs(3_600)));
}

#[tokio::test(start_paused = true)]
async fn a_sleep_ends_with_its_time() {
    let session = Session::new();
    let answer = session.call("Sleep", json!({"seconds": 3600, "reason": "the build"})).await;
    assert_eq!(answer.text, "Slept 3600.000 s; the time is over.");
    assert_eq!(answer.data, json!({"sleptMs": 3_600_000, "askedMs": 3_600_000}));
    let answer = session.call("Sleep", json!({"seconds": 0.25})).await;
    assert_eq!(answer.text, "Slept 0.250 s; the time is over.");
}

#[tokio::test(start_paused = true)]
async fn news_end_a_sleep_and_are_told_once() {
    let session = Session::new();
    let wakeups = session.ctx().session.of::<Wakeups>();
    let (answer, ()) = tokio::join!(session.call("Sleep", json!({"seconds": 60})), async {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        wakeups.ring("task b1", "finished with exit code 0");
    });
    assert_eq!(answer.text, "Woke after 1.500 s of 60.000 s:\n- task b1: finished with exit code 0");
    let again = session.call("Sleep", json!({"seconds": 1})).await;
    assert_eq!(again.text, "Slept 1.000 s; the time is over.");
}

#[tokio::test(start_paused = true)]
async fn news_from_before_a_sleep_end_it_at_once_unless_they_are_taken_back() {
    let session = Session::new();
    let wakeups = session.ctx().session.of::<Wakeups>();
    wakeups.ring("task b1", "failed");
    wakeups.ring("task b2", "finished");
    wakeups.forget("task b2");
    let answer = session.call("Sleep", json!({"seconds": 60})).await;
    assert_eq!(answer.text, "Woke after 0.000 s of 60.000 s:\n- task b1: failed");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_sleep_ends_and_leaves_the_news_to_the_next() {
    let session = Session::new();
    let cancel = CancellationToken::new();
    let ctx = session.ctx().with_cancel(cancel.clone());
    let (answer, ()) =
        tokio::join!(session.call_in("Sleep", json!({"seconds": 60}), ctx, |grant| grant), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            cancel.cancel();
        });
    assert!(answer.is_error && answer.text == "the call was interrupted", "{answer:?}");
    session.ctx().session.of::<Wakeups>().ring("task b1", "finished");
    let next = session.call("Sleep", json!({"seconds": 60})).await;
    assert_eq!(next.text, "Woke after 0.000 s of 60.000 s:\n- task b1: finished");
}

#[tokio::test]
async fn the_end_of_a_background_task_ends_a_sleep() {
    let session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
    let input = json!({"command": "read -t 0.1 < /dev/zero; exit 3", "run_in_background": true});
    let started = session.call("Bash", input).await;
    assert!(!started.is_error, "{}", started.text);
    let sleep = session.call("Sleep", json!({"seconds": 3_000}));
    let answer = tokio::time::timeout(Duration::from_secs(60), sleep).await.unwrap();
    assert!(answer.text.starts_with("Woke after "), "{}", answer.text);
    assert!(answer.text.contains(": Background task "), "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn no_sleep_is_endless_or_none() {
    let session = Session::new();
    for seconds in [json!(0), json!(-1), json!(3_600.1), json!(1e300), json!(-0.0)] {
        let answer = session.call("Sleep", json!({ "seconds": seconds })).await;
        assert!(answer.is_error && answer.text.contains("above 0 and at most 3600"), "{seconds}: {answer:?}");
    }
}

#[tokio::test]
async fn an_overflow_has_the_size_that_was_asked_for() {
    let session = Session::new();
    for bytes in [49, 50, 113, 100_000, 5_000_000] {
        let answer = session.call("OverflowTest", json!({ "bytes": bytes })).await;
        assert_eq!(answer.text.len(), bytes);
        assert!(answer.text.ends_with(" lines, complete]"));
        assert_eq!(answer.data["lines"], json!(answer.text.lines().count()));
        let failed = session.call("OverflowTest", json!({"bytes": bytes, "end": "error"})).await;
        assert!(failed.is_error);
        assert_eq!(failed.text, answer.text);
    }
    assert_eq!(OverflowTest::text(100_000_000).len(), 100_000_000);
    for bytes in [0, 48, 100_000_001] {
        let answer = session.call("OverflowTest", json!({ "bytes": bytes })).await;
        assert!(answer.is_error && answer.text.contains("it must be 49 to 100000000"), "{answer:?}");
    }
    assert_eq!(session.call_cancelled("OverflowTest", json!({})).await.text, "the call was interrupted");
}

#[tokio::test]
async fn the_permission_test_always_asks() {
    let session = Session::new();
    let tool = session.tool("TestingPermission");
    for (input, reason) in [
        (json!({}), "a test of the permission path"),
        (json!({"message": " \n"}), "a test of the permission path"),
        (json!({"message": "may I?"}), "may I?"),
    ] {
        let invocation = tool.prepare(Arc::new(input), &session.ctx()).unwrap();
        assert_eq!(invocation.check_permissions().await, ToolCheck::Ask(reason.to_owned()));
        assert!(!invocation.changes_context());
    }
    assert_eq!(session.call("TestingPermission", json!({})).await.text, "The permission was given.");
}
