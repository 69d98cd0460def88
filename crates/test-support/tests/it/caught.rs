//! A layer that fails open does not pass.

use async_trait::async_trait;
use pegboard_test_support::conformance::{
    gate_conformance, hook_runner_conformance, invoker_conformance, store_conformance,
};
use pegboard_test_support::{Behaviour, FakeCall, FakeInvoker, ScriptedGate};
use pegboard_tool_core::ToolName;
use pegboard_tool_core::ports::{
    Decision, DecisionStep, HookAdvice, HookCall, HookEvent, HookRunner, PostOutcome, PreOutcome,
    ResultStore, StoreError, StoredText, Verdict,
};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

#[tokio::test(start_paused = true)]
#[should_panic(expected = "the tool's own deny is final")]
async fn a_gate_that_ignores_the_tool() {
    let allow = Decision::new(Verdict::Allow, DecisionStep::Mode, "why not");
    gate_conformance(move || ScriptedGate::always(allow.clone())).await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "no hook lifts a deny")]
async fn a_gate_that_lets_hooks_lift_a_deny() {
    gate_conformance(|| {
        ScriptedGate::deciding(|call| match call.hook {
            HookAdvice::Allow => Decision::new(Verdict::Allow, DecisionStep::HookAllow, "a hook said so"),
            _ => Decision::new(Verdict::Deny, DecisionStep::DenyRule, "denied"),
        })
    })
    .await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "Fails")]
async fn an_invoker_that_hides_failures() {
    invoker_conformance(|tools| {
        tools.iter().fold(FakeInvoker::new(), |invoker, tool| {
            let name = tool.definition().name.to_string();
            invoker.with(name, FakeCall::shared(Behaviour::Succeed))
        })
    })
    .await;
}

#[derive(Debug)]
struct Overwriting;

impl ResultStore for Overwriting {
    fn put(&self, _tool_use_id: &str, text: &str) -> Result<StoredText, StoreError> {
        Ok(StoredText::new(self.dir().join("result.txt"), text.len() as u64))
    }

    fn dir(&self) -> &Path {
        Path::new("/nowhere")
    }
}

#[test]
#[should_panic(expected = "never replaces another")]
fn a_store_that_overwrites() {
    store_conformance(|| Overwriting);
}

/// Never answers.
#[derive(Debug)]
struct Silent;

#[async_trait]
impl HookRunner for Silent {
    fn interested(&self, _event: HookEvent, _tool: &str, _aliases: &[ToolName]) -> bool {
        true
    }

    async fn pre(&self, _call: &HookCall<'_>) -> PreOutcome {
        std::future::pending().await
    }

    async fn post(&self, _call: &HookCall<'_>, _response: &Value, _duration: Duration) -> PostOutcome {
        std::future::pending().await
    }

    async fn failure(&self, _call: &HookCall<'_>, _error: &str, _duration: Duration) -> PostOutcome {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "pre never answers")]
async fn a_hook_runner_that_hangs() {
    hook_runner_conformance(|| Silent).await;
}
