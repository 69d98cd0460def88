//! What hooks may do to a call, and what not.

use crate::world::{World, text};
use pegboard_test_support::{
    AllowAll, Behaviour, DenyAll, FakeTool, ScriptedApprover, ScriptedGate, ScriptedHooks,
};
use pegboard_tool_core::ports::{
    BatchCall, Decision, DecisionStep, Finished, HookAdvice, HookCall, HookDecision, HookEvent, HookRunner,
    Outcome, PermissionGate, PostOutcome, PreOutcome, ToolInvoker, Verdict,
};
use pegboard_tool_core::{ErrorKind, ToolContext, ToolName, ToolOrigin};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn pre(change: impl FnOnce(&mut PreOutcome)) -> PreOutcome {
    let mut outcome = PreOutcome::default();
    change(&mut outcome);
    outcome
}

fn post(change: impl FnOnce(&mut PostOutcome)) -> PostOutcome {
    let mut outcome = PostOutcome::default();
    change(&mut outcome);
    outcome
}

async fn run(
    tool: &FakeTool,
    gate: Arc<dyn PermissionGate>,
    hooks: ScriptedHooks,
) -> (Finished, Vec<String>) {
    let hooks = Arc::new(hooks);
    let world = World::with(tool, gate, |config| config.with_hooks(Arc::clone(&hooks) as _));
    let finished = world.call("Echo", json!({ "file_path": "a" })).await;
    (finished, hooks.seen().iter().map(|(event, input)| format!("{} {input}", event.as_str())).collect())
}

#[tokio::test]
async fn no_hook_runs_for_a_call_that_is_invalid() {
    let all = || ScriptedHooks::new().pre(PreOutcome::default()).failure(PostOutcome::default());
    let tool = FakeTool::new("Echo").refusing_input("not this");
    let (finished, seen) = run(&tool, Arc::new(AllowAll), all()).await;
    assert_eq!((finished.outcome, text(&finished).as_str()), (Outcome::Invalid, "not this"));
    assert!(seen.is_empty());
    let (finished, seen) = run(&FakeTool::new("Other"), Arc::new(AllowAll), all()).await;
    assert_eq!(finished.outcome, Outcome::Invalid);
    assert!(seen.is_empty());
}

