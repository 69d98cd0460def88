//! An invoker that writes down what it does: nothing runs twice, and every call that began has an answer.

use super::JournalCall;
use async_trait::async_trait;
use pegboard_tool_core::ports::{
    Event, Finished, Journal, JournalError, JournalRecord, Observer, Outcome, Prepared, Ready, Step,
    ToolInvoker,
};
use pegboard_tool_core::{Accesses, Concurrency, ErrorKind, PartialInput, ToolContext, ToolUse};
use std::sync::Arc;

/// Wraps an invoker with a journal.
///
/// - A call whose outcome is recorded gets that outcome, with its change of the context, and nothing runs.
/// - A call that began and has no outcome gets an error result: it may have run.
/// - Before a call runs its intent is written; when that fails it does not run.
/// - A call that was cancelled, deferred or not run before it began is not recorded: it can still run.
#[derive(Clone, Debug)]
pub struct Journaled {
    invoker: Arc<dyn ToolInvoker>,
    journal: Arc<dyn Journal>,
    observer: Arc<dyn Observer>,
}

/// What travels from validation to the decision.
enum Checked {
    /// It goes on.
    Open(Box<Opened>),
    /// It ended in an earlier process and changes the context, so it takes its turn.
    Recorded(Box<Finished>),
}

/// A call that is validated and not yet decided.
struct Opened {
    call: ToolUse,
    prepared: Prepared,
}

/// What travels from the decision to the execution.
struct Decided {
    call: ToolUse,
    ready: Ready,
}

const MAY_HAVE_RUN: &str = "the call was begun by a process that wrote no result of it, so it may have run, and a \
    command of it may still be running; look at what it changed before you repeat it";

impl Journaled {
    /// Calls of `invoker`, written down in `journal`; `observer` hears of outcomes that could not be written.
    #[must_use]
    pub fn new(
        invoker: Arc<dyn ToolInvoker>,
        journal: Arc<dyn Journal>,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self { invoker, journal, observer }
    }

    fn write(&self, call: &ToolUse, ctx: &ToolContext, mut finished: Box<Finished>) -> Box<Finished> {
        let ended = match finished.outcome {
            Outcome::Cancelled | Outcome::NotRun | Outcome::Deferred => false,
            Outcome::Succeeded | Outcome::Failed(_) | Outcome::Invalid | Outcome::Refused => true,
        };
        if ended {
            self.note(call, ctx, &mut finished);
        }
        finished
    }

    /// Writes the outcome of a call; a failure is told, and never loses the result.
    fn note(&self, call: &ToolUse, ctx: &ToolContext, finished: &mut Finished) {
        let record = JournalCall::new(call, ctx.snapshot(), Concurrency::Exclusive);
        if let Err(error) = self.journal.outcome(record, finished) {
            let text = format!(
                "the result of the call `{}` could not be written to the journal: {}",
                call.id,
                chain(&error)
            );
            self.observer.event(&Event::Notice { id: Some(&call.id), text: &text });
        }
    }

    fn refuse(&self, call: &ToolUse, error: &JournalError) -> Finished {
        let text = match error {
            JournalError::OtherCall { .. } => "not run: another call of this session has the same id",
            _ => {
                "not run: the journal of the session cannot be written, so the call could not be answered for \
                after a crash"
            }
        };
        let notice = format!("the call `{}` was not run: {}", call.id, chain(error));
        self.observer.event(&Event::Notice { id: Some(&call.id), text: &notice });
        self.told(Finished::not_run(call, Outcome::Failed(ErrorKind::Unavailable), text))
    }

    /// A result of an earlier process is given again.
    fn again(&self, finished: Finished) -> Finished {
        let id = Arc::clone(&finished.result.tool_use_id);
        let text = format!("the call `{id}` has a result in this session and was not run again");
        self.observer.event(&Event::Notice { id: Some(&id), text: &text });
        self.told(finished)
    }

    /// Whoever watches hears of every result.
    fn told(&self, finished: Finished) -> Finished {
        self.observer.event(&Event::Finished {
            id: &finished.result.tool_use_id,
            tool: &finished.tool,
            outcome: finished.outcome,
            is_error: finished.result.is_error,
            duration: finished.duration,
        });
        finished
    }
}

