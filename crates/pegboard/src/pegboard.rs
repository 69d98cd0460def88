//! [`Pegboard`]: the wired layers.

use crate::builder::{Builder, NoGate};
use pegboard_registry::ToolPool;
use pegboard_tool_core::ports::{
    Finished, StopReason, ToolInvoker, TurnEvent, TurnEvents, TurnExecutor, TurnOutcome,
};
use pegboard_tool_core::{ContextSnapshot, ToolContext, ToolUse};
use std::collections::VecDeque;
use std::sync::Arc;

/// A tool runtime. Cheap to clone; all clones are the same runtime.
///
/// Awaits need a tokio runtime with time; tools of the standard set also its blocking pool and IO.
#[derive(Clone, Debug)]
pub struct Pegboard {
    pub(crate) invoker: Arc<dyn ToolInvoker>,
    pub(crate) executor: Arc<dyn TurnExecutor>,
    pub(crate) pool: Arc<ToolPool>,
}

impl Pegboard {
    /// Begins a runtime. It cannot be built before it has a gate.
    #[must_use]
    pub fn builder() -> Builder<NoGate> {
        Builder::new()
    }

    /// The tools that the model is offered.
    #[must_use]
    pub fn pool(&self) -> &Arc<ToolPool> {
        &self.pool
    }

    /// The pipeline for single calls.
    #[must_use]
    pub fn invoker(&self) -> &Arc<dyn ToolInvoker> {
        &self.invoker
    }

    /// Runs one call. It gets exactly one result, whatever happens.
    pub async fn invoke(&self, call: ToolUse, ctx: ToolContext) -> Finished {
        self.invoker.invoke(call, ctx).await
    }

    /// Runs the calls of one message. Each gets exactly one result, in order, whatever happens.
    pub async fn run(&self, calls: Vec<ToolUse>, context: Arc<ContextSnapshot>) -> TurnOutcome {
        let ready = calls.into_iter().map(TurnEvent::CallReady);
        let events: VecDeque<TurnEvent> = ready.chain([TurnEvent::Ended(StopReason::ToolUse)]).collect();
        self.run_events(Box::new(events), ToolContext::new(context)).await
    }

    /// Runs a message from its events; `ctx.cancel` cancels it.
    pub async fn run_events(&self, events: Box<dyn TurnEvents>, ctx: ToolContext) -> TurnOutcome {
        self.executor.run(events, ctx).await
    }
}
