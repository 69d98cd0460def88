//! The gate that is none, for tests and throw-away sandboxes. What the tool itself or a hook says still holds.

use async_trait::async_trait;
use pegboard_tool_core::ports::{Decision, DecisionStep, GateCall, HookAdvice, PermissionGate, Verdict};
use pegboard_tool_core::{Grant, ToolCheck};

/// Lets every call run. Only reachable through [`crate::Builder::dangerously_allow_all`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AllowAll;

impl AllowAll {
    pub(crate) fn new() -> Self {
        Self
    }
}

#[async_trait]
impl PermissionGate for AllowAll {
    async fn decide(&self, call: &GateCall<'_>) -> Decision {
        let mut decision = match (call.check, call.hook) {
            (ToolCheck::Deny(reason), _) => Decision::new(Verdict::Deny, DecisionStep::Tool, reason.clone()),
            (ToolCheck::Ask(reason), _) => Decision::new(Verdict::Ask, DecisionStep::Tool, reason.clone()),
            (ToolCheck::PassThrough | ToolCheck::Allow, HookAdvice::Ask) => {
                Decision::new(Verdict::Ask, DecisionStep::HookAsk, "a hook asks")
            }
            (ToolCheck::PassThrough | ToolCheck::Allow, HookAdvice::None | HookAdvice::Allow) => {
                Decision::new(Verdict::Allow, DecisionStep::Mode, "the host allows everything")
            }
        };
        decision.by_rule = matches!(call.check, ToolCheck::Ask(_));
        decision.grant = Grant::of(call.accesses);
        decision
    }
}
