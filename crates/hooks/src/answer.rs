//! What one handler says, and how it ended.

use crate::EventFields;
use pegboard_tool_core::ports::{HookDecision, HookReportOutcome, PermissionAnswer};
use serde_json::Value;
use std::time::Duration;

/// What a handler says about an event. Empty: nothing.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Answer {
    /// A decision about the call; on events after it, `Deny` says that something is wrong.
    pub decision: Option<HookDecision>,
    /// Why.
    pub reason: Option<String>,
    /// The whole input, replaced.
    pub updated_input: Option<Value>,
    /// Another structured output.
    pub updated_output: Option<Value>,
    /// Text for the model.
    pub additional_context: Option<String>,
    /// Text for the user.
    pub system_message: Option<String>,
    /// The turn stops; the text is for the user.
    pub stop: Option<String>,
    /// An answer in place of the approver (`PermissionRequest`).
    pub permission: Option<PermissionAnswer>,
    /// What only this event takes.
    pub fields: EventFields,
}

impl Answer {
    /// Says nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// Decides, with a reason.
    pub fn decided(decision: HookDecision, reason: impl Into<String>) -> Self {
        Self { decision: Some(decision), reason: Some(reason.into()), ..Self::default() }
    }

    /// Only what makes things stricter: what may be believed of an output that was not understood.
    pub(crate) fn restricted(self) -> Self {
        let strict = self.decision.filter(|decision| *decision != HookDecision::Allow);
        Self {
            reason: strict.and(self.reason),
            decision: strict,
            stop: self.stop,
            permission: self.permission.filter(|answer| matches!(answer, PermissionAnswer::Deny { .. })),
            fields: self.fields.restricted(),
            ..Self::default()
        }
    }

    /// Both, where each holds only what makes things stricter: the stricter decision with its reason.
    pub(crate) fn stricter(self, other: Self) -> Self {
        let (first, second) = if other.decision > self.decision { (other, self) } else { (self, other) };
        let mut fields = second.fields;
        fields.take_in(&first.fields);
        let permission = match (first.permission, second.permission) {
            (
                Some(PermissionAnswer::Deny { message, interrupt }),
                Some(PermissionAnswer::Deny { message: other, interrupt: too }),
            ) => Some(PermissionAnswer::Deny { message: message.or(other), interrupt: interrupt || too }),
            (one, other) => one.or(other),
        };
        Self {
            decision: first.decision,
            reason: first.reason,
            stop: first.stop.or(second.stop),
            permission,
            fields,
            ..Self::default()
        }
    }

    /// Whether anything of it makes things stricter.
    pub(crate) fn is_strict(&self) -> bool {
        self.decision.is_some_and(|decision| decision != HookDecision::Allow)
            || self.stop.is_some()
            || matches!(self.permission, Some(PermissionAnswer::Deny { .. }))
            || self.fields.is_strict()
    }

    /// The texts of a handler that nobody waits for: what it decides has no effect.
    pub(crate) fn undecided(self) -> Self {
        Self {
            additional_context: self.additional_context,
            system_message: self.system_message,
            ..Self::default()
        }
    }
}

/// How a handler ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HandlerEnd {
    /// In one word.
    pub outcome: HookReportOutcome,
    /// What it said. Of an outcome other than `Answered` only what makes things stricter counts.
    pub answer: Answer,
    /// What the user should know: a failure, a fault in the answer.
    pub notice: Option<String>,
    /// The user heard the same of this handler before.
    pub(crate) is_told: bool,
}

impl HandlerEnd {
    /// It answered.
    #[must_use]
    pub fn answered(answer: Answer) -> Self {
        Self { outcome: HookReportOutcome::Answered, answer, notice: None, is_told: false }
    }

    /// It failed.
    pub fn failed(outcome: HookReportOutcome, notice: impl Into<String>) -> Self {
        Self { outcome, answer: Answer::silent(), notice: Some(notice.into()), is_told: false }
    }

    /// Its time was over.
    #[must_use]
    pub fn timed_out(limit: Duration) -> Self {
        let text = format!("was ended at its time limit of {} s", limit.as_secs_f64());
        Self::failed(HookReportOutcome::TimedOut, text)
    }

    /// The call was cancelled meanwhile.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::failed(HookReportOutcome::Cancelled, "was ended: the call was cancelled")
    }

    /// What of the answer counts.
    pub(crate) fn counted(self) -> Self {
        match self.outcome {
            HookReportOutcome::Answered => self,
            _ => Self { answer: self.answer.restricted(), ..self },
        }
    }
}
