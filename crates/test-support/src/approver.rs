//! [`ScriptedApprover`]: answers one after the other, and a list of the questions.

use async_trait::async_trait;
use pegboard_tool_core::CancellationToken;
use pegboard_tool_core::ports::{Approval, ApprovalRequest, Approver};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Gives its answers in order; after the last one nobody answers until the question is cancelled.
#[derive(Debug, Default)]
pub struct ScriptedApprover {
    answers: Mutex<VecDeque<Approval>>,
    asked: Mutex<Vec<ApprovalRequest>>,
    is_person: bool,
    absent: bool,
}

impl ScriptedApprover {
    /// A person who gives these answers.
    pub fn person(answers: impl IntoIterator<Item = Approval>) -> Self {
        Self { is_person: true, ..Self::program(answers) }
    }

    /// A program that gives these answers.
    pub fn program(answers: impl IntoIterator<Item = Approval>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    /// Nobody can answer.
    #[must_use]
    pub fn absent() -> Self {
        Self { absent: true, ..Self::default() }
    }

    /// The questions so far.
    #[must_use]
    pub fn asked(&self) -> Vec<ApprovalRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Approver for ScriptedApprover {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancellationToken) -> Approval {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        if self.absent || cancel.is_cancelled() {
            return Approval::NoAnswer;
        }
        let answer = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        match answer {
            Some(answer) => answer,
            None => {
                cancel.cancelled().await;
                Approval::NoAnswer
            }
        }
    }

    fn is_person(&self) -> bool {
        self.is_person
    }

    fn can_answer(&self) -> bool {
        !self.absent
    }
}
