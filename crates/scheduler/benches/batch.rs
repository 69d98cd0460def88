//! Ten calls of 10 ms each in one message, against `join_all` of the same ten waits; turns by batches and by
//! conflicts; messages that still arrive; messages of up to 10,000 calls.
//!
//! Read as differences within one run: ten calls should cost at most 0.3 ms over the bare join, a call should cost
//! the same whatever the size of its message.

use async_trait::async_trait;
use pegboard_scheduler::{Schedule, Scheduler, Start};
use pegboard_tool_core::ports::{
    Finished, Outcome, Prepared, Ready, Step, StopReason, ToolInvoker, TurnEvent, TurnEvents, TurnExecutor,
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

/// Works on one file, and does nothing else.
#[derive(Debug)]
struct OnFiles;

#[async_trait]
impl ToolInvoker for OnFiles {
    fn validate(&self, call: ToolUse, _ctx: &ToolContext) -> Step<Prepared> {
        let (id, name) = (call.id.clone(), call.name.clone());
        // Every third call writes a file of its own; the others read one.
        let number: usize = call.id.parse().unwrap_or_default();
        let path = format!("/nowhere/{number}");
        let (concurrency, accesses) = match number % 3 {
            0 => (Concurrency::Exclusive, Accesses::write_file(path)),
            _ => (Concurrency::Shared, Accesses::read_file(path)),
        };
        Step::Next(Prepared::new(id, name, concurrency, accesses, false, Box::new(call)))
    }

    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready> {
        Step::Next(Ready::new(call, ctx.generation, 0))
    }

    async fn execute(&self, call: Ready, _ctx: ToolContext) -> Finished {
        if &*call.prepared.tool == "Wait" {
            tokio::time::sleep(WAIT).await;
        }
        let id = Arc::clone(&call.prepared.id);
        Finished::new(ToolResult::text(id, "done"), "File", Arc::default(), Outcome::Succeeded)
    }
}

fn calls(count: usize, name: &str) -> VecDeque<TurnEvent> {
    (0..count)
        .map(|number| TurnEvent::CallReady(ToolUse::new(number.to_string(), name, serde_json::Value::Null)))
        .collect()
}

/// A turn of twelve calls of 10 ms, every third of which writes: by batches and by conflicts.
#[divan::bench(args = [Schedule::Batches, Schedule::Conflicts], sample_count = 20)]
fn mixed_turn(bencher: divan::Bencher<'_, '_>, schedule: Schedule) {
    let runtime = runtime();
    let scheduler = Scheduler::new(Arc::new(OnFiles)).with_schedule(schedule);
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")));
    bencher.bench_local(|| {
        runtime.block_on(scheduler.run(Box::new(calls(12, "Wait")), ctx.clone())).calls.len()
    });
}

/// A message of that many calls that do nothing: the time for each is the schedule's own.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 10)]
fn many_calls_by_batches(bencher: divan::Bencher<'_, '_>, count: usize) {
    many_calls(bencher, count, Schedule::Batches);
}

/// The same by conflicts, each call on a file of its own.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 10)]
fn many_calls_by_conflicts(bencher: divan::Bencher<'_, '_>, count: usize) {
    many_calls(bencher, count, Schedule::Conflicts);
}

fn many_calls(bencher: divan::Bencher<'_, '_>, count: usize, schedule: Schedule) {
    let runtime = runtime();
    let scheduler = Scheduler::new(Arc::new(OnFiles)).with_schedule(schedule);
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")));
    bencher
        .counter(divan::counter::ItemsCount::new(count))
        .with_inputs(|| calls(count, "Now"))
        .bench_local_values(|calls| {
            runtime.block_on(scheduler.run(Box::new(calls), ctx.clone())).calls.len()
        });
}

/// Twenty calls that arrive 5 ms apart and take 10 ms each.
#[derive(Debug)]
struct Arriving(VecDeque<TurnEvent>);

#[async_trait]
impl TurnEvents for Arriving {
    async fn next(&mut self) -> Option<TurnEvent> {
        let event = self.0.pop_front()?;
        tokio::time::sleep(Duration::from_millis(5)).await;
        Some(event)
    }
}

/// A message of twenty calls that arrives in 105 ms: begun when each block ends, or when the message ended.
#[divan::bench(args = [Start::Block, Start::End], sample_count = 10)]
fn twenty_calls_of_a_stream(bencher: divan::Bencher<'_, '_>, start: Start) {
    let runtime = runtime();
    let scheduler = Scheduler::new(Arc::new(Waits)).with_start(start);
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")));
    bencher.bench_local(|| {
        let mut events = calls(20, "Wait");
        events.push_back(TurnEvent::Ended(StopReason::ToolUse));
        runtime.block_on(scheduler.run(Box::new(Arriving(events)), ctx.clone())).calls.len()
    });
}

/// From the end of a block to the beginning of its call, in one message of one call.
#[divan::bench(sample_count = 200)]
fn from_the_end_of_a_block_to_the_call(bencher: divan::Bencher<'_, '_>) {
    let runtime = runtime();
    let scheduler = Scheduler::new(Arc::new(OnFiles)).with_start(Start::Block);
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")));
    bencher.with_inputs(|| calls(1, "Now")).bench_local_values(|calls| {
        runtime.block_on(scheduler.run(Box::new(calls), ctx.clone())).calls.len()
    });
}
