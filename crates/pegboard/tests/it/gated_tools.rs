//! What the rule engine says about the small tools and the work trees, in each mode.

use crate::place::Place;
use pegboard::ports::{DecisionStep, GateCall, HookAdvice, Verdict};
use pegboard::tool_core::ContextChange;
use pegboard::tools_std::{Services, all};
use pegboard::{ContextSnapshot, PermissionMode, ToolContext};
use serde_json::{Value, json};
use std::sync::Arc;

async fn decide(
    place: &Place,
    ctx: &ToolContext,
    name: &str,
    input: Value,
    hook: HookAdvice,
) -> (Verdict, DecisionStep) {
    let loaded = place.layers().unwrap();
    let tools = all(&Services::new()).unwrap();
    let tool = tools.iter().find(|tool| tool.definition().name.as_str() == name).unwrap();
    let invocation = tool.prepare(Arc::new(input), ctx).unwrap();
    let check = invocation.check_permissions().await;
    let call =
        GateCall::new(tool.definition(), invocation.view(), invocation.effects(), invocation.accesses(), ctx);
    let decision = loaded.engine.decide_now(&call.with_check(&check).with_hook(hook));
    (decision.verdict, decision.step)
}

fn context(place: &Place, mode: PermissionMode) -> ToolContext {
    let context = ContextSnapshot::new(place.work(), "s");
    ToolContext::new(Arc::new(context.changed(&ContextChange::Mode(mode))))
}

#[tokio::test]
async fn the_permission_test_asks_whatever_allows_it() {
    let place = Place::new();
    place.user(&json!({"permissions": {"allow": ["TestingPermission"]}}));
    for mode in PermissionMode::ALL {
        let ctx = context(&place, mode);
        for hook in [HookAdvice::None, HookAdvice::Allow] {
            let verdict = if mode == PermissionMode::DontAsk { Verdict::Deny } else { Verdict::Ask };
            let decided = decide(&place, &ctx, "TestingPermission", json!({}), hook).await;
            assert_eq!(decided, (verdict, DecisionStep::Tool), "{mode} {hook:?}");
        }
    }
}

#[tokio::test]
async fn what_only_waits_does_not_ask() {
    let place = Place::new();
    for (name, input) in [("Sleep", json!({"seconds": 1})), ("OverflowTest", json!({}))] {
        for mode in PermissionMode::ALL {
            let decided = decide(&place, &context(&place, mode), name, input.clone(), HookAdvice::None).await;
            assert_eq!(decided.0, Verdict::Allow, "{name} {mode}");
        }
    }
}

#[tokio::test]
async fn making_a_work_tree_is_an_edit_inside_the_project_and_losing_changes_asks() {
    let place = Place::new();
    place.file("w/.git/HEAD", "ref: refs/heads/main\n");
    let discard = json!({"action": "remove", "discard_changes": true});
    for (name, input, mode, verdict) in [
        ("EnterWorktree", json!({"name": "x"}), PermissionMode::Default, Verdict::Ask),
        ("EnterWorktree", json!({"name": "x"}), PermissionMode::AcceptEdits, Verdict::Allow),
        ("EnterWorktree", json!({"name": "x"}), PermissionMode::DontAsk, Verdict::Deny),
        ("EnterWorktree", json!({"path": "/elsewhere"}), PermissionMode::BypassPermissions, Verdict::Ask),
        ("EnterWorktree", json!({"path": ".claude/worktrees/x"}), PermissionMode::Default, Verdict::Allow),
        ("ExitWorktree", json!({"action": "keep"}), PermissionMode::Default, Verdict::Allow),
        ("ExitWorktree", json!({"action": "remove"}), PermissionMode::Default, Verdict::Allow),
        ("ExitWorktree", discard.clone(), PermissionMode::Default, Verdict::Ask),
        ("ExitWorktree", discard, PermissionMode::AcceptEdits, Verdict::Ask),
    ] {
        let decided = decide(&place, &context(&place, mode), name, input.clone(), HookAdvice::None).await;
        assert_eq!(decided.0, verdict, "{name} {input} {mode}: {:?}", decided.1);
    }
}
