//! Why an event cannot be answered by rules. Every fault is answered with a deny.

use crate::host::{Gate, Host};

/// An event that was not understood, and who is likely to wait for the answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{kind}")]
#[non_exhaustive]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Who asks, as far as it could be told.
    pub asked: Option<(Host, Gate)>,
}

/// What is wrong with an event.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// Too many bytes.
    #[error("the hook event is longer than {limit} bytes; it cannot be judged")]
    TooLong {
        /// The most that is read.
        limit: usize,
    },
    /// Not JSON, or nested too deep.
    #[error("the hook event is not JSON ({problem}); the host must send one object on standard input")]
    NotJson {
        /// What the parser says.
        problem: String,
    },
    /// JSON, but no object.
    #[error("the hook event is no JSON object; the host must send one object on standard input")]
    NotAnObject,
    /// A key stands twice in one object, so that the host and we could read different values.
    #[error("the hook event contradicts itself: the key `{key}` stands twice in one object")]
    RepeatedKey {
        /// Which one, shortened.
        key: String,
    },
    /// There is no `hook_event_name`.
    #[error("the hook event has no `hook_event_name`; it is of no host that is known")]
    NoEventName,
    /// An event of that name is not known.
    #[error("the hook event `{name}` is not known; install the hook for tool calls only")]
    UnknownEvent {
        /// Its name.
        name: String,
    },
    /// Only one of the two fields by which Codex is told.
    #[error(
        "the hook event contradicts itself: of `turn_id` and `model` Codex sends both and Claude Code none"
    )]
    HalfCodex,
    /// The host that was named did not send it.
    #[error("the hook was installed for {} and the event is one of {}; name the right one with `--agent`", named.title(), found.title())]
    OtherHost {
        /// The host that was named.
        named: Host,
        /// The host whose event it is.
        found: Host,
    },
    /// A field of the event is missing or has another type.
    #[error("the hook event's `{field}` is not {wanted}")]
    Field {
        /// Which one.
        field: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// A field of the tool's input is missing or has another type.
    #[error("`{field}` of the {tool} call is not {wanted}; it cannot be judged")]
    Input {
        /// The tool, as the host names it.
        tool: String,
        /// Which field.
        field: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// A tool name that no rule can name.
    #[error("`{name}` is not a tool name; it cannot be judged")]
    ToolName {
        /// What stands there, shortened.
        name: String,
    },
}
