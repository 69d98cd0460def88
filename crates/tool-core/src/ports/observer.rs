//! Who watches: events at each edge of the pipeline.

use super::{DecisionStep, HookAdvice, HookEvent, HookReport, Outcome, Verdict};
use crate::{ContextSnapshot, RuleText};
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// A phase of the pipeline.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the phases are the contract")]
pub enum Phase {
    /// 1.
    Extract,
    /// 2.
    Validate,
    /// 3.
    PreHooks,
    /// 4.
    Permissions,
    /// 5.
    Execute,
    /// 6.
    PostHooks,
    /// 7.
    Map,
}

/// Something happened to a call. Borrowed: an observer that keeps it makes its own copy.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A call arrived.
    Received {
        /// Id of the call.
        id: &'a str,
        /// Name as called.
        called_as: &'a str,
    },
    /// A call has a tool and a valid input.
    Validated {
        /// Id of the call.
        id: &'a str,
        /// Canonical name of the tool.
        tool: &'a str,
        /// Input, backfilled.
        input: &'a Value,
        /// The line that people see.
        title: &'a str,
    },
    /// A phase begins.
    PhaseStarted {
        /// Id of the call.
        id: &'a str,
        /// Which.
        phase: Phase,
    },
    /// A phase is over.
    PhaseEnded {
        /// Id of the call.
        id: &'a str,
        /// Which.
        phase: Phase,
    },
    /// Hooks ran.
    HooksRan {
        /// Id of the call.
        id: &'a str,
        /// For which event.
        event: HookEvent,
        /// One a handler.
        reports: &'a [HookReport],
        /// Texts for the user.
        system_messages: &'a [String],
    },
    /// The gate judged a call, before anybody is asked. Enough to judge it again by other rules.
    Judged {
        /// Id of the call.
        id: &'a str,
        /// Canonical name of the tool.
        tool: &'a str,
        /// The input that would run, backfilled.
        input: &'a Value,
        /// Where and in which mode.
        context: &'a ContextSnapshot,
        /// What hooks said.
        hook: HookAdvice,
    },
    /// The gate, and whoever was asked, decided.
    Decided {
        /// Id of the call.
        id: &'a str,
        /// Final: allow or deny.
        verdict: Verdict,
        /// Which step of the gate.
        step: DecisionStep,
        /// Why.
        reason: &'a str,
        /// Rules that matched.
        rules: &'a [Arc<RuleText>],
        /// Who answered an ask: `hook`, `classifier`, `person`, `program`, `nobody`; `None` when nobody was asked.
        approved_by: Option<&'a str>,
    },
    /// A running call reports progress.
    Progress {
        /// Id of the call.
        id: &'a str,
        /// The tool's own event.
        event: &'a Value,
    },
    /// What people see of an output. Only told where somebody [wants it](Observer::wants_rendered).
    Rendered {
        /// Id of the call.
        id: &'a str,
        /// Plain text; a change is shown by lines that begin with `+` and `-`.
        text: &'a str,
    },
    /// A call has its result.
    Finished {
        /// Id of the call.
        id: &'a str,
        /// Canonical name, or the name as called.
        tool: &'a str,
        /// How it ended.
        outcome: Outcome,
        /// Whether the model reads it as an error.
        is_error: bool,
        /// How long the execution took.
        duration: Duration,
    },
    /// A batch begins.
    BatchStarted {
        /// Ids of its calls.
        ids: &'a [Arc<str>],
    },
    /// Something that the user should know.
    Notice {
        /// Id of the call, when it is about one.
        id: Option<&'a str>,
        /// In words.
        text: &'a str,
    },
}

/// Watches. Must not block; a panic in it is its own fault and is not caught.
pub trait Observer: Debug + Send + Sync {
    /// Something happened.
    fn event(&self, event: &Event<'_>);

    /// Whether outputs are rendered for people. That costs a copy of each output, so the default is no.
    fn wants_rendered(&self) -> bool {
        false
    }
}

const _: fn(&dyn Observer) = |_| ();

/// Nobody watches.
impl Observer for () {
    fn event(&self, _event: &Event<'_>) {}
}

/// Several observers, told in order.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a list is all it is")]
pub struct Observers(pub Vec<Arc<dyn Observer>>);

impl Observer for Observers {
    fn event(&self, event: &Event<'_>) {
        self.0.iter().for_each(|observer| observer.event(event));
    }

    fn wants_rendered(&self) -> bool {
        self.0.iter().any(|observer| observer.wants_rendered())
    }
}
