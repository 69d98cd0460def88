//! A dispatcher with fakes around it.

use pegboard_dispatch::{DispatchConfig, Dispatcher};
use pegboard_test_support::{AllowAll, FakeLookup, FakeTool, RecordingObserver};
use pegboard_tool_core::ports::{Finished, PermissionGate, ToolInvoker};
use pegboard_tool_core::{ContextSnapshot, PermissionMode, ToolContext, ToolUse};
use serde_json::Value;
use std::sync::Arc;

/// A dispatcher and who watches it.
pub(crate) struct World {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) observer: Arc<RecordingObserver>,
}

impl World {
    /// One tool behind a gate that allows all.
    pub(crate) fn of(tool: &FakeTool) -> Self {
        Self::with(tool, Arc::new(AllowAll), |config| config)
    }

    /// One tool behind `gate`, with other layers.
    pub(crate) fn with(
        tool: &FakeTool,
        gate: Arc<dyn PermissionGate>,
        change: impl FnOnce(DispatchConfig) -> DispatchConfig,
    ) -> Self {
        let observer = Arc::new(RecordingObserver::new());
        let lookup = Arc::new(FakeLookup::new([tool.tool()]));
        let config = DispatchConfig::new(lookup, gate).with_observer(Arc::clone(&observer) as _);
        Self { dispatcher: Dispatcher::new(change(config)), observer }
    }

    /// One call of `tool` in the default mode.
    pub(crate) async fn call(&self, tool: &str, input: Value) -> Finished {
        self.call_in(tool, input, context()).await
    }

    /// One call in `ctx`.
    pub(crate) async fn call_in(&self, tool: &str, input: Value, ctx: ToolContext) -> Finished {
        self.dispatcher.invoke(ToolUse::new("id", tool, input), ctx).await
    }
}

/// A context in `/w`.
pub(crate) fn context() -> ToolContext {
    in_mode(PermissionMode::Default)
}

/// A context in `/w` and this mode.
pub(crate) fn in_mode(mode: PermissionMode) -> ToolContext {
    let mut snapshot = ContextSnapshot::new("/w", "session");
    snapshot.mode = mode;
    ToolContext::new(Arc::new(snapshot))
}

/// The text that the model reads.
pub(crate) fn text(finished: &Finished) -> String {
    finished.result.joined_text()
}
