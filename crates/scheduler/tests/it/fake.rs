//! An invoker that does what the input of a call says, and remembers what overlapped.

use async_trait::async_trait;
use pegboard_scheduler::Scheduler;
use pegboard_tool_core::ports::{
    Finished, Outcome, Prepared, Ready, Step, StopReason, ToolInvoker, TurnEvent, TurnExecutor, TurnOutcome,
};
use pegboard_tool_core::{
    Access, AccessMode, Accesses, Concurrency, ContextChange, ContextSnapshot, ErrorKind, PartialInput,
    RawInput, Resource, ToolContext, ToolResult, ToolUse,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was seen while calls ran.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    running: Vec<(String, Concurrency)>,
    /// Most shared calls at once.
    pub(crate) most: usize,
    /// Pairs that overlapped although one of them was exclusive.
    pub(crate) overlaps: Vec<(String, String)>,
    /// Ids in the order in which they began to execute, with the working directory.
    pub(crate) began: Vec<(String, String)>,
    /// How many results each call of `finish_batch` was given.
    pub(crate) batches: Vec<usize>,
    /// Ids in the order in which they began to execute, with the millisecond.
    pub(crate) times: Vec<(String, u128)>,
    /// What calls wrote, by file.
    pub(crate) files: BTreeMap<String, String>,
    /// What was painted.
    pub(crate) painted: Vec<String>,
    /// When the turn began.
    pub(crate) since: Option<tokio::time::Instant>,
}

#[derive(Clone, Debug)]
pub(crate) struct FakeInvoker {
    pub(crate) seen: Arc<Mutex<Seen>>,
}

impl Default for FakeInvoker {
    fn default() -> Self {
        let seen = Seen { since: Some(tokio::time::Instant::now()), ..Seen::default() };
        Self { seen: Arc::new(Mutex::new(seen)) }
    }
}

fn script(call: &ToolUse) -> Arc<Value> {
    match &call.input {
        RawInput::Json(input) => Arc::clone(input),
        RawInput::Unreadable(_) => Arc::new(Value::Null),
    }
}

fn payload(prepared: Prepared) -> ToolUse {
    *prepared.into_payload().downcast::<ToolUse>().unwrap_or_else(|_| panic!("another invoker's payload"))
}

fn concurrency(input: &Value) -> Concurrency {
    if input["shared"] == json!(true) { Concurrency::Shared } else { Concurrency::Exclusive }
}

fn prepare(call: ToolUse, concurrency: Concurrency) -> Prepared {
    let input = script(&call);
    let accesses = accesses(&input);
    let changes = concurrency == Concurrency::Exclusive && accesses == Accesses::Everything;
    let id = Arc::clone(&call.id);
    Prepared::new(id, "Fake".into(), concurrency, accesses, changes, Box::new(call))
}

/// What the script says that it touches; everything when it says nothing.
fn accesses(input: &Value) -> Accesses {
    if input["reads"] == json!(true) {
        return Accesses::nothing();
    }
    let Some(touches) = input["touches"].as_array() else { return Accesses::Everything };
    let of = |touch: &Value| {
        let (how, path) = touch.as_object().and_then(|touch| touch.iter().next()).unwrap();
        let path = path.as_str().unwrap().into();
        match how.as_str() {
            "read" => Access::read(Resource::File(path)),
            "write" => Access::write(Resource::File(path)),
            "read_tree" => Access::read(Resource::Tree(path)),
            _ => Access::write(Resource::Tree(path)),
        }
    };
    Accesses::Only(touches.iter().map(of).collect())
}

/// Files that a resource stands for, among those that exist.
fn named(files: &BTreeMap<String, String>, resource: &Resource) -> Vec<String> {
    match resource {
        Resource::File(path) => vec![path.display().to_string()],
        Resource::Tree(path) => {
            files.keys().filter(|file| std::path::Path::new(file).starts_with(path)).cloned().collect()
        }
        _ => Vec::new(),
    }
}

