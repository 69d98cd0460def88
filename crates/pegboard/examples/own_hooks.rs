//! A hook runner of your own: it sees every call before the rules do, in the same process.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use async_trait::async_trait;
use pegboard::ports::{HookCall, HookDecision, HookEvent, HookRunner, PostOutcome, PreOutcome};
use pegboard::{ContextSnapshot, Pegboard, ToolBuilder, ToolName, ToolOutput, ToolUse};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Refuses calls whose input mentions a secret.
#[derive(Debug)]
struct NoSecrets;

#[async_trait]
impl HookRunner for NoSecrets {
    fn interested(&self, event: HookEvent, _tool: &str, _aliases: &[ToolName]) -> bool {
        event == HookEvent::PreToolUse
    }

    async fn pre(&self, call: &HookCall<'_>) -> PreOutcome {
        let mut outcome = PreOutcome::default();
        if call.input.to_string().contains("password") {
            outcome.decision = Some(HookDecision::Deny);
            outcome.reason = Some("inputs must not hold passwords".to_owned());
        }
        outcome
    }

    async fn post(&self, _call: &HookCall<'_>, _response: &Value, _duration: Duration) -> PostOutcome {
        PostOutcome::default()
    }

    async fn failure(&self, _call: &HookCall<'_>, _error: &str, _duration: Duration) -> PostOutcome {
        PostOutcome::default()
    }
}

/// A text.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Post {
    /// What to post.
    text: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let post = ToolBuilder::new("Post", "Posts a text.")
        .build(|input: Post, _ctx| async move { Ok(ToolOutput::new(format!("posted {}", input.text))) })?;
    let pegboard =
        Pegboard::builder().tool(post).hooks(Arc::new(NoSecrets)).dangerously_allow_all().build()?;
    let calls = vec![
        ToolUse::new("t1", "Post", serde_json::json!({"text": "hello"})),
        ToolUse::new("t2", "Post", serde_json::json!({"text": "the password is 1234"})),
    ];
    let context = ContextSnapshot::new(std::env::current_dir()?, "example");
    let outcome = pegboard.run(calls, Arc::new(context)).await;
    let errors: Vec<bool> = outcome.calls.iter().map(|call| call.result.is_error).collect();
    assert_eq!(errors, [false, true]);
    for call in outcome.calls {
        println!("{}: {}", call.result.tool_use_id, call.result.joined_text());
    }
    Ok(())
}
