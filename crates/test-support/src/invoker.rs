//! [`FakeInvoker`]: a pipeline by script, for schedulers. Writes down when each call ran beside which.

use crate::Behaviour;
use async_trait::async_trait;
use pegboard_tool_core::ports::{Finished, Outcome, Prepared, Ready, Step, ToolInvoker};
use pegboard_tool_core::{Accesses, Concurrency, ErrorKind, RawInput, ToolContext, ToolResult, ToolUse};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is decided about a fake call.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum FakeVerdict {
    /// It may run.
    #[default]
    Allow,
    /// It is refused, and the model goes on.
    Refuse(String),
    /// It is refused, and the turn stops.
    RefuseAndStop(String),
    /// It is left open for the host.
    Defer,
    /// It may run, but as an exclusive call that may touch everything: a hook made it stricter.
    Stricter,
    /// The answer takes this long, then it may run. Cancellation ends the wait.
    Slow(Duration),
}

/// The script of one call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FakeCall {
    /// Whether it may run beside others.
    pub concurrency: Concurrency,
    /// What it may touch.
    pub accesses: Accesses,
    /// Whether it may end with a context change.
    pub changes_context: bool,
    /// Whether validation refuses it.
    pub invalid: bool,
    /// What is decided.
    pub verdict: FakeVerdict,
    /// What happens when it runs.
    pub behaviour: Behaviour,
}

impl FakeCall {
    /// A shared call that touches nothing.
    #[must_use]
    pub fn shared(behaviour: Behaviour) -> Self {
        Self {
            concurrency: Concurrency::Shared,
            accesses: Accesses::nothing(),
            changes_context: false,
            invalid: false,
            verdict: FakeVerdict::Allow,
            behaviour,
        }
    }

    /// An exclusive call that may touch everything and change the context.
    #[must_use]
    pub fn exclusive(behaviour: Behaviour) -> Self {
        Self {
            concurrency: Concurrency::Exclusive,
            accesses: Accesses::Everything,
            changes_context: true,
            ..Self::shared(behaviour)
        }
    }

    /// A call that validation refuses.
    #[must_use]
    pub fn invalid() -> Self {
        Self { invalid: true, ..Self::shared(Behaviour::Succeed) }
    }

    /// The same call with what it touches.
    #[must_use]
    pub fn with_accesses(self, accesses: Accesses) -> Self {
        Self { accesses, ..self }
    }

    /// The same call with another verdict.
    #[must_use]
    pub fn with_verdict(self, verdict: FakeVerdict) -> Self {
        Self { verdict, ..self }
    }

    /// The same call, which says whether it may end with a context change.
    #[must_use]
    pub fn with_changes_context(self, changes_context: bool) -> Self {
        Self { changes_context, ..self }
    }
}

/// One execution that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FakeRun {
    /// Id of the call.
    pub id: Arc<str>,
    /// Whether it ran as a shared or an exclusive call.
    pub concurrency: Concurrency,
    /// Ids of the calls that ran at some time beside it.
    pub beside: BTreeSet<Arc<str>>,
    /// Working directory that it saw.
    pub cwd: PathBuf,
    /// Generation of the context that it saw.
    pub generation: u64,
    /// Generation of the context under which it was decided.
    pub decided_under: u64,
    /// Whether it came to its end; one that was dropped did not.
    pub ended: bool,
}

#[derive(Debug, Default)]
struct Log {
    runs: Vec<FakeRun>,
    running: BTreeSet<Arc<str>>,
    most: usize,
    decided: Vec<Arc<str>>,
    events: Vec<String>,
}

/// A pipeline by script. A call is looked up by its id, then by its name; without a script it is unknown.
#[derive(Debug, Default)]
pub struct FakeInvoker {
    calls: BTreeMap<String, FakeCall>,
    batch: (Vec<String>, Option<String>),
    log: Arc<Mutex<Log>>,
}

impl FakeInvoker {
    /// Knows no call.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Knows one call more, by its id or its name.
    #[must_use]
    pub fn with(mut self, id_or_name: impl Into<String>, call: FakeCall) -> Self {
        self.calls.insert(id_or_name.into(), call);
        self
    }

