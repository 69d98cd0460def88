//! The fakes keep the contracts of their ports.

use pegboard_test_support::conformance::{
    approver_conformance, gate_conformance, hook_runner_conformance, lookup_conformance, store_conformance,
};
use pegboard_test_support::{
    AllowAll, DenyAll, FakeLookup, FakeTool, MemoryStore, ScriptedApprover, ScriptedHooks,
};
use pegboard_tool_core::ports::{Approval, PreOutcome};

#[tokio::test(start_paused = true)]
async fn gates_keep_the_contract() {
    gate_conformance(|| AllowAll).await;
    gate_conformance(|| DenyAll).await;
}

#[tokio::test(start_paused = true)]
async fn hook_runners_keep_the_contract() {
    hook_runner_conformance(|| ()).await;
    hook_runner_conformance(|| ScriptedHooks::new().pre(PreOutcome::default())).await;
}

#[tokio::test(start_paused = true)]
async fn approvers_keep_the_contract() {
    approver_conformance(|| ()).await;
    approver_conformance(ScriptedApprover::absent).await;
    approver_conformance(|| ScriptedApprover::person([Approval::Once, Approval::Interrupt])).await;
}

#[test]
fn stores_and_lookups_keep_the_contract() {
    store_conformance(MemoryStore::new);
    let tool = FakeTool::new("Echo").tool();
    lookup_conformance(
        || FakeLookup::new([tool.clone()]).with_adapted("Say", tool.clone(), "x".into()),
        &["Echo", "Say"],
    );
}
