//! The gate that is none, for tests and throw-away sandboxes.

use async_trait::async_trait;
use pegboard_tool_core::Grant;
use pegboard_tool_core::ports::{Decision, DecisionStep, GateCall, PermissionGate, Verdict};

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
        let mut decision = Decision::new(Verdict::Allow, DecisionStep::Mode, "the host allows everything");
        decision.grant = Grant::of(call.accesses);
        decision
    }
}
