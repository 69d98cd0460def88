//! Stands for a handler that cannot be had.

use crate::{HandlerEnd, HookHandler, HookInput};
use async_trait::async_trait;
use pegboard_tool_core::ports::HookReportOutcome;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cannot start, and says why: to the user once.
#[derive(Debug)]
pub(crate) struct Unavailable {
    label: String,
    reason: String,
    is_told: AtomicBool,
}

impl Unavailable {
    pub(crate) fn new(label: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { label: label.into(), reason: reason.into(), is_told: AtomicBool::new(false) }
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
        HandlerEnd { is_told: self.is_told.swap(true, Ordering::Relaxed), ..end }
    }
}
