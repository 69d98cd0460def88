//! The runner passes the suite for hook runners, whatever is attached.

use crate::support::hooks;
use pegboard_hooks::{HookConfig, Hooks};
use pegboard_test_support::conformance::hook_runner_conformance;
use serde_json::{Value, json};

/// Commands on every event that a runner is asked about.
fn everywhere(command: &str) -> Value {
    let handlers = json!([{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]);
    json!({
        "PreToolUse": handlers,
        "PermissionRequest": handlers,
        "PostToolUse": handlers,
        "PostToolUseFailure": handlers,
        "PostToolBatch": handlers,
    })
}

#[tokio::test]
async fn the_runner_keeps_the_contract_without_hooks() {
    hook_runner_conformance(|| Hooks::new(HookConfig::default())).await;
}

#[tokio::test]
async fn the_runner_keeps_the_contract_with_a_hook_that_allows() {
    let allow =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    hook_runner_conformance(|| hooks(everywhere(allow))).await;
}

#[tokio::test]
async fn the_runner_keeps_the_contract_with_a_hook_that_fails() {
    hook_runner_conformance(|| hooks(everywhere("exit 2"))).await;
}
