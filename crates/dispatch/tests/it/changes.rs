//! Which changes of the context get through.

use crate::world::{World, text};
use pegboard_test_support::{AllowAll, Behaviour, FakeTool, ScriptedGate};
use pegboard_tool_core::ports::{Decision, DecisionStep, Outcome, PermissionGate, Verdict};
use pegboard_tool_core::{ContextChange, PermissionMode, ToolOrigin};
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn context_changes_come_only_from_calls_and_tools_that_may() {
    let allow = || Decision::new(Verdict::Allow, DecisionStep::AllowRule, "fine");
    let strict = || Arc::new(ScriptedGate::always(allow())) as Arc<dyn PermissionGate>;
    let lax = || Arc::new(AllowAll) as Arc<dyn PermissionGate>;
    let cwd = || ContextChange::Cwd("/w/sub".into());
    let mode = || ContextChange::Mode(PermissionMode::BypassPermissions);
    let dir = || ContextChange::AddDirectory("/".into());
    let tool = |change| FakeTool::new("Echo").behaving(Behaviour::Change(change));
    let dynamic = |change| tool(change).defined(|definition| definition.origin = ToolOrigin::Dynamic);
    for (what, tool, gate, honoured) in [
        ("an exclusive call", tool(cwd()), strict(), true),
        ("a shared call", tool(cwd()).shared(), lax(), false),
        ("a mode that the gate permits", tool(mode()), lax(), true),
        ("a mode that the gate does not permit", tool(mode()), strict(), false),
        ("a mode from a tool that is not built in", dynamic(mode()), lax(), false),
        ("a directory from a tool that is not built in", dynamic(dir()), lax(), false),
        ("a mode in a list", dynamic(ContextChange::All(vec![cwd(), mode()])), lax(), false),
        ("a folder from a tool that is not built in", dynamic(cwd()), strict(), true),
    ] {
        let world = World::with(&tool, gate, |config| config);
        let finished = world.call("Echo", json!({})).await;
        assert_eq!(finished.outcome, Outcome::Succeeded, "{what}");
        assert_eq!(finished.context_change.is_some(), honoured, "{what}");
        let notices = world.observer.details("notice");
        assert_eq!(
            (notices.len(), text(&finished).contains("Error:")),
            (usize::from(!honoured), !honoured),
            "{what}"
        );
    }
}
