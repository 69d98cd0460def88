//! Sleep: waits, and wakes early when a background task has news or the session's bell rings ([`Wakeups`]). At most an
//! hour a call.

use super::by_flag;
use super::wakeups::{Wakeup, Wakeups};
use crate::input::with_alias;
#[cfg(unix)]
use crate::shell::{TaskEvent, Tasks};
use pegboard_tool_core::{
    Accesses, Availability, Concurrency, Effects, InvalidInput, Progress, ResultContent, Tool, ToolContext,
    ToolDefinition, ToolEnv, ToolError, ToolOutput, Violation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Longest sleep, in seconds.
const MOST_SECONDS: f64 = 3_600.0;
/// Time that a call needs beyond its sleep.
const OVERHEAD: Duration = Duration::from_secs(15);

/// Waits.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Sleep {}

/// Input of [`Sleep`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SleepInput {
    /// How long, in seconds: above 0, at most 3600. Parts of a second count.
    pub seconds: f64,
    /// What is waited for, in a few words; people see it.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Output of [`Sleep`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SleepOutput {
    /// How long it slept, in milliseconds.
    pub slept_ms: u64,
    /// How long it was asked to sleep, in milliseconds.
    pub asked_ms: u64,
    /// What ended the sleep early, oldest first; empty when the time was over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub woken_by: Vec<WokenBy>,
}

/// Something that ended a sleep.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WokenBy {
    /// Whose news it is.
    pub source: String,
    /// What happened.
    pub text: String,
}

impl Sleep {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl SleepInput {
    fn duration(&self) -> Option<Duration> {
        let is_fine = self.seconds > 0.0 && self.seconds <= MOST_SECONDS;
        is_fine.then(|| Duration::try_from_secs_f64(self.seconds).ok()).flatten()
    }
}

impl Tool for Sleep {
    type Input = SleepInput;
    type Output = SleepOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Sleep"
    }

    fn description(&self) -> String {
        "Waits for a time, at most an hour, without using a shell. Wakes early when something happens that was waited \
         for, such as the end of a background task, and says what. Better than a `sleep` command: it can be \
         interrupted and runs beside other calls."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.examples =
            vec![serde_json::json!({"seconds": 60, "reason": "the build runs in the background"})];
        with_alias(definition, "sleep")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        by_flag(env, &["sleep", "kairos"])
    }

    fn concurrency(&self, _input: &SleepInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &SleepInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, _input: &SleepInput, _ctx: &ToolContext) -> Accesses {
        Accesses::nothing()
    }

    fn time_limit(&self, input: &SleepInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(input.duration().unwrap_or_default() + OVERHEAD)
    }

    async fn validate(&self, input: &SleepInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        if input.duration().is_some() {
            return Ok(());
        }
        let text = format!(
            "`seconds` is {}; it must be above 0 and at most 3600. Sleep again to wait longer",
            input.seconds
        );
        Err(InvalidInput::with_violations(text.clone(), vec![Violation::new("/seconds", text)]))
    }

    fn describe(&self, input: &SleepInput) -> String {
        match &input.reason {
            Some(reason) => format!("Sleep {} s: {reason}", input.seconds),
            None => format!("Sleep {} s", input.seconds),
        }
    }

    async fn call(
        &self,
        input: SleepInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<SleepOutput>, ToolError> {
        let asked = input.duration().unwrap_or_default();
        let wakeups = ctx.session.of::<Wakeups>();
        let mut listener = wakeups.listen();
        let began = Instant::now();
        let news = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return Err(ToolError::cancelled()),
            news = listener.news() => news.into_iter().map(WokenBy::from).collect(),
            news = of_tasks(&ctx) => news,
            () = sleep_until(began + asked) => Vec::new(),
        };
        Ok(ToolOutput::new(SleepOutput {
            slept_ms: milliseconds(began.elapsed()),
            asked_ms: milliseconds(asked),
            woken_by: news,
        }))
    }

    fn to_result(&self, output: &SleepOutput) -> Vec<ResultContent> {
        let seconds = |ms: u64| format!("{}.{:03} s", ms / 1_000, ms % 1_000);
        let slept = seconds(output.slept_ms);
        if output.woken_by.is_empty() {
            return vec![ResultContent::Text(format!("Slept {slept}; the time is over."))];
        }
        let mut text = format!("Woke after {slept} of {}:", seconds(output.asked_ms));
        for WokenBy { source, text: what } in &output.woken_by {
            text.push_str(&format!("\n- {source}: {what}"));
        }
        vec![ResultContent::Text(text)]
    }
}

impl From<Wakeup> for WokenBy {
    fn from(Wakeup { source, text }: Wakeup) -> Self {
        Self { source, text }
    }
}

/// Waits for background tasks that end, and lines of watches. A subagent leaves them to who started it.
#[cfg(unix)]
async fn of_tasks(ctx: &ToolContext) -> Vec<WokenBy> {
    if ctx.agent_id.is_some() {
        return std::future::pending().await;
    }
    let events = ctx.session.of::<Tasks>().next_events().await;
    let told = events.iter().map(|event| {
        let source = match event {
            TaskEvent::Ended(task) => &task.id,
            TaskEvent::Lines { id, .. } => id,
        };
        WokenBy { source: source.clone(), text: event.text() }
    });
    told.collect()
}

/// There are no background tasks on this system.
#[cfg(not(unix))]
async fn of_tasks(_ctx: &ToolContext) -> Vec<WokenBy> {
    std::future::pending().await
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
