//! Recorded streams of each API, cut at every byte: nothing starts twice, and what started has one result.

use async_trait::async_trait;
use pegboard::ports::{
    Finished, Outcome, Prepared, Ready, Step, ToolInvoker, TurnEvent, TurnEvents, TurnExecutor, TurnOutcome,
};
use pegboard::scheduler::{Scheduler, Siblings, Start};
use pegboard::wire::{StreamDecoder, encode_results};
use pegboard::{Accesses, Concurrency, ContextSnapshot, ToolContext, ToolResult, ToolUse};
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Answers at once and remembers what it ran.
#[derive(Debug, Default)]
struct Counts {
    ran: Mutex<Vec<String>>,
}

#[async_trait]
impl ToolInvoker for Counts {
    fn validate(&self, call: ToolUse, _ctx: &ToolContext) -> Step<Prepared> {
        let (id, name) = (Arc::clone(&call.id), Arc::clone(&call.name));
        Step::Next(Prepared::new(
            id,
            name,
            Concurrency::Exclusive,
            Accesses::Everything,
            false,
            Box::new(call),
        ))
    }

    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready> {
        Step::Next(Ready::new(call, ctx.generation, 0))
    }

    async fn execute(&self, call: Ready, _ctx: ToolContext) -> Finished {
        let (id, tool) = (Arc::clone(&call.prepared.id), Arc::clone(&call.prepared.tool));
        self.ran.lock().unwrap().push(id.to_string());
        Finished::new(ToolResult::text(id, "done"), tool, Arc::default(), Outcome::Succeeded)
    }
}

/// Events that come one at a time: whoever waits for the next lets the others go on first.
#[derive(Debug)]
struct OneByOne(VecDeque<TurnEvent>);

#[async_trait]
impl TurnEvents for OneByOne {
    async fn next(&mut self) -> Option<TurnEvent> {
        tokio::task::yield_now().await;
        self.0.pop_front()
    }
}

fn run(bytes: &[u8], start: Start) -> (StreamDecoder, TurnOutcome, Vec<String>) {
    let mut decoder = StreamDecoder::new(None);
    let mut events: VecDeque<TurnEvent> = decoder.push(bytes).into();
    events.extend(decoder.finish());
    let counts = Arc::new(Counts::default());
    let invoker: Arc<dyn ToolInvoker> = Arc::<Counts>::clone(&counts);
    let scheduler = Scheduler::new(invoker).with_start(start).with_siblings(Siblings::Cancelled);
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = runtime.block_on(scheduler.run(Box::new(OneByOne(events)), ctx));
    let ran = counts.ran.lock().unwrap().clone();
    (decoder, outcome, ran)
}

fn streams() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/streams");
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    all.sort();
    assert!(all.len() >= 8, "the recorded streams are missing");
    all
}

#[test]
fn a_stream_that_is_cut_anywhere_starts_nothing_twice_and_answers_what_it_started() {
    for (name, bytes) in streams() {
        for cut in 0..=bytes.len() {
            let (decoder, outcome, ran) = run(&bytes[..cut], Start::Block);
            let mut once = ran.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), ran.len(), "{name} cut at {cut}: {ran:?}");
            let answered: Vec<&str> = outcome.calls.iter().map(|call| &*call.result.tool_use_id).collect();
            let told = outcome.messages.join("\n");
            for id in &ran {
                let has_result = answered.contains(&id.as_str()) || told.contains("earlier attempt");
                assert!(has_result, "{name} cut at {cut}: `{id}` ran and has no result");
            }
            // What is answered can be sent: one result for each call of the message as it was decoded.
            if let Some(turn) = decoder.turn() {
                let results: Vec<ToolResult> = outcome.calls.iter().map(|call| call.result.clone()).collect();
                let answer = encode_results(&turn, &results, &[]);
                assert!(answer.dropped.is_empty(), "{name} cut at {cut}: {:?}", answer.dropped);
                assert!(answer.missing.is_empty(), "{name} cut at {cut}: {:?}", answer.missing);
            }
            if cut < bytes.len() {
                let (_, outcome, ran) = run(&bytes[..cut], Start::End);
                let whole = matches!(outcome.end, pegboard::ports::TurnEnd::Completed);
                assert!(whole || ran.is_empty(), "{name} cut at {cut}: {ran:?} began before the end");
            }
        }
    }
}

#[test]
fn whole_streams_run_every_call_in_order() {
    for (name, bytes) in streams() {
        let (decoder, outcome, ran) = run(&bytes, Start::Block);
        let Some(turn) = decoder.turn() else { continue };
        let ids: Vec<String> = turn.calls.iter().map(|call| call.id.to_string()).collect();
        let answered: Vec<String> =
            outcome.calls.iter().map(|call| call.result.tool_use_id.to_string()).collect();
        assert_eq!(answered, ids, "{name}");
        assert!(ran.len() <= ids.len() + outcome.messages.len(), "{name}: {ran:?}");
    }
}
