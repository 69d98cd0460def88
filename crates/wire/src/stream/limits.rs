//! How much a stream may hold.

/// Bounds of a stream. What goes over one fails it. While an event is read it may take some 30 times its size
/// (a JSON value is larger than its text), the message at most that of its own values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct StreamLimits {
    /// Most bytes of one line, event or JSON value.
    pub event_bytes: usize,
    /// Most bytes that are kept of the message.
    pub message_bytes: usize,
    /// Most calls.
    pub calls: usize,
}

impl Default for StreamLimits {
    /// 32 MiB an event, 256 MiB a message, 10,000 calls.
    fn default() -> Self {
        Self { event_bytes: 32 << 20, message_bytes: crate::MAX_BYTES, calls: crate::MAX_CALLS }
    }
}

impl StreamLimits {
    /// The same limits with at most `bytes` for one line, event or JSON value.
    #[must_use]
    pub fn with_event_bytes(self, bytes: usize) -> Self {
        Self { event_bytes: bytes, ..self }
    }

    /// The same limits with at most `bytes` for the message.
    #[must_use]
    pub fn with_message_bytes(self, bytes: usize) -> Self {
        Self { message_bytes: bytes, ..self }
    }

    /// The same limits with at most `calls` calls.
    #[must_use]
    pub fn with_calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }
}
