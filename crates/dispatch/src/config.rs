//! [`DispatchConfig`]: the layers around a dispatcher, and its limits.

use pegboard_tool_core::ports::{Approver, HookRunner, Observer, PermissionGate, ResultStore, ToolLookup};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// What a [`crate::Dispatcher`] works with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DispatchConfig {
    /// Finds tools by name.
    pub lookup: Arc<dyn ToolLookup>,
    /// Decides whether a call may run. There is no default: nothing runs without one.
    pub gate: Arc<dyn PermissionGate>,
    /// Runs hooks. Default: there are none.
    pub hooks: Arc<dyn HookRunner>,
    /// Answers what the gate asks. Default: nobody, so every ask is a no.
    pub approver: Arc<dyn Approver>,
    /// Keeps results that are too large. Without one they are cut, and the result says so.
    pub store: Option<Arc<dyn ResultStore>>,
    /// Watches. Default: nobody.
    pub observer: Arc<dyn Observer>,
    /// Time limit of a call as a whole, for tools that have none of their own. Default: none.
    pub default_time_limit: Option<Duration>,
    /// Longest time that a running call may go without reporting progress. Default: none.
    pub idle_limit: Option<Duration>,
    /// How long a cancelled call, hook or question may take to end by itself before it is dropped.
    /// Default: [`DispatchConfig::DEFAULT_GRACE`].
    pub grace: Duration,
    /// Tells those who wait for an answer that an answer to another call changed the rules.
    pub(crate) rules_moved: Arc<Notify>,
}

impl DispatchConfig {
    /// Default of [`DispatchConfig::grace`]: long enough for a tool to end its processes.
    pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);

    /// These tools behind this gate, without hooks, approver, store, observer and limits.
    pub fn new(lookup: Arc<dyn ToolLookup>, gate: Arc<dyn PermissionGate>) -> Self {
        Self {
            lookup,
            gate,
            hooks: Arc::new(()),
            approver: Arc::new(()),
            store: None,
            observer: Arc::new(()),
            default_time_limit: None,
            idle_limit: None,
            grace: Self::DEFAULT_GRACE,
            rules_moved: Arc::default(),
        }
    }

    /// The same with hooks.
    #[must_use]
    pub fn with_hooks(self, hooks: Arc<dyn HookRunner>) -> Self {
        Self { hooks, ..self }
    }

    /// The same with somebody who answers.
    #[must_use]
    pub fn with_approver(self, approver: Arc<dyn Approver>) -> Self {
        Self { approver, ..self }
    }

    /// The same with a place for large results.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn ResultStore>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// The same with somebody who watches.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer, ..self }
    }

    /// The same with a time limit for calls that have none of their own.
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Self { default_time_limit: Some(limit), ..self }
    }

    /// The same with a limit for calls that show no progress.
    #[must_use]
    pub fn with_idle_limit(self, limit: Duration) -> Self {
        Self { idle_limit: Some(limit), ..self }
    }

    /// The same with another grace.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }
}
