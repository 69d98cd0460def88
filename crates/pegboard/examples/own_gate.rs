//! A permission gate of your own: it knows nothing of rules and asks the clock.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use async_trait::async_trait;
use pegboard::ports::{Decision, DecisionStep, GateCall, PermissionGate, Verdict};
use pegboard::{ContextSnapshot, Effects, Grant, Pegboard, ToolBuilder, ToolOutput, ToolUse};
use std::sync::Arc;

/// Lets reading run at any time, and everything else in working hours only.
#[derive(Debug)]
struct WorkingHours {
    hour: u8,
}

#[async_trait]
impl PermissionGate for WorkingHours {
    async fn decide(&self, call: &GateCall<'_>) -> Decision {
        if call.effects == Effects::ReadOnly || (9..17).contains(&self.hour) {
            let mut decision =
                Decision::new(Verdict::Allow, DecisionStep::Mode, "reading, or in working hours");
            // File tools act on the paths of the grant, and on nothing else.
            decision.grant = Grant::of(call.accesses);
            decision
        } else {
            Decision::new(Verdict::Deny, DecisionStep::Mode, "changes wait for working hours")
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let deploy = || {
        ToolBuilder::new("Deploy", "Deploys the service.")
            .build(|(): (), _ctx| async move { Ok(ToolOutput::new("deployed".to_owned())) })
    };
    for (hour, refused) in [(10, false), (3, true)] {
        let pegboard = Pegboard::builder().tool(deploy()?).gate(Arc::new(WorkingHours { hour })).build()?;
        let context = ContextSnapshot::new(std::env::current_dir()?, "example");
        let outcome =
            pegboard.run(vec![ToolUse::new("t1", "Deploy", serde_json::json!({}))], Arc::new(context)).await;
        let result = &outcome.calls[0].result;
        assert_eq!(result.is_error, refused);
        println!("at {hour}: {}", result.joined_text());
    }
    Ok(())
}
