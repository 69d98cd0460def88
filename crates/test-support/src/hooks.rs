//! [`ScriptedHooks`]: answers by script, and a list of what was asked.

use async_trait::async_trait;
use pegboard_tool_core::ports::{
    BatchCall, HookCall, HookEvent, HookReport, HookRunner, PermissionAnswer, PermissionOutcome, PostOutcome,
    PreOutcome,
};
use pegboard_tool_core::{ToolContext, ToolName};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Hooks by script. It is interested in exactly the events that have an answer.
#[derive(Debug, Default)]
pub struct ScriptedHooks {
    pre: Option<PreOutcome>,
    post: Option<PostOutcome>,
    failure: Option<PostOutcome>,
    permission: Option<PermissionAnswer>,
    permission_reports: Vec<HookReport>,
    batch: Option<PostOutcome>,
    hangs: bool,
    panics: bool,
    seen: Mutex<Vec<(HookEvent, Value)>>,
}

impl ScriptedHooks {
    /// Interested in nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same hooks with an answer before the rules look.
    #[must_use]
    pub fn pre(self, answer: PreOutcome) -> Self {
        Self { pre: Some(answer), ..self }
    }

    /// The same hooks with an answer after a success.
    #[must_use]
    pub fn post(self, answer: PostOutcome) -> Self {
        Self { post: Some(answer), ..self }
    }

    /// The same hooks with an answer after a failure.
    #[must_use]
    pub fn failure(self, answer: PostOutcome) -> Self {
        Self { failure: Some(answer), ..self }
    }

    /// The same hooks with an answer in place of the approver.
    #[must_use]
    pub fn permission(self, answer: PermissionAnswer) -> Self {
        Self { permission: Some(answer), ..self }
    }

    /// The same hooks with an answer after a batch.
    #[must_use]
    pub fn batch(self, answer: PostOutcome) -> Self {
        Self { batch: Some(answer), ..self }
    }

    /// The same hooks with reports of those that were asked for a permission.
    #[must_use]
    pub fn permission_reports(self, permission_reports: Vec<HookReport>) -> Self {
        Self { permission_reports, ..self }
    }

    /// The same hooks, which answer only once they are cancelled.
    #[must_use]
    pub fn hanging(self) -> Self {
        Self { hangs: true, ..self }
    }

    /// The same hooks, which panic instead of answering.
    #[must_use]
    pub fn panicking(self) -> Self {
        Self { panics: true, ..self }
    }

    /// Events that were fired, with the input of the call.
    #[must_use]
    pub fn seen(&self) -> Vec<(HookEvent, Value)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn note(&self, event: HookEvent, input: &Value, ctx: &ToolContext) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push((event, input.clone()));
        assert!(!self.panics, "this hook panics");
        if self.hangs {
            ctx.cancel.cancelled().await;
        }
    }
}

#[async_trait]
impl HookRunner for ScriptedHooks {
    fn interested(&self, event: HookEvent, _tool: &str, _aliases: &[ToolName]) -> bool {
        match event {
            HookEvent::PreToolUse => self.pre.is_some(),
            HookEvent::PostToolUse => self.post.is_some(),
            HookEvent::PostToolUseFailure => self.failure.is_some(),
            HookEvent::PermissionRequest => self.permission.is_some() || !self.permission_reports.is_empty(),
            HookEvent::PostToolBatch => self.batch.is_some(),
            _ => false,
        }
    }

    async fn pre(&self, call: &HookCall<'_>) -> PreOutcome {
        self.note(HookEvent::PreToolUse, call.input, call.ctx).await;
        self.pre.clone().unwrap_or_default()
    }

    async fn post(&self, call: &HookCall<'_>, _response: &Value, _duration: Duration) -> PostOutcome {
        self.note(HookEvent::PostToolUse, call.input, call.ctx).await;
        self.post.clone().unwrap_or_default()
    }

    async fn failure(&self, call: &HookCall<'_>, _error: &str, _duration: Duration) -> PostOutcome {
        self.note(HookEvent::PostToolUseFailure, call.input, call.ctx).await;
        self.failure.clone().unwrap_or_default()
    }

    async fn permission_request(
        &self,
        call: &HookCall<'_>,
        _suggestions: &[Value],
    ) -> Option<PermissionAnswer> {
        self.note(HookEvent::PermissionRequest, call.input, call.ctx).await;
        self.permission.clone()
    }

    async fn permission(&self, call: &HookCall<'_>, suggestions: &[Value]) -> PermissionOutcome {
        let mut outcome = PermissionOutcome::default();
        outcome.answer = self.permission_request(call, suggestions).await;
        outcome.reports = self.permission_reports.clone();
        outcome
    }

    async fn batch(&self, calls: &[BatchCall], ctx: &ToolContext) -> PostOutcome {
        self.note(HookEvent::PostToolBatch, &calls.len().into(), ctx).await;
        self.batch.clone().unwrap_or_default()
    }
}
