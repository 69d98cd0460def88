//! What can be wrong with a stream. Its text is foreign: what is shown of it is cut and escaped.

/// A stream failed. What was complete before stands; nothing after it becomes ready.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// It ended in the middle of the message.
    #[error("the stream was cut: it ended {place}; ask the model again")]
    Cut {
        /// Where, such as "in the input of the call `toolu_1`".
        place: String,
    },
    /// The API said so.
    #[error("the API reported an error: {kind}: {message}")]
    Api {
        /// Kind or code of the error.
        kind: String,
        /// Its text, escaped and cut.
        message: String,
    },
    /// An event is no JSON.
    #[error("an event of the stream, which begins with `{start}`, is not JSON")]
    NotJson {
        /// Its first characters, escaped.
        start: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// There are bytes where no event can be.
    #[error("the stream holds `{start}` where an event should begin; give server-sent events or JSON lines")]
    NotAnEvent {
        /// The first byte, escaped.
        start: String,
    },
    /// Nothing that is known was in it.
    #[error(
        "the stream holds no event of a form that is known{start}; give the body of a streaming response as it comes"
    )]
    UnknownForm {
        /// How it begins, escaped and cut, with `: ` before it; empty when there was nothing.
        start: String,
    },
    /// A whole message came instead of its events.
    #[error("the stream holds {found}, not the events of a message; use `run` for a whole message")]
    WholeMessage {
        /// What it is, in words.
        found: String,
    },
    /// A line, an event or the message is too large.
    #[error("{what} of the stream is larger than {limit} bytes")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large it may be.
        limit: usize,
    },
    /// It asks for too many tools.
    #[error("the stream has more than {limit} tool calls")]
    TooManyCalls {
        /// How many there may be.
        limit: usize,
    },
    /// Its events contradict each other or lack what they need.
    #[error("the stream is broken: {problem}")]
    Broken {
        /// What is wrong.
        problem: String,
    },
    /// The message was sent again, and a call is not the one it was.
    #[error("the stream began again with another call under the id `{id}`; nothing more of it is run")]
    Conflict {
        /// The id, escaped and cut.
        id: String,
    },
}

impl StreamError {
    /// A stream that contradicts itself.
    pub(crate) fn broken(problem: impl Into<String>) -> Self {
        Self::Broken { problem: problem.into() }
    }
}
