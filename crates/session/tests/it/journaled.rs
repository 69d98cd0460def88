//! Nothing runs twice, and what began is answered for.

use pegboard_session::{Durability, FileJournal, Journaled, Replay, read_journal};
use pegboard_test_support::{Behaviour, FakeCall, FakeInvoker};
use pegboard_tool_core::ports::{
    Finished, Journal, JournalCall, JournalError, JournalRecord, Outcome, Step, ToolInvoker,
};
use pegboard_tool_core::{Concurrency, ContextSnapshot, ToolContext, ToolUse};
use serde_json::json;
use std::sync::Arc;

fn context() -> ToolContext {
    ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")))
}

fn call(id: &str) -> ToolUse {
    ToolUse::new(id, "add", json!({"a": 1}))
}

fn journaled(invoker: &Arc<FakeInvoker>, journal: Arc<dyn Journal>) -> Journaled {
    Journaled::new(Arc::<FakeInvoker>::clone(invoker), journal, Arc::new(()))
}

fn invoker() -> Arc<FakeInvoker> {
    Arc::new(FakeInvoker::new().with("add", FakeCall::exclusive(Behaviour::Text("ran".into()))))
}

#[tokio::test]
async fn a_call_that_ended_is_not_run_again() {
    let root = tempfile::tempdir().unwrap();
    let open = || Arc::new(FileJournal::open(root.path(), Durability::Process).unwrap());
    let first = invoker();
    let before = journaled(&first, open()).invoke(call("a"), context()).await;
    assert_eq!((before.outcome, first.runs().len()), (Outcome::Succeeded, 1));
    let second = invoker();
    let after = journaled(&second, open()).invoke(call("a"), context()).await;
    assert_eq!(format!("{after:?}"), format!("{before:?}"));
    assert!(second.runs().is_empty());
}

#[tokio::test]
async fn a_call_that_began_may_have_run() {
    let root = tempfile::tempdir().unwrap();
    let open = || Arc::new(FileJournal::open(root.path(), Durability::Process).unwrap());
    let snapshot = ContextSnapshot::new("/w", "s");
    open().intent(JournalCall::new(&call("a"), &snapshot, Concurrency::Exclusive)).unwrap();
    let fake = invoker();
    for _ in 0..2 {
        let finished = journaled(&fake, open()).invoke(call("a"), context()).await;
        assert!(finished.result.is_error && finished.result.joined_text().contains("may have run"));
    }
    assert!(fake.runs().is_empty());
}

#[tokio::test]
async fn an_id_that_stands_for_another_call_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let fake = invoker();
    let journaled = journaled(&fake, Arc::new(FileJournal::open(root.path(), Durability::Process).unwrap()));
    journaled.invoke(call("a"), context()).await;
    let other = ToolUse::new("a", "add", json!({"a": 2}));
    let finished = journaled.invoke(other, context()).await;
    assert!(finished.result.joined_text().contains("same id"), "{}", finished.result.joined_text());
    assert_eq!(fake.runs().len(), 1);
}

/// A journal on a disk that is full from the n-th line on.
#[derive(Debug)]
struct Full {
    intent: bool,
}

fn full() -> JournalError {
    JournalError::Io { path: "/s/journal.jsonl".into(), source: std::io::ErrorKind::StorageFull.into() }
}

impl Journal for Full {
    fn intent(&self, _: JournalCall<'_>) -> Result<(), JournalError> {
        if self.intent { Err(full()) } else { Ok(()) }
    }

    fn outcome(&self, _: JournalCall<'_>, _: &Finished) -> Result<(), JournalError> {
        Err(full())
    }

    fn recorded(&self, _: &ToolUse) -> Result<JournalRecord, JournalError> {
        Ok(JournalRecord::None)
    }
}

#[tokio::test]
async fn a_full_disk_before_the_call_stops_it_and_after_it_loses_nothing() {
    let fake = invoker();
    let finished = journaled(&fake, Arc::new(Full { intent: true })).invoke(call("a"), context()).await;
    assert!(finished.result.is_error && finished.result.joined_text().contains("journal"));
    assert!(fake.runs().is_empty());
    let finished = journaled(&fake, Arc::new(Full { intent: false })).invoke(call("a"), context()).await;
    assert_eq!((finished.outcome, fake.runs().len()), (Outcome::Succeeded, 1));
}

#[tokio::test]
async fn a_call_that_never_began_can_still_run() {
    let root = tempfile::tempdir().unwrap();
    let journal = Arc::new(FileJournal::open(root.path(), Durability::Process).unwrap());
    let fake = invoker();
    let journaled = journaled(&fake, journal);
    let Step::Next(prepared) = journaled.validate(call("a"), &context()) else { unreachable!() };
    let Step::Next(ready) = journaled.decide(prepared, &context()).await else { unreachable!() };
    drop(ready);
    assert_eq!(journaled.invoke(call("a"), context()).await.outcome, Outcome::Succeeded);
    assert_eq!(fake.runs().len(), 1);
}

#[tokio::test]
async fn a_journal_is_replayed_with_its_results_and_compared() {
    let root = tempfile::tempdir().unwrap();
    let fake = invoker();
    let journaled = journaled(&fake, Arc::new(FileJournal::open(root.path(), Durability::Process).unwrap()));
    let mut results = vec![journaled.invoke(call("a"), context()).await];
    results.push(journaled.invoke(call("b"), context()).await);
    let replay = Replay::new(&read_journal(root.path()).unwrap());
    let again = [replay.invoke(call("a"), context()).await, replay.invoke(call("b"), context()).await];
    assert_eq!(replay.differences(&again), []);
    assert_eq!(fake.runs().len(), 2);
    let unknown = replay.invoke(call("c"), context()).await;
    assert!(unknown.result.is_error);
    let changed = invoker_with("other").invoke(call("a"), context()).await;
    let differences = replay.differences(&[changed]);
    assert_eq!(differences[0].now.0, "other");
    assert_eq!(differences[0].recorded, Some(("ran".into(), false)));
}

fn invoker_with(text: &str) -> FakeInvoker {
    FakeInvoker::new().with("add", FakeCall::exclusive(Behaviour::Text(text.into())))
}