#[tokio::test]
async fn hooks_see_the_completed_input() {
    let tool = FakeTool::new("Echo").backfills();
    let hooks = ScriptedHooks::new().pre(PreOutcome::default()).post(PostOutcome::default());
    let (_, seen) = run(&tool, Arc::new(AllowAll), hooks).await;
    assert_eq!(seen, [r#"PreToolUse {"file_path":"/w/a"}"#, r#"PostToolUse {"file_path":"/w/a"}"#]);
}

#[tokio::test]
async fn what_a_hook_decides_before_the_rules() {
    let decide = |decision, reason: &str| {
        pre(|outcome| {
            outcome.decision = Some(decision);
            outcome.reason = Some(reason.to_owned());
            outcome.additional_context = vec!["mind this".to_owned()];
        })
    };
    let mut told = String::new();
    for (what, said) in [
        ("deny", decide(HookDecision::Deny, "not that")),
        ("ask", decide(HookDecision::Ask, "look")),
        ("allow", decide(HookDecision::Allow, "fine")),
        ("defer", decide(HookDecision::Defer, "later")),
        ("stop", pre(|outcome| outcome.stop = Some("enough".to_owned()))),
    ] {
        let tool = FakeTool::new("Echo");
        let (finished, _) = run(&tool, Arc::new(AllowAll), ScriptedHooks::new().pre(said)).await;
        let Finished { outcome, messages, stop, .. } = &finished;
        told += &format!("{what}: {outcome:?} {} {messages:?} {stop:?}\n", text(&finished));
        assert_eq!(tool.calls().len(), usize::from(*outcome == Outcome::Succeeded));
    }
    insta::assert_snapshot!(told, @r#"
    deny: Refused A hook refused the call: not that ["mind this"] None
    ask: Refused Permission denied: a hook asks: look; the call needs an approval and nobody gave one. ["mind this"] None
    allow: Succeeded {"file_path":"a"} ["mind this"] None
    defer: Succeeded {"file_path":"a"} [] None
    stop: NotRun The call did not run: a hook stopped the turn: enough [] Some("enough")
    "#);
}

#[tokio::test]
async fn defer_is_ignored_where_a_person_is() {
    let tool = FakeTool::new("Echo");
    let hooks = ScriptedHooks::new().pre(pre(|outcome| outcome.decision = Some(HookDecision::Defer)));
    let world = World::with(&tool, Arc::new(AllowAll), |config| {
        config.with_hooks(Arc::new(hooks)).with_approver(Arc::new(ScriptedApprover::person([])))
    });
    assert_eq!(world.call("Echo", json!({})).await.outcome, Outcome::Succeeded);
    assert_eq!(world.observer.details("notice").len(), 1);
}

#[tokio::test]
async fn no_hook_beats_a_deny() {
    let allow = pre(|outcome| outcome.decision = Some(HookDecision::Allow));
    let tool = FakeTool::new("Echo");
    let (finished, _) = run(&tool, Arc::new(DenyAll), ScriptedHooks::new().pre(allow)).await;
    assert_eq!((finished.outcome, tool.calls().len()), (Outcome::Refused, 0));
}

#[tokio::test]
async fn an_input_that_a_hook_replaced_is_judged_and_runs() {
    let replace = |input: Value| {
        pre(|outcome| {
            outcome.decision = Some(HookDecision::Allow);
            outcome.updated_input = Some(Arc::new(input));
        })
    };
    let gate = || {
        ScriptedGate::deciding(|call| {
            assert_eq!(call.hook, HookAdvice::Allow);
            let evil = call.input.get("evil").is_some();
            let verdict = if evil { Verdict::Deny } else { Verdict::Allow };
            Decision::new(verdict, DecisionStep::DenyRule, "a rule says so")
        })
    };
    for (input, outcome) in [
        (json!({ "b": 1 }), Outcome::Succeeded),
        (json!({ "evil": 1 }), Outcome::Refused),
        (json!({ "unfit": 1 }), Outcome::Invalid),
        (json!(3), Outcome::Invalid),
    ] {
        let tool = FakeTool::new("Echo");
        let hooks = ScriptedHooks::new().pre(replace(input.clone()));
        let (finished, seen) = run(&tool, Arc::new(gate()), hooks).await;
        assert_eq!((finished.outcome, &*finished.input), (outcome, &input));
        assert_eq!(seen.len(), 1, "hooks do not run again on what they put in place");
        assert!(tool.calls().iter().all(|call| *call.input == input));
    }
}

#[tokio::test]
async fn post_hooks_or_failure_hooks_never_both() {
    let all = || ScriptedHooks::new().post(PostOutcome::default()).failure(PostOutcome::default());
    let fails = Behaviour::Fail(ErrorKind::Failed, "it failed".to_owned());
    for (behaviour, gate, expected) in [
        (Behaviour::Succeed, Arc::new(AllowAll) as Arc<dyn PermissionGate>, vec!["PostToolUse"]),
        (fails, Arc::new(AllowAll), vec!["PostToolUseFailure"]),
        (Behaviour::Panic("x".to_owned()), Arc::new(AllowAll), vec!["PostToolUseFailure"]),
        (Behaviour::Succeed, Arc::new(DenyAll), vec![]),
    ] {
        let (_, seen) = run(&FakeTool::new("Echo").behaving(behaviour), gate, all()).await;
        let seen: Vec<_> = seen.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn an_output_that_a_hook_puts_in_place_has_the_tools_shape() {
    let replace = |data: Value| {
        ScriptedHooks::new().post(post(|outcome| {
            outcome.updated_output = Some(data);
            outcome.additional_context = vec!["mind this".to_owned()];
            outcome.stop = Some("enough".to_owned());
        }))
    };
    let tool = FakeTool::new("Echo").behaving(Behaviour::Text("original".to_owned()));
    let mcp = tool.clone().defined(|definition| {
        definition.origin = ToolOrigin::Mcp { server: "s".into(), tool: "t".into() };
    });
    for (tool, data, expected, notices) in [
        (&tool, json!("other"), "other", 0),
        (&tool, json!({ "no": "text" }), "original", 1),
        (&mcp, json!({ "any": "shape" }), r#"{"any":"shape"}"#, 0),
    ] {
        let world =
            World::with(tool, Arc::new(AllowAll), |config| config.with_hooks(Arc::new(replace(data))));
        let finished = world.call("Echo", json!({})).await;
        assert_eq!(text(&finished), expected);
        assert_eq!(world.observer.details("notice").len(), notices);
        assert_eq!(
            (finished.messages, finished.stop.as_deref()),
            (vec!["mind this".to_owned()], Some("enough"))
        );
    }
}

#[tokio::test]
async fn a_hook_that_panics_is_no_allow() {
    let tool = FakeTool::new("Echo");
    let hooks = ScriptedHooks::new().pre(PreOutcome::default()).panicking();
    let (finished, _) = run(&tool, Arc::new(AllowAll), hooks).await;
    assert_eq!((finished.outcome, tool.calls().len()), (Outcome::Failed(ErrorKind::Bug), 0));
}

#[tokio::test]
async fn a_batch_is_told_to_hooks_that_are_interested() {
    let said = post(|outcome| {
        outcome.additional_context = vec!["after all".to_owned()];
        outcome.stop = Some("enough".to_owned());
    });
    let tool = FakeTool::new("Echo");
    let hooks = Arc::new(ScriptedHooks::new().batch(said));
    let world = World::with(&tool, Arc::new(AllowAll), |config| config.with_hooks(Arc::clone(&hooks) as _));
    let finished = [world.call("Echo", json!({})).await, world.call("Nope", json!({})).await];
    let told = world.dispatcher.finish_batch(&finished, &crate::world::context()).await;
    assert_eq!(told, (vec!["after all".to_owned()], Some("enough".to_owned())));
    assert_eq!(hooks.seen(), [(HookEvent::PostToolBatch, json!(2))]);
    let silent = World::of(&tool).dispatcher.finish_batch(&finished, &crate::world::context()).await;
    assert_eq!(silent, (vec![], None));
}

#[tokio::test]
async fn hooks_do_not_run_on_what_a_hook_calls_and_it_counts_as_their_yes() {
    use pegboard_tool_core::ports::GateCall;
    use pegboard_tool_core::{Caller, ToolUse};
    for (advice_wanted, decision, outcome) in [
        (HookAdvice::Allow, Verdict::Allow, Outcome::Succeeded),
        (HookAdvice::Allow, Verdict::Deny, Outcome::Refused),
        (HookAdvice::Allow, Verdict::Ask, Outcome::Refused),
    ] {
        let hooks = Arc::new(
            ScriptedHooks::new()
                .pre(PreOutcome::default())
                .post(PostOutcome::default())
                .failure(PostOutcome::default()),
        );
        let gate = ScriptedGate::deciding(move |call: &GateCall<'_>| {
            assert_eq!((call.hook, call.caller), (advice_wanted, &Caller::Hook));
            Decision::new(decision, DecisionStep::Default, "said the gate")
        });
        let tool = FakeTool::new("Echo");
        let world = World::with(&tool, Arc::new(gate), |config| config.with_hooks(Arc::clone(&hooks) as _));
        let call = ToolUse::new("id", "Echo", json!({"file_path": "a"})).with_caller(Caller::Hook);
        let finished = world.dispatcher.invoke(call, crate::world::context()).await;
        assert_eq!(finished.outcome, outcome);
        assert!(hooks.seen().is_empty());
    }
}

#[tokio::test]
async fn a_hook_answers_for_a_person_only_by_an_allow_with_an_input() {
    for (decision, input, expected) in [
        (Some(HookDecision::Allow), Some(json!({ "file_path": "b" })), true),
        (Some(HookDecision::Allow), None, false),
        (Some(HookDecision::Ask), Some(json!({ "file_path": "b" })), false),
        (None, Some(json!({ "file_path": "b" })), false),
    ] {
        let tool = FakeTool::new("Echo");
        let gate = ScriptedGate::deciding(|call| {
            let verdict = if call.is_answered { Verdict::Allow } else { Verdict::Deny };
            Decision::new(verdict, DecisionStep::Tool, "it is answered or it is not")
        });
        let said = pre(|outcome| {
            outcome.decision = decision;
            outcome.updated_input = input.clone().map(Arc::new);
        });
        let (finished, _) = run(&tool, Arc::new(gate), ScriptedHooks::new().pre(said)).await;
        assert_eq!(finished.outcome == Outcome::Succeeded, expected, "{decision:?} {input:?}");
    }
}

/// Keeps the inputs that hooks of a batch see.
#[derive(Debug, Default)]
struct Inputs(std::sync::Mutex<Vec<Value>>);

#[async_trait::async_trait]
impl HookRunner for Inputs {
    fn interested(&self, event: HookEvent, _tool: &str, _aliases: &[ToolName]) -> bool {
        event == HookEvent::PostToolBatch
    }

    async fn pre(&self, _call: &HookCall<'_>) -> PreOutcome {
        PreOutcome::default()
    }

    async fn post(&self, _call: &HookCall<'_>, _response: &Value, _duration: Duration) -> PostOutcome {
        PostOutcome::default()
    }

    async fn failure(&self, _call: &HookCall<'_>, _error: &str, _duration: Duration) -> PostOutcome {
        PostOutcome::default()
    }

    async fn batch(&self, calls: &[BatchCall], _ctx: &ToolContext) -> PostOutcome {
        self.0.lock().unwrap().extend(calls.iter().map(|call| (*call.input).clone()));
        PostOutcome::default()
    }
}

#[tokio::test]
async fn hooks_of_a_batch_see_the_completed_inputs_too() {
    for gate in [Arc::new(AllowAll) as Arc<dyn PermissionGate>, Arc::new(DenyAll)] {
        let inputs = Arc::new(Inputs::default());
        let tool = FakeTool::new("Echo").backfills();
        let world = World::with(&tool, gate, |config| config.with_hooks(Arc::clone(&inputs) as _));
        let finished = [world.call("Echo", json!({ "file_path": "a" })).await];
        world.dispatcher.finish_batch(&finished, &crate::world::context()).await;
        assert_eq!(*inputs.0.lock().unwrap(), [json!({ "file_path": "/w/a" })]);
    }
}