    /// Answers every finished batch with these texts and this stop.
    #[must_use]
    pub fn with_batch(self, messages: Vec<String>, stop: Option<String>) -> Self {
        Self { batch: (messages, stop), ..self }
    }

    /// What ran, in the order of the starts.
    #[must_use]
    pub fn runs(&self) -> Vec<FakeRun> {
        self.log().runs.clone()
    }

    /// Ids that were decided about, in that order.
    #[must_use]
    pub fn decided(&self) -> Vec<Arc<str>> {
        self.log().decided.clone()
    }

    /// `start ID` and `end ID` in the order in which they happened, and `batch N` for each finished batch.
    #[must_use]
    pub fn events(&self) -> Vec<String> {
        self.log().events.clone()
    }

    /// Most calls that ran at one time.
    #[must_use]
    pub fn most_at_once(&self) -> usize {
        self.log().most
    }

    /// Ids of the calls that run now.
    #[must_use]
    pub fn running(&self) -> Vec<Arc<str>> {
        self.log().running.iter().cloned().collect()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    fn script(&self, call: &ToolUse) -> Option<FakeCall> {
        self.calls.get(&*call.id).or_else(|| self.calls.get(&*call.name)).cloned()
    }
}

fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Payload {
    call: ToolUse,
    script: FakeCall,
}

/// Notes the end of a run, also when it is dropped.
struct Running {
    log: Arc<Mutex<Log>>,
    index: usize,
    ended: bool,
}

impl Running {
    fn start(log: &Arc<Mutex<Log>>, ready: &Ready, ctx: &ToolContext) -> Self {
        let id = Arc::clone(&ready.prepared.id);
        let mut held = lock(log);
        let beside = held.running.clone();
        for run in held.runs.iter_mut().filter(|run| beside.contains(&run.id)) {
            run.beside.insert(Arc::clone(&id));
        }
        held.running.insert(Arc::clone(&id));
        held.most = held.most.max(held.running.len());
        held.events.push(format!("start {id}"));
        let index = held.runs.len();
        held.runs.push(FakeRun {
            id,
            concurrency: ready.prepared.concurrency,
            beside,
            cwd: ctx.cwd.clone(),
            generation: ctx.generation,
            decided_under: ready.context_generation,
            ended: false,
        });
        drop(held);
        Self { log: Arc::clone(log), index, ended: false }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut log = lock(&self.log);
        let Some(run) = log.runs.get_mut(self.index) else { return };
        run.ended = self.ended;
        let id = Arc::clone(&run.id);
        log.events.push(format!("end {id}"));
        log.running.remove(&id);
    }
}

fn input_of(call: &ToolUse) -> Arc<Value> {
    match &call.input {
        RawInput::Json(input) => Arc::clone(input),
        RawInput::Unreadable(text) => Arc::new(Value::String(text.to_string())),
    }
}

#[async_trait]
impl ToolInvoker for FakeInvoker {
    fn validate(&self, call: ToolUse, _ctx: &ToolContext) -> Step<Prepared> {
        let Some(script) = self.script(&call) else {
            let text = format!("there is no tool `{}`", call.name);
            return Step::Done(Box::new(Finished::not_run(&call, Outcome::Invalid, text)));
        };
        if script.invalid {
            return Step::Done(Box::new(Finished::not_run(&call, Outcome::Invalid, "invalid")));
        }
        Step::Next(Prepared::new(
            Arc::clone(&call.id),
            Arc::clone(&call.name),
            script.concurrency,
            script.accesses.clone(),
            script.changes_context,
            Box::new(Payload { call, script }),
        ))
    }

    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready> {
        self.log().decided.push(Arc::clone(&call.id));
        let mut call = call;
        let Some(payload) = call.payload().downcast_ref::<Payload>() else {
            let text = "this call was validated by somebody else";
            let result = ToolResult::error(Arc::clone(&call.id), text);
            let input = Arc::new(Value::Null);
            return Step::Done(Box::new(Finished::new(result, call.tool, input, Outcome::NotRun)));
        };
        let end = |outcome, text: &str| Finished::not_run(&payload.call, outcome, text);
        let mut stricter = false;
        let finished = match payload.script.verdict.clone() {
            FakeVerdict::Allow => None,
            FakeVerdict::Refuse(text) => Some(end(Outcome::Refused, &text)),
            FakeVerdict::RefuseAndStop(text) => {
                let mut finished = end(Outcome::Refused, &text);
                finished.stop = Some(text);
                Some(finished)
            }
            FakeVerdict::Defer => Some(end(Outcome::Deferred, "deferred")),
            FakeVerdict::Stricter => {
                stricter = true;
                None
            }
            FakeVerdict::Slow(time) => {
                let waited = ctx.cancel.run_until_cancelled(tokio::time::sleep(time)).await;
                waited.is_none().then(|| end(Outcome::Cancelled, "interrupted"))
            }
        };
        match finished {
            Some(finished) => Step::Done(Box::new(finished)),
            None if stricter => {
                call.concurrency = Concurrency::Exclusive;
                call.accesses = Accesses::Everything;
                Step::Next(Ready::new(call, ctx.generation, 0))
            }
            None => Step::Next(Ready::new(call, ctx.generation, 0)),
        }
    }

