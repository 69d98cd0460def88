//! Ten calls of 10 ms each in one message, against `join_all` of the same ten waits.
//!
//! Read as a difference within one run: the schedule should cost at most 0.3 ms over the bare join.

use async_trait::async_trait;
use pegboard_scheduler::Scheduler;
use pegboard_tool_core::ports::{
    Finished, Outcome, Prepared, Ready, Step, ToolInvoker, TurnEvent, TurnExecutor,
};
use pegboard_tool_core::{Accesses, Concurrency, ContextSnapshot, ToolContext, ToolResult, ToolUse};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

const WAIT: Duration = Duration::from_millis(10);

fn main() {
    divan::main();
}

/// Waits, and does nothing else.
#[derive(Debug)]
struct Waits;

#[async_trait]
impl ToolInvoker for Waits {
    fn validate(&self, call: ToolUse, _ctx: &ToolContext) -> Step<Prepared> {
        let (id, name) = (call.id.clone(), call.name.clone());
        Step::Next(Prepared::new(id, name, Concurrency::Shared, Accesses::nothing(), false, Box::new(call)))
    }

    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready> {
        Step::Next(Ready::new(call, ctx.generation, 0))
    }

    async fn execute(&self, call: Ready, _ctx: ToolContext) -> Finished {
        tokio::time::sleep(WAIT).await;
        let id = Arc::clone(&call.prepared.id);
        Finished::new(ToolResult::text(id, "done"), "Wait", Arc::default(), Outcome::Succeeded)
    }
}

#[expect(clippy::expect_used, reason = "a bench without a runtime measures nothing")]
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

#[divan::bench(sample_count = 50)]
fn join_all(bencher: divan::Bencher<'_, '_>) {
    let runtime = runtime();
    bencher.bench_local(|| {
        runtime.block_on(async { futures::future::join_all((0..10).map(|_| tokio::time::sleep(WAIT))).await })
    });
}

#[divan::bench(sample_count = 50)]
fn batches(bencher: divan::Bencher<'_, '_>) {
    let runtime = runtime();
    let batches = Scheduler::new(Arc::new(Waits));
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")));
    bencher.bench_local(|| {
        let events: VecDeque<TurnEvent> = (0..10)
            .map(|id| TurnEvent::CallReady(ToolUse::new(id.to_string(), "Wait", serde_json::json!({}))))
            .collect();
        runtime.block_on(batches.run(Box::new(events), ctx.clone()))
    });
}
