//! The suite that a handler of any kind must pass.

use crate::{HandlerEnd, HookHandler, HookInput};
use pegboard_tool_core::ports::{HookDecision, HookReportOutcome};
use pegboard_tool_core::{CancellationToken, ContextSnapshot, ToolContext};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// What a handler under test is made to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the suite needs each")]
pub enum Behaviour {
    /// Refuses the call.
    Denies,
    /// Never answers.
    Hangs,
    /// Answers with what is no answer, an allow somewhere inside it.
    Babbles,
    /// Fails half-way.
    Crashes,
}

/// Checks that a handler answers, ends at its limit, ends when cancelled, and never allows by
/// failing. `make` gives a handler that behaves as told.
///
/// # Errors
/// Says which part of the contract does not hold.
pub async fn handler_conformance(make: impl Fn(Behaviour) -> Arc<dyn HookHandler>) -> Result<(), String> {
    let deny = run(&*make(Behaviour::Denies), Duration::from_secs(60), None).await?;
    expect(deny.outcome == HookReportOutcome::Answered, "a refusal is an answer")?;
    expect(deny.answer.decision == Some(HookDecision::Deny), "a refusal is a deny")?;
    let late = run(&*make(Behaviour::Hangs), Duration::from_millis(100), None).await?;
    expect(late.outcome == HookReportOutcome::TimedOut, "a handler that hangs times out")?;
    nothing_said(&late)?;
    let cancelled =
        run(&*make(Behaviour::Hangs), Duration::from_secs(60), Some(Duration::from_millis(100))).await?;
    expect(cancelled.outcome == HookReportOutcome::Cancelled, "a cancelled handler says so")?;
    nothing_said(&cancelled)?;
    let babble = run(&*make(Behaviour::Babbles), Duration::from_secs(60), None).await?;
    expect(babble.outcome == HookReportOutcome::NotUnderstood, "no answer is not understood")?;
    expect(babble.counted().answer.decision != Some(HookDecision::Allow), "babble never allows")?;
    let crash = run(&*make(Behaviour::Crashes), Duration::from_secs(60), None).await?;
    expect(
        matches!(crash.outcome, HookReportOutcome::Crashed | HookReportOutcome::Killed),
        "a crash is a crash",
    )?;
    nothing_said(&crash)
}

fn nothing_said(end: &HandlerEnd) -> Result<(), String> {
    expect(end.answer.decision.is_none() && end.answer.updated_input.is_none(), "a failure decides nothing")
}

fn expect(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("does not hold: {what}")) }
}

async fn run(
    handler: &dyn HookHandler,
    limit: Duration,
    cancel_after: Option<Duration>,
) -> Result<HandlerEnd, String> {
    let cancel = CancellationToken::new();
    let snapshot = ContextSnapshot::new("/", "conformance");
    let ctx = ToolContext::new(Arc::new(snapshot)).with_cancel(cancel.clone());
    let json = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let input = HookInput::new("PreToolUse", json, ctx, limit);
    let canceller = async {
        match cancel_after {
            Some(after) => tokio::time::sleep(after).await,
            None => std::future::pending().await,
        }
        cancel.cancel();
        std::future::pending::<HandlerEnd>().await
    };
    let all = async {
        tokio::select! {
            end = handler.handle(&input) => end,
            end = canceller => end,
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(60), all).await;
    ended.map_err(|_| "does not hold: a handler ends soon after its limit and its cancellation".to_owned())
}