    async fn execute(&self, call: Ready, ctx: ToolContext) -> Finished {
        let mut running = Running::start(&self.log, &call, &ctx);
        let id = Arc::clone(&call.prepared.id);
        let tool = Arc::clone(&call.prepared.tool);
        let Ok(payload) = call.prepared.into_payload().downcast::<Payload>() else {
            let result = ToolResult::error(id, "this call was validated by somebody else");
            return Finished::new(result, tool, Arc::new(Value::Null), Outcome::NotRun);
        };
        let input = input_of(&payload.call);
        let done = |text: String| {
            Finished::new(
                ToolResult::text(Arc::clone(&id), text),
                Arc::clone(&tool),
                Arc::clone(&input),
                Outcome::Succeeded,
            )
        };
        let failed = |outcome, text: String| {
            Finished::new(
                ToolResult::error(Arc::clone(&id), text),
                Arc::clone(&tool),
                Arc::clone(&input),
                outcome,
            )
        };
        let cancelled = || failed(Outcome::Cancelled, "the call was interrupted".to_owned());
        let echo = || done(input.to_string());
        let finished = match payload.script.behaviour {
            Behaviour::Succeed => echo(),
            Behaviour::Text(text) => done(text),
            Behaviour::Fail(kind, text) => failed(Outcome::Failed(kind), text),
            Behaviour::Panic(text) => failed(Outcome::Failed(ErrorKind::Bug), text),
            Behaviour::Sleep(time) => match ctx.cancel.run_until_cancelled(tokio::time::sleep(time)).await {
                Some(()) => echo(),
                None => cancelled(),
            },
            Behaviour::Deaf(time) => {
                tokio::time::sleep(time).await;
                echo()
            }
            Behaviour::Progress(times, pause) => {
                for _ in 0..times {
                    tokio::time::sleep(pause).await;
                }
                echo()
            }
            Behaviour::UntilCancelled => {
                ctx.cancel.cancelled().await;
                cancelled()
            }
            Behaviour::UntilNotified(notify) => match ctx.cancel.run_until_cancelled(notify.notified()).await
            {
                Some(()) => echo(),
                None => cancelled(),
            },
            Behaviour::Change(change) => {
                let mut finished = echo();
                finished.context_change = Some(change);
                finished
            }
            Behaviour::Stop(text) => {
                let mut finished = echo();
                finished.stop = Some(text);
                finished
            }
        };
        running.ended = true;
        finished
    }

    async fn finish_batch(&self, finished: &[Finished], _ctx: &ToolContext) -> (Vec<String>, Option<String>) {
        self.log().events.push(format!("batch {}", finished.len()));
        self.batch.clone()
    }
}
