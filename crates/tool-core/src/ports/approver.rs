//! Who is asked when rules leave a call open: a person, or a program that stands for one.

use super::{Decision, RuleOffer};
use crate::{CancellationToken, ToolName};
use async_trait::async_trait;
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;

/// One question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Id of the call.
    pub tool_use_id: Arc<str>,
    /// Canonical name of the tool.
    pub tool: ToolName,
    /// The whole input that would run.
    pub input: Arc<Value>,
    /// The line about the call.
    pub title: String,
    /// The call in detail, such as the diff of an edit.
    pub detail: Option<String>,
    /// Why it is asked.
    pub decision: Decision,
    /// What "always" would mean; empty when it is not offered.
    pub offers: Vec<RuleOffer>,
    /// Hash of name, input and grant: an answer holds for this and nothing else.
    pub fingerprint: u64,
}

impl ApprovalRequest {
    /// A question without detail and offers.
    pub fn new(
        tool_use_id: Arc<str>,
        tool: ToolName,
        input: Arc<Value>,
        title: String,
        decision: Decision,
    ) -> Self {
        Self { tool_use_id, tool, input, title, detail: None, decision, offers: Vec::new(), fingerprint: 0 }
    }
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever asks must handle each answer")]
pub enum Approval {
    /// Yes, this once.
    Once,
    /// Yes, and the offer at this index holds from now on.
    Always(usize),
    /// Yes, with this input instead; it is validated and judged again.
    Modified(Value),
    /// No. Without a comment the turn stops; with one the model reads it and goes on.
    Deny {
        /// What the model should know.
        comment: Option<String>,
    },
    /// No, and the turn stops.
    Interrupt,
    /// Nobody answered: no.
    NoAnswer,
}

/// Answers questions.
///
/// # Contract
/// - Several questions may be open at once. Whoever cannot show two at a time queues them.
/// - When `cancel` fires, answer `NoAnswer`. A dropped channel or an error is `NoAnswer` too.
#[async_trait]
pub trait Approver: Debug + Send + Sync {
    /// Puts the question.
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancellationToken) -> Approval;

    /// Whether a person answers. Only then are questions with a safety reason put. Default: no.
    fn is_person(&self) -> bool {
        false
    }

    /// Whether anybody can answer at all. Default: yes.
    fn can_answer(&self) -> bool {
        true
    }
}

const _: fn(&dyn Approver) = |_| ();

/// Nobody can answer: every question is a no.
#[async_trait]
impl Approver for () {
    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancellationToken) -> Approval {
        Approval::NoAnswer
    }

    fn can_answer(&self) -> bool {
        false
    }
}
