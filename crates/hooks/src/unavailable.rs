//! Stands for a handler that cannot be had. Why, the user reads once: when the configuration is read.

use crate::{HandlerEnd, HookHandler, HookInput};
use async_trait::async_trait;
use pegboard_tool_core::ports::HookReportOutcome;

/// Cannot start. The user was told when it was read; whoever is blocked by it is told each time.
#[derive(Debug)]
pub(crate) struct Unavailable {
    label: String,
    reason: String,
}

impl Unavailable {
    pub(crate) fn new(label: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { label: label.into(), reason: reason.into() }
    }
}

#[async_trait]
impl HookHandler for Unavailable {
    fn label(&self) -> String {
        self.label.clone()
    }

    async fn handle(&self, _input: &HookInput) -> HandlerEnd {
        let end =
            HandlerEnd::failed(HookReportOutcome::CouldNotStart, format!("could not start: {}", self.reason));
        HandlerEnd { is_told: true, ..end }
    }
}
