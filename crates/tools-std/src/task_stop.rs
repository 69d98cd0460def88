//! TaskStop: ends a background task with everything that it started.
//!
//! The model may expect: the processes get a polite signal and a moment, then the hard one; when the
//! call returns they are gone. What was printed stays in the task's file.

use crate::input;
use crate::shell::task::short;
use crate::shell::task_state::changes_tasks;
use crate::shell::{TaskKind, Tasks};
use pegboard_tool_core::{
    Accesses, Availability, Concurrency, Effects, ErrorKind, InvalidInput, Progress, ResultContent, Tool,
    ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Time that ending may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Ends background tasks.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TaskStop;

impl TaskStop {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// Input of [`TaskStop`]: one of the two.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TaskStopInput {
    /// Id of the task, such as `bash_1`.
    #[serde(default)]
    pub task_id: Option<String>,
    /// Old name of `task_id`.
    #[serde(default)]
    pub shell_id: Option<String>,
}

impl TaskStopInput {
    fn id(&self) -> Result<&str, InvalidInput> {
        match (&self.task_id, &self.shell_id) {
            (Some(id), None) | (None, Some(id)) => Ok(id),
            (Some(id), Some(other)) if id == other => Ok(id),
            (Some(_), Some(_)) => {
                Err(InvalidInput::new("`task_id` and `shell_id` differ; give `task_id` only"))
            }
            (None, None) => {
                Err(InvalidInput::new("`task_id` is missing; give the id of a task, such as bash_1"))
            }
        }
    }
}

/// Output of [`TaskStop`].
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct TaskStopOutput {
    /// What happened.
    pub message: String,
    /// Id of the task.
    pub task_id: String,
    /// Which tool started it.
    pub task_type: TaskKind,
    /// What it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Tool for TaskStop {
    type Input = TaskStopInput;
    type Output = TaskStopOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "TaskStop"
    }

    fn description(&self) -> String {
        "Ends a background task, with every process that it started, by its id.".to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.effects = Effects::Writes;
        definition.examples = vec![serde_json::json!({"task_id": "bash_1"})];
        ["task_stop", "KillShell"].into_iter().fold(definition, input::with_alias)
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        crate::shell::background_availability(env)
    }

    fn effects(&self, _input: &TaskStopInput, _ctx: &ToolContext) -> Effects {
        // Tasks of this session and nothing else.
        Effects::Writes
    }

    fn accesses(&self, _input: &TaskStopInput, _ctx: &ToolContext) -> Accesses {
        Accesses::Only(Arc::from([changes_tasks()]))
    }

    fn concurrency(&self, _input: &TaskStopInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    fn changes_context(&self, _input: &TaskStopInput, _ctx: &ToolContext) -> bool {
        false
    }

    fn time_limit(&self, _input: &TaskStopInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(LIMIT)
    }

    async fn validate(&self, input: &TaskStopInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        input::check_text("task_id", input.id()?)
    }

    async fn call(
        &self,
        input: TaskStopInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<TaskStopOutput>, ToolError> {
        let id = input.id().map_err(|error| ToolError::new(ErrorKind::InvalidInput, error.text))?;
        let task = ctx.session.of::<Tasks>().known(id, &ctx).await?;
        if let Some(end) = task.view().end {
            task.told.store(true, Ordering::Relaxed);
            let text = format!("{} is over already: it {}", task.in_short(), end.in_words());
            return Err(ToolError::failed(text));
        }
        task.stop.cancel();
        tokio::select! {
            biased;
            // It ends all the same.
            () = ctx.cancel.cancelled() => return Err(ToolError::cancelled()),
            () = task.ended() => {}
        }
        task.told.store(true, Ordering::Relaxed);
        let view = task.view();
        let end = view.end.map_or_else(|| "was stopped".to_owned(), |end| end.in_words());
        Ok(ToolOutput::new(TaskStopOutput {
            message: format!("{} {end}", task.in_short()),
            task_id: view.id,
            task_type: view.kind,
            command: Some(view.command),
        }))
    }

    fn to_result(&self, output: &TaskStopOutput) -> Vec<ResultContent> {
        vec![ResultContent::Text(output.message.clone())]
    }

    fn describe(&self, input: &TaskStopInput) -> String {
        format!("Stop {}", short(input.id().unwrap_or("a task")))
    }
}
