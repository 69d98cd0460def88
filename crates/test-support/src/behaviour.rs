//! What a fake does when it runs: shared by [`crate::FakeTool`] and [`crate::FakeInvoker`].

use pegboard_tool_core::{ContextChange, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// What happens when a fake runs. Time is tokio's, so that a test can pause it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Behaviour {
    /// Succeeds at once and answers with the input.
    #[default]
    Succeed,
    /// Succeeds at once with this text.
    Text(String),
    /// Fails at once.
    Fail(ErrorKind, String),
    /// Panics with this message.
    Panic(String),
    /// Waits, then succeeds; ends early when it is cancelled.
    Sleep(Duration),
    /// Waits and takes no notice of cancellation, then succeeds.
    Deaf(Duration),
    /// Reports progress this many times, with this pause before each, then succeeds.
    Progress(u32, Duration),
    /// Waits until it is cancelled, then fails as cancelled.
    UntilCancelled,
    /// Waits until somebody notifies, then succeeds; ends early when it is cancelled.
    UntilNotified(Arc<Notify>),
    /// Succeeds and asks for a change of the context.
    Change(ContextChange),
    /// Succeeds and stops the turn with this text. (Only of a fake invoker; a tool succeeds.)
    Stop(String),
}