#[async_trait]
impl ToolInvoker for Journaled {
    fn validate(&self, call: ToolUse, ctx: &ToolContext) -> Step<Prepared> {
        match self.journal.recorded(&call) {
            Ok(JournalRecord::None) => match self.invoker.validate(call.clone(), ctx) {
                Step::Next(prepared) => Step::Next(outer(
                    &call,
                    prepared.concurrency,
                    prepared.accesses.clone(),
                    prepared.changes_context,
                    Arc::clone(&prepared.tool),
                    Box::new(Checked::Open(Box::new(Opened { call: call.clone(), prepared }))),
                )),
                Step::Done(finished) => Step::Done(self.write(&call, ctx, finished)),
            },
            Ok(JournalRecord::Outcome(finished)) if finished.context_change.is_some() => {
                let tool = Arc::clone(&finished.tool);
                let checked = Box::new(Checked::Recorded(finished));
                Step::Next(outer(&call, Concurrency::Exclusive, Accesses::nothing(), true, tool, checked))
            }
            Ok(JournalRecord::Outcome(finished)) => Step::Done(Box::new(self.again(*finished))),
            Ok(_) => {
                let mut finished =
                    Finished::not_run(&call, Outcome::Failed(ErrorKind::Unavailable), MAY_HAVE_RUN);
                self.note(&call, ctx, &mut finished);
                Step::Done(Box::new(self.told(finished)))
            }
            Err(error) => Step::Done(Box::new(self.refuse(&call, &error))),
        }
    }

    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready> {
        let id = Arc::clone(&call.id);
        let Ok(checked) = call.into_payload().downcast::<Checked>() else { return Step::Done(foreign(&id)) };
        let Opened { call, prepared } = match *checked {
            Checked::Open(opened) => *opened,
            Checked::Recorded(finished) => return Step::Done(Box::new(self.again(*finished))),
        };
        match self.invoker.decide(prepared, ctx).await {
            Step::Next(ready) => {
                let (context_generation, rules_generation) =
                    (ready.context_generation, ready.rules_generation);
                let prepared = outer(
                    &call,
                    ready.prepared.concurrency,
                    ready.prepared.accesses.clone(),
                    ready.prepared.changes_context,
                    Arc::clone(&ready.prepared.tool),
                    Box::new(Decided { call: call.clone(), ready }),
                );
                Step::Next(Ready::new(prepared, context_generation, rules_generation))
            }
            Step::Done(finished) => Step::Done(self.write(&call, ctx, finished)),
        }
    }

    async fn execute(&self, ready: Ready, ctx: ToolContext) -> Finished {
        let concurrency = ready.prepared.concurrency;
        let id = Arc::clone(&ready.prepared.id);
        let Ok(decided) = ready.prepared.into_payload().downcast::<Decided>() else { return *foreign(&id) };
        let Decided { call, ready } = *decided;
        if let Err(error) = self.journal.intent(JournalCall::new(&call, ctx.snapshot(), concurrency)) {
            return self.refuse(&call, &error);
        }
        let mut finished = self.invoker.execute(ready, ctx.clone()).await;
        if finished.outcome != Outcome::Deferred {
            self.note(&call, &ctx, &mut finished);
        }
        finished
    }

    fn partial(&self, name: &str) -> Option<Arc<dyn PartialInput>> {
        self.invoker.partial(name)
    }

    async fn finish_batch(&self, finished: &[Finished], ctx: &ToolContext) -> (Vec<String>, Option<String>) {
        self.invoker.finish_batch(finished, ctx).await
    }
}

fn outer(
    call: &ToolUse,
    concurrency: Concurrency,
    accesses: Accesses,
    changes_context: bool,
    tool: Arc<str>,
    payload: Box<dyn std::any::Any + Send + Sync>,
) -> Prepared {
    Prepared::new(Arc::clone(&call.id), tool, concurrency, accesses, changes_context, payload)
}

/// A step was given what this invoker did not make: a bug of whoever drives it.
fn foreign(id: &Arc<str>) -> Box<Finished> {
    let text = "the call failed because of a defect in the tool runtime; the same call will not help";
    let call = ToolUse::new(Arc::clone(id), "unknown", serde_json::Value::Null);
    Box::new(Finished::not_run(&call, Outcome::Failed(ErrorKind::Bug), text))
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
