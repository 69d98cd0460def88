//! What holds for every call, whatever goes wrong around it.

use crate::world::{context, text};
use pegboard_dispatch::{DispatchConfig, Dispatcher};
use pegboard_test_support::{
    AllowAll, Behaviour, DenyAll, FakeLookup, FakeTool, MemoryStore, RecordingObserver, ScriptedApprover,
    ScriptedGate, ScriptedHooks,
};
use pegboard_tool_core::ports::{
    Approval, HookDecision, Outcome, PermissionGate, PostOutcome, PreOutcome, ToolInvoker,
};
use pegboard_tool_core::{ContextChange, ErrorKind, ToolUse};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn behaviours() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        Just(Behaviour::Succeed),
        Just(Behaviour::Text("x".repeat(200))),
        Just(Behaviour::Fail(ErrorKind::Failed, "y".repeat(200))),
        Just(Behaviour::Panic("panic".to_owned())),
        Just(Behaviour::Sleep(SECOND * 2)),
        Just(Behaviour::Deaf(SECOND * 20)),
        Just(Behaviour::UntilCancelled),
        Just(Behaviour::Change(ContextChange::Cwd("/w/sub".into()))),
    ]
}

fn decisions() -> impl Strategy<Value = Option<HookDecision>> {
    proptest::option::of(prop_oneof![
        Just(HookDecision::Allow),
        Just(HookDecision::Ask),
        Just(HookDecision::Defer),
        Just(HookDecision::Deny),
    ])
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Answers,
    Hangs,
    Panics,
}

fn hooks() -> impl Strategy<Value = (Option<HookDecision>, bool, bool, Way)> {
    let ways = prop_oneof![4 => Just(Way::Answers), 1 => Just(Way::Hangs), 1 => Just(Way::Panics)];
    (decisions(), any::<bool>(), any::<bool>(), ways)
}

fn approvals() -> impl Strategy<Value = Vec<Approval>> {
    proptest::collection::vec(
        prop_oneof![
            Just(Approval::Once),
            Just(Approval::Always(0)),
            Just(Approval::Modified(json!({ "b": 2 }))),
            Just(Approval::Modified(json!({ "unfit": 2 }))),
            Just(Approval::Deny { comment: None }),
            Just(Approval::Deny { comment: Some("no".to_owned()) }),
            Just(Approval::Interrupt),
            Just(Approval::NoAnswer),
        ],
        0..3,
    )
}

fn inputs() -> impl Strategy<Value = Value> {
    prop_oneof![Just(json!({})), Just(json!({ "unfit": 1 })), Just(json!(null))]
}

fn gate(kind: u8) -> Arc<dyn PermissionGate> {
    match kind {
        0 => Arc::new(DenyAll),
        1 => Arc::new(ScriptedGate::asking()),
        _ => Arc::new(AllowAll),
    }
}

fn scripted((decision, stops, posts, way): (Option<HookDecision>, bool, bool, Way)) -> ScriptedHooks {
    let mut pre = PreOutcome::default();
    pre.decision = decision;
    pre.stop = stops.then(|| "enough".to_owned());
    let mut hooks = ScriptedHooks::new().pre(pre);
    if posts {
        hooks = hooks.post(PostOutcome::default()).failure(PostOutcome::default());
    }
    match way {
        Way::Answers => hooks,
        Way::Hangs => hooks.hanging(),
        Way::Panics => hooks.panicking(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn every_call_gets_exactly_one_result(
        behaviour in behaviours(),
        hooks in hooks(),
        approvals in approvals(),
        input in inputs(),
        gate_kind in 0_u8..4,
        name in prop_oneof![4 => Just("Echo"), 1 => Just("Nope")],
        cancel_after in 0_u64..4,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(async move {
            let tool = FakeTool::new("Echo").behaving(behaviour)
                .defined(|definition| definition.max_inline_chars = Some(100));
            let observer = Arc::new(RecordingObserver::new());
            let config = DispatchConfig::new(Arc::new(FakeLookup::new([tool.tool()])), gate(gate_kind))
                .with_hooks(Arc::new(scripted(hooks)))
                .with_approver(Arc::new(ScriptedApprover::person(approvals)))
                .with_store(Arc::new(MemoryStore::new()))
                .with_time_limit(SECOND * 10)
                .with_observer(Arc::clone(&observer) as _);
            let dispatcher = Dispatcher::new(config);
            let ctx = context();
            let cancel = ctx.cancel.clone();
            let stop = async move {
                if cancel_after > 0 {
                    tokio::time::sleep(SECOND * u32::try_from(cancel_after).unwrap_or(1)).await;
                }
                cancel.cancel();
            };
            let call = ToolUse::new("id", name, input);
            let (finished, ()) = futures::join!(dispatcher.invoke(call, ctx), stop);

            assert_eq!(&*finished.result.tool_use_id, "id");
            assert_eq!(finished.result.is_error, finished.outcome != Outcome::Succeeded);
            assert!(!text(&finished).is_empty());
            assert_eq!(observer.details("received").len(), 1);
            assert_eq!(observer.details("finished").len(), 1);
            let ran = tool.calls().len();
            assert!(ran <= 1);
            let allowed = observer.details("decided").iter().any(|line| line.starts_with("Allow"));
            assert!(ran == 0 || allowed, "nothing ran that was not allowed");
            if gate_kind == 0 {
                assert_eq!(ran, 0, "nothing beats a deny");
            }
            match finished.outcome {
                Outcome::Succeeded => assert_eq!(ran, 1),
                Outcome::Invalid | Outcome::Refused | Outcome::NotRun | Outcome::Deferred => assert_eq!(ran, 0),
                Outcome::Failed(_) | Outcome::Cancelled => {}
            }
        });
    }
}
