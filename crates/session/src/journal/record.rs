//! The lines of a journal.

use pegboard_tool_core::ports::{Finished, JournalCall, Outcome};
use pegboard_tool_core::{ContextChange, ErrorKind, RawInput, ResultContent, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Version of the form of the lines.
pub(crate) const VERSION: u32 = 1;

/// One line.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Record {
    /// A process began to run a message.
    Turn {
        /// From 1.
        turn: u64,
        /// Milliseconds since 1970.
        ms: u64,
        /// [`VERSION`].
        v: u32,
    },
    /// A call is about to run.
    Intent {
        ms: u64,
        #[serde(flatten)]
        call: CallRecord,
    },
    /// A call has its result.
    Outcome {
        ms: u64,
        /// The call, when it never began.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        call: Option<CallRecord>,
        #[serde(flatten)]
        finished: Box<FinishedRecord>,
    },
    /// Written by a later version.
    #[serde(other)]
    Unknown,
}

/// A call as received, and where.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CallRecord {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) input: InputRecord,
    /// As text; what is none in it is replaced.
    pub(crate) cwd: String,
    pub(crate) mode: String,
}

/// An input.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InputRecord {
    #[serde(rename = "input")]
    Json(Value),
    #[serde(rename = "unreadable_input")]
    Unreadable(String),
}

impl CallRecord {
    pub(crate) fn of(call: JournalCall<'_>) -> Self {
        Self {
            id: call.call.id.to_string(),
            name: call.call.name.to_string(),
            input: match &call.call.input {
                RawInput::Json(input) => InputRecord::Json((**input).clone()),
                RawInput::Unreadable(text) => InputRecord::Unreadable(text.to_string()),
            },
            cwd: call.context.cwd.to_string_lossy().into_owned(),
            mode: call.context.mode.to_string(),
        }
    }
}

/// How a call ended, with all that whoever runs it again needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct FinishedRecord {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// The input that ran.
    pub(crate) ran: Value,
    pub(crate) outcome: OutcomeRecord,
    pub(crate) is_error: bool,
    pub(crate) content: Vec<ContentRecord>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) context_change: Option<ContextChange>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) messages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) stop: Option<String>,
    pub(crate) duration_us: u64,
}

/// [`Outcome`] by name.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutcomeRecord {
    Succeeded,
    Failed(ErrorKind),
    Invalid,
    Refused,
    Cancelled,
    NotRun,
    Deferred,
}

/// A part of a result.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentRecord {
    Text(String),
    Image { media_type: String, data: Arc<str> },
    Other(Value),
}

impl FinishedRecord {
    pub(crate) fn of(finished: &Finished) -> Self {
        Self {
            id: finished.result.tool_use_id.to_string(),
            tool: finished.tool.to_string(),
            ran: (*finished.input).clone(),
            outcome: match finished.outcome {
                Outcome::Succeeded => OutcomeRecord::Succeeded,
                Outcome::Failed(kind) => OutcomeRecord::Failed(kind),
                Outcome::Invalid => OutcomeRecord::Invalid,
                Outcome::Refused => OutcomeRecord::Refused,
                Outcome::Cancelled => OutcomeRecord::Cancelled,
                Outcome::NotRun => OutcomeRecord::NotRun,
                Outcome::Deferred => OutcomeRecord::Deferred,
            },
            is_error: finished.result.is_error,
            content: finished.result.content.iter().map(ContentRecord::of).collect(),
            context_change: finished.context_change.clone(),
            messages: finished.messages.clone(),
            stop: finished.stop.clone(),
            duration_us: u64::try_from(finished.duration.as_micros()).unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn into_finished(self) -> Finished {
        let mut result =
            ToolResult::new(self.id, self.content.into_iter().map(ContentRecord::into_content).collect());
        result.is_error = self.is_error;
        let outcome = match self.outcome {
            OutcomeRecord::Succeeded => Outcome::Succeeded,
            OutcomeRecord::Failed(kind) => Outcome::Failed(kind),
            OutcomeRecord::Invalid => Outcome::Invalid,
            OutcomeRecord::Refused => Outcome::Refused,
            OutcomeRecord::Cancelled => Outcome::Cancelled,
            OutcomeRecord::NotRun => Outcome::NotRun,
            OutcomeRecord::Deferred => Outcome::Deferred,
        };
        let mut finished = Finished::new(result, self.tool, Arc::new(self.ran), outcome);
        finished.context_change = self.context_change;
        finished.messages = self.messages;
        finished.stop = self.stop;
        finished.duration = Duration::from_micros(self.duration_us);
        finished
    }
}

impl ContentRecord {
    fn of(content: &ResultContent) -> Self {
        match content {
            ResultContent::Text(text) => Self::Text(text.clone()),
            ResultContent::Image { media_type, data } => {
                Self::Image { media_type: media_type.clone(), data: Arc::clone(data) }
            }
            ResultContent::Other(value) => Self::Other(value.clone()),
        }
    }

    fn into_content(self) -> ResultContent {
        match self {
            Self::Text(text) => ResultContent::Text(text),
            Self::Image { media_type, data } => ResultContent::Image { media_type, data },
            Self::Other(value) => ResultContent::Other(value),
        }
    }
}