#[async_trait]
impl ToolInvoker for FakeInvoker {
    fn validate(&self, call: ToolUse, _ctx: &ToolContext) -> Step<Prepared> {
        let input = script(&call);
        assert!(input["do"] != json!("panic-in-validate"), "as told");
        if input["do"] == json!("invalid") {
            return Step::Done(Box::new(Finished::not_run(&call, Outcome::Invalid, "invalid")));
        }
        Step::Next(prepare(call, concurrency(&input)))
    }

    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready> {
        let concurrency = call.concurrency;
        let call = payload(call);
        let input = script(&call);
        assert!(input["do"] != json!("panic-in-decide"), "as told");
        if let Some(ms) = input["decide_ms"].as_u64() {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(ms)) => {}
                () = ctx.cancel.cancelled() => {
                    return Step::Done(Box::new(Finished::not_run(&call, Outcome::Cancelled, "interrupted")));
                }
            }
        }
        if input["do"] == json!("refuse") {
            return Step::Done(Box::new(Finished::not_run(&call, Outcome::Refused, "refused")));
        }
        if input["do"] == json!("refuse-and-stop") {
            let mut finished = Finished::not_run(&call, Outcome::Refused, "refused");
            finished.stop = Some("a person refused".to_owned());
            return Step::Done(Box::new(finished));
        }
        let stricter = if input["do"] == json!("stricter") { Concurrency::Exclusive } else { concurrency };
        Step::Next(Ready::new(prepare(call, stricter), ctx.generation, 0))
    }

    async fn execute(&self, call: Ready, ctx: ToolContext) -> Finished {
        let concurrency = call.prepared.concurrency;
        let call = payload(call.prepared);
        let input = script(&call);
        let running = Running::begin(&self.seen, &call.id, concurrency, &ctx);
        let read = self.read(&input);
        let ms = input["ms"].as_u64().unwrap_or(1);
        let cancelled = tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(ms)) => false,
            () = ctx.cancel.cancelled() => true,
        };
        if cancelled {
            return Finished::not_run(&call, Outcome::Cancelled, "interrupted");
        }
        let read = self.write(&input, &call.id, read);
        drop(running);
        assert!(input["do"] != json!("panic"), "as told");
        let failed = input["do"] == json!("fail");
        let mut result = ToolResult::text(Arc::clone(&call.id), format!("done {}{read}", call.id));
        result.is_error = failed;
        let outcome = if failed { Outcome::Failed(ErrorKind::Failed) } else { Outcome::Succeeded };
        let tool = input["tool"].as_str().unwrap_or("Fake").to_owned();
        let mut finished = Finished::new(result, tool, Arc::clone(&input), outcome);
        if let Some(path) = input["cd"].as_str() {
            finished.context_change = Some(ContextChange::Cwd(path.into()));
        }
        if input["do"] == json!("stop") {
            finished.stop = Some("a hook said so".to_owned());
        }
        if let Some(message) = input["say"].as_str() {
            finished.messages.push(message.to_owned());
        }
        finished
    }

    fn partial(&self, _name: &str) -> Option<Arc<dyn PartialInput>> {
        Some(Arc::new(self.clone()))
    }

    async fn finish_batch(&self, finished: &[Finished], _ctx: &ToolContext) -> (Vec<String>, Option<String>) {
        self.seen.lock().unwrap_or_else(|_| panic!("poisoned")).batches.push(finished.len());
        assert!(finished.iter().all(|call| call.input["do"] != json!("panic-in-batch")), "as told");
        (vec![format!("batch of {}", finished.len())], None)
    }
}

impl PartialInput for FakeInvoker {
    fn input(&self, _call_id: &str, text_so_far: &str) {
        self.seen.lock().unwrap().painted.push(text_so_far.to_owned());
    }
}

impl FakeInvoker {
    /// What the files hold that the script says it touches, when it begins.
    fn read(&self, input: &Value) -> String {
        let Accesses::Only(all) = accesses(input) else { return String::new() };
        let seen = self.seen.lock().unwrap();
        let names = all.iter().flat_map(|access| named(&seen.files, &access.resource));
        names.map(|name| format!(" {name}={}", seen.files.get(&name).map_or("", String::as_str))).collect()
    }

    /// Writes to the files that the script says it writes, when it ends; gives what it read, shortened.
    fn write(&self, input: &Value, id: &str, read: String) -> String {
        let read = if read.len() > 60 { format!(" #{}", hash(&read)) } else { read };
        if let Accesses::Only(all) = accesses(input) {
            let mut seen = self.seen.lock().unwrap();
            for access in all.iter().filter(|access| access.mode == AccessMode::Write) {
                for name in named(&seen.files, &access.resource) {
                    let content = format!("{id}@{}", hash(&read));
                    seen.files.insert(name, content);
                }
            }
        }
        read
    }
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

struct Running<'a> {
    seen: &'a Mutex<Seen>,
    id: String,
}

impl<'a> Running<'a> {
    fn begin(seen: &'a Mutex<Seen>, id: &str, concurrency: Concurrency, ctx: &ToolContext) -> Self {
        let mut now = seen.lock().unwrap_or_else(|_| panic!("poisoned"));
        let beside: Vec<(String, Concurrency)> = now.running.clone();
        for (other, theirs) in beside {
            if concurrency == Concurrency::Exclusive || theirs == Concurrency::Exclusive {
                now.overlaps.push((other, id.to_owned()));
            }
        }
        now.running.push((id.to_owned(), concurrency));
        now.most = now.most.max(now.running.len());
        now.began.push((id.to_owned(), ctx.cwd.display().to_string()));
        let since = now.since.map_or(0, |since| since.elapsed().as_millis());
        now.times.push((id.to_owned(), since));
        drop(now);
        Self { seen, id: id.to_owned() }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.running.retain(|(id, _)| *id != self.id);
        }
    }
}

/// A call `id` whose input is the script.
pub(crate) fn call(id: impl ToString, script: Value) -> ToolUse {
    ToolUse::new(id.to_string(), "Fake", script)
}

/// Runs calls with a limit, in a context that the caller may cancel.
pub(crate) async fn run(
    calls: Vec<ToolUse>,
    limit: usize,
    ctx: ToolContext,
) -> (TurnOutcome, Arc<Mutex<Seen>>) {
    let invoker = FakeInvoker::default();
    let seen = Arc::clone(&invoker.seen);
    let limit = NonZeroUsize::new(limit).unwrap_or(NonZeroUsize::MIN);
    let batches = Scheduler::new(Arc::new(invoker)).with_max_concurrency(limit);
    let mut events: VecDeque<TurnEvent> = calls.into_iter().map(TurnEvent::CallReady).collect();
    events.push_back(TurnEvent::Ended(StopReason::ToolUse));
    (batches.run(Box::new(events), ctx).await, seen)
}

/// A context in `/w`.
pub(crate) fn ctx() -> ToolContext {
    ToolContext::new(Arc::new(ContextSnapshot::new("/w", "s")))
}

/// The texts of all results.
pub(crate) fn texts(outcome: &TurnOutcome) -> Vec<String> {
    outcome
        .calls
        .iter()
        .map(|call| format!("{}: {}", call.result.tool_use_id, call.result.joined_text()))
        .collect()
}
