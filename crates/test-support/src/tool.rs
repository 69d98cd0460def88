//! [`FakeTool`]: a tool that does what a test tells it, and writes down what it was called with.

use crate::Behaviour;
use async_trait::async_trait;
use pegboard_tool_core::{
    Accesses, Availability, Concurrency, DynTool, Effects, Grant, InvalidInput, Invocation, ProgressSink,
    RawOutput, ResultContent, ToolCheck, ToolContext, ToolDefinition, ToolEnv, ToolError,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One call of a fake tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolLog {
    /// Id of the call.
    pub id: Arc<str>,
    /// Input, as it ran.
    pub input: Arc<Value>,
    /// What was judged.
    pub grant: Grant,
    /// Working directory.
    pub cwd: PathBuf,
}

/// A tool by script. Unless told otherwise it is exclusive and reads nothing.
///
/// Any object is an input, but one with the key `unfit`. `file_path` is made absolute in the view when
/// [`FakeTool::backfills`] was called. Its structured output is a text.
#[derive(Clone, Debug)]
pub struct FakeTool {
    definition: ToolDefinition,
    concurrency: Concurrency,
    effects: Effects,
    accesses: Accesses,
    changes_context: bool,
    time_limit: Option<Duration>,
    behaviour: Behaviour,
    check: ToolCheck,
    invalid: Option<String>,
    backfills: bool,
    log: Arc<Mutex<Vec<ToolLog>>>,
}

impl FakeTool {
    /// An exclusive tool that succeeds and answers with its input.
    ///
    /// # Panics
    /// When `name` is no tool name.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test that misnames its tool is wrong")]
    pub fn new(name: &str) -> Self {
        let definition = ToolDefinition::new(name, "A fake.", json!({ "type": "object" }));
        Self {
            definition: definition.expect("the name is a tool name"),
            concurrency: Concurrency::Exclusive,
            effects: Effects::ReadOnly,
            accesses: Accesses::nothing(),
            changes_context: true,
            time_limit: None,
            behaviour: Behaviour::Succeed,
            check: ToolCheck::PassThrough,
            invalid: None,
            backfills: false,
            log: Arc::default(),
        }
    }

    /// The same tool, whose calls may run beside others and change no context.
    #[must_use]
    pub fn shared(self) -> Self {
        Self { concurrency: Concurrency::Shared, changes_context: false, ..self }
    }

    /// The same tool with another behaviour.
    #[must_use]
    pub fn behaving(self, behaviour: Behaviour) -> Self {
        Self { behaviour, ..self }
    }

    /// The same tool with its own word on permissions.
    #[must_use]
    pub fn checking(self, check: ToolCheck) -> Self {
        Self { check, ..self }
    }

    /// The same tool, whose own validation refuses everything with this text.
    #[must_use]
    pub fn refusing_input(self, text: impl Into<String>) -> Self {
        Self { invalid: Some(text.into()), ..self }
    }

    /// The same tool with what it touches.
    #[must_use]
    pub fn touching(self, effects: Effects, accesses: Accesses) -> Self {
        Self { effects, accesses, ..self }
    }

    /// The same tool with a time limit of its own.
    #[must_use]
    pub fn limited(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// The same tool, which makes `file_path` absolute for hooks and rules.
    #[must_use]
    pub fn backfills(self) -> Self {
        Self { backfills: true, ..self }
    }

    /// The same tool with a changed definition.
    #[must_use]
    pub fn defined(mut self, change: impl FnOnce(&mut ToolDefinition)) -> Self {
        change(&mut self.definition);
        self
    }

    /// The tool as layers hold it. What it is called with is still seen by [`FakeTool::calls`] of `self`.
    #[must_use]
    pub fn tool(&self) -> Arc<dyn DynTool> {
        Arc::new(self.clone())
    }

    /// What it was called with.
    #[must_use]
    pub fn calls(&self) -> Vec<ToolLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl DynTool for FakeTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn availability(&self, _env: &ToolEnv) -> Availability {
        Availability::Here
    }

    fn prepare(&self, input: Arc<Value>, ctx: &ToolContext) -> Result<Box<dyn Invocation>, InvalidInput> {
        if input.get("unfit").is_some() {
            return Err(InvalidInput::new("`unfit` does not fit"));
        }
        let mut view = Arc::clone(&input);
        if self.backfills
            && let Some(Value::String(path)) = Arc::make_mut(&mut view).get_mut("file_path")
        {
            *path = ctx.absolute(&*path).to_string_lossy().into_owned();
        }
        Ok(Box::new(FakeInvocation { tool: self.clone(), input, view }))
    }

    fn map_output(&self, data: &Value) -> Result<Vec<ResultContent>, InvalidInput> {
        match data {
            Value::String(text) => Ok(vec![ResultContent::Text(text.clone())]),
            _ => Err(InvalidInput::new("the output of a fake is a text")),
        }
    }
}

#[derive(Debug)]
struct FakeInvocation {
    tool: FakeTool,
    input: Arc<Value>,
    view: Arc<Value>,
}

#[async_trait]
impl Invocation for FakeInvocation {
    fn concurrency(&self) -> Concurrency {
        self.tool.concurrency
    }

    fn effects(&self) -> Effects {
        self.tool.effects
    }

    fn accesses(&self) -> &Accesses {
        &self.tool.accesses
    }

    fn changes_context(&self) -> bool {
        self.tool.changes_context
    }

    fn time_limit(&self) -> Option<Duration> {
        self.tool.time_limit
    }

    fn view(&self) -> &Value {
        &self.view
    }

    fn describe(&self) -> String {
        self.tool.definition.name.to_string()
    }

    fn render_use(&self) -> Option<String> {
        None
    }

    async fn validate(&self) -> Result<(), InvalidInput> {
        self.tool.invalid.clone().map_or(Ok(()), |text| Err(InvalidInput::new(text)))
    }

    async fn check_permissions(&self) -> ToolCheck {
        self.tool.check.clone()
    }

    async fn call(
        self: Box<Self>,
        grant: Grant,
        ctx: ToolContext,
        progress: Arc<dyn ProgressSink>,
    ) -> Result<RawOutput, ToolError> {
        let (id, cwd) = (Arc::clone(&ctx.call_id), ctx.cwd.clone());
        let log = ToolLog { id, input: Arc::clone(&self.input), grant, cwd };
        self.tool.log.lock().unwrap_or_else(PoisonError::into_inner).push(log);
        let echo = self.input.to_string();
        run(self.tool.behaviour, echo, &ctx, &*progress).await
    }
}

#[expect(clippy::panic, reason = "panicking is one of the behaviours")]
async fn run(
    behaviour: Behaviour,
    echo: String,
    ctx: &ToolContext,
    progress: &dyn ProgressSink,
) -> Result<RawOutput, ToolError> {
    let cancel = &ctx.cancel;
    match behaviour {
        Behaviour::Succeed | Behaviour::Stop(_) => Ok(output(echo)),
        Behaviour::Text(text) => Ok(output(text)),
        Behaviour::Fail(kind, text) => Err(ToolError::new(kind, text)),
        Behaviour::Panic(text) => panic!("{text}"),
        Behaviour::Sleep(time) => match cancel.run_until_cancelled(tokio::time::sleep(time)).await {
            Some(()) => Ok(output(echo)),
            None => Err(ToolError::cancelled()),
        },
        Behaviour::Deaf(time) => {
            tokio::time::sleep(time).await;
            Ok(output(echo))
        }
        Behaviour::Progress(times, pause) => {
            for step in 0..times {
                tokio::time::sleep(pause).await;
                progress.progress(json!(step));
            }
            Ok(output(echo))
        }
        Behaviour::UntilCancelled => {
            cancel.cancelled().await;
            Err(ToolError::cancelled())
        }
        Behaviour::UntilNotified(notify) => match cancel.run_until_cancelled(notify.notified()).await {
            Some(()) => Ok(output(echo)),
            None => Err(ToolError::cancelled()),
        },
        Behaviour::Change(change) => {
            let mut output = output(echo);
            output.context_change = Some(change);
            Ok(output)
        }
    }
}

fn output(text: String) -> RawOutput {
    RawOutput::new(Value::String(text.clone()), vec![ResultContent::Text(text)])
}
