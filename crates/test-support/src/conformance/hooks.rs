//! What every hook runner keeps, whatever is attached.

use super::{answers, context, odd_inputs};
use pegboard_tool_core::ports::{BatchCall, HookCall, HookDecision, HookEvent, HookRunner};
use pegboard_tool_core::{CancellationToken, ToolResult};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Runs the cases against the hook runner that `make` makes. Hooks that it has attached are run.
///
/// # Panics
/// At the first case that the hook runner fails.
pub async fn hook_runner_conformance<H: HookRunner>(make: impl Fn() -> H) {
    let hooks = make();
    for tool in ["Read", "Bash", "", "no tool\0", "mcp__server__tool"] {
        interest_is_stable(&hooks, tool);
        for input in odd_inputs() {
            let ctx = context();
            let call = HookCall::new(tool, &[], "id", &input, &ctx);
            let _ = answers("pre", hooks.pre(&call)).await;
            let _ = answers("post", hooks.post(&call, &input, Duration::ZERO)).await;
            let _ = answers("failure", hooks.failure(&call, "it failed", Duration::ZERO)).await;
            let _ = answers("permission_request", hooks.permission_request(&call, &[])).await;
            let _ = answers("fire", hooks.fire("NoSuchEvent", input.clone(), &ctx)).await;
        }
    }
    nobody_allows_what_was_cancelled(&hooks).await;
    batches_are_answered(&hooks).await;
}

fn interest_is_stable(hooks: &dyn HookRunner, tool: &str) {
    for event in [
        HookEvent::PreToolUse,
        HookEvent::PermissionRequest,
        HookEvent::PostToolUse,
        HookEvent::PostToolUseFailure,
        HookEvent::PostToolBatch,
    ] {
        let first = hooks.interested(event, tool, &[]);
        assert_eq!(first, hooks.interested(event, tool, &[]), "interest in {} of `{tool}`", event.as_str());
    }
}

async fn nobody_allows_what_was_cancelled(hooks: &dyn HookRunner) {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ctx = context().with_cancel(cancel);
    let input = json!({ "command": "true" });
    let call = HookCall::new("Bash", &[], "id", &input, &ctx);
    let said = answers("pre, cancelled", hooks.pre(&call)).await;
    if hooks.interested(HookEvent::PreToolUse, "Bash", &[]) {
        let allowed = said.decision == Some(HookDecision::Allow);
        let ran = !said.reports.is_empty();
        assert!(!allowed || ran, "a handler that did not run allows nothing");
    }
    let _ = answers("post, cancelled", hooks.post(&call, &input, Duration::ZERO)).await;
    let _ = answers("failure, cancelled", hooks.failure(&call, "", Duration::ZERO)).await;
    let _ = answers("permission_request, cancelled", hooks.permission_request(&call, &[])).await;
    let _ = answers("batch, cancelled", hooks.batch(&[], &ctx)).await;
}

async fn batches_are_answered(hooks: &dyn HookRunner) {
    let call = BatchCall::new("Read".into(), Arc::new(json!({})), ToolResult::text("id", "done"));
    let _ = answers("batch", hooks.batch(&[call], &context())).await;
    let _ = answers("batch of nothing", hooks.batch(&[], &context())).await;
}
