//! Monitor: a watch that runs in the background and whose lines become events.
//!
//! The model may expect: each line that the command prints to standard output is one event, at most 1,000
//! characters of it; standard error goes to the output file only; of a flood the last 200 lines that wait
//! are kept and the rest is counted. The watch ends with its command, after `timeout_ms` (300,000 by
//! default, 3,600,000 at most) unless it is persistent, by TaskStop, and with the session.

mod lines;
#[cfg(feature = "web")]
mod messages;

use crate::bash::at_limit;
use crate::bash::launch::{self, Prepared};
use crate::shell::engine::{self, Streams};
use crate::shell::environment;
use crate::shell::task::{About, Task, short};
use crate::shell::{TaskKind, Tasks};
use crate::{Services, input};
#[cfg(feature = "web")]
use crate::{
    shell::{output::Collector, output_file::Place, task_state::changes_tasks},
    web::web_socket,
};
use lines::LineFeed;
#[cfg(feature = "web")]
use pegboard_tool_core::{Access, Resource};
use pegboard_tool_core::{
    Accesses, Availability, Grant, InvalidInput, Progress, ResultContent, Tool, ToolContext, ToolDefinition,
    ToolEnv, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// How long a watch lives when the call does not say.
const DEFAULT_MS: u64 = 300_000;
/// How long a watch lives at most, unless it is persistent.
const MOST_MS: u64 = 3_600_000;
/// Time that starting a watch may take.
const START: Duration = Duration::from_secs(60);

/// Starts watches.
#[derive(Clone, Debug)]
pub struct Monitor {
    services: Services,
}

impl Monitor {
    /// The tool.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

/// Input of [`Monitor`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MonitorInput {
    /// The command line to run; each line that it prints is one event.
    #[serde(default)]
    pub command: Option<String>,
    /// The WebSocket to listen to instead; each text message is one event.
    #[cfg(feature = "web")]
    #[serde(default)]
    pub ws: Option<WebSocketInput>,
    /// What is watched for, in five to ten words; it stands before each event.
    pub description: String,
    /// How long the watch lives, in milliseconds. Default 300000, at most 3600000.
    #[serde(default)]
    pub timeout_ms: Option<f64>,
    /// Whether it lives as long as the session instead.
    #[serde(default)]
    pub persistent: bool,
}

/// A WebSocket to listen to.
#[cfg(feature = "web")]
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebSocketInput {
    /// Its address, which begins with `wss://` or `ws://`.
    pub url: String,
    /// Subprotocols to offer, in order.
    #[serde(default)]
    pub protocols: Vec<String>,
}

/// Output of [`Monitor`].
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MonitorOutput {
    /// Id of the watch.
    pub task_id: String,
    /// How long it lives, in milliseconds; 0 as long as the session.
    pub timeout_ms: u64,
    /// Whether it lives as long as the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub persistent: bool,
    /// File that holds everything that it sees, and grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// What the model must know about its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Tool for Monitor {
    type Input = MonitorInput;
    type Output = MonitorOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Monitor"
    }

    fn description(&self) -> String {
        "Watches something in the background and tells you each line that it prints, without waiting.\n\
         - Print only lines that are worth an event, such as with `grep --line-buffered`; standard error \
         goes to the output file only.\n\
         - The watch ends with its command, at `timeout_ms`, or by TaskStop. You are told.\n\
         - To wait once for the end of a command use Bash with `run_in_background`."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.examples = vec![serde_json::json!({
            "command": "tail -n0 -F app.log | grep --line-buffered ERROR",
            "description": "errors in app.log",
        })];
        input::with_alias(definition, "monitor")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        if !env.flags.contains("monitor") {
            return Availability::Absent("the flag `monitor` is off".to_owned());
        }
        match crate::shell::background_availability(env) {
            Availability::Here => environment::bash_availability(env),
            absent @ Availability::Absent(_) => absent,
        }
    }

    fn accesses(&self, input: &MonitorInput, _ctx: &ToolContext) -> Accesses {
        #[cfg(feature = "web")]
        if let (None, Some(ws)) = (&input.command, &input.ws)
            && let Ok(place) = web_socket::location(&ws.url, &self.services)
        {
            let host = Resource::Host(place.host().to_owned());
            return Accesses::Only(Arc::from([Access::read(host), changes_tasks()]));
        }
        let _the_rest_is_unknown = input;
        Accesses::Everything
    }

    fn changes_context(&self, _input: &MonitorInput, _ctx: &ToolContext) -> bool {
        false
    }

    fn time_limit(&self, _input: &MonitorInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(START)
    }

    async fn validate(&self, input: &MonitorInput, ctx: &ToolContext) -> Result<(), InvalidInput> {
        input::check_text("description", &input.description)?;
        if crate::shell::background_is_off(&ctx.env) {
            return Err(InvalidInput::new("background tasks are switched off here, and a watch is one"));
        }
        if input.timeout_ms.is_some_and(|timeout| timeout < 0.0) {
            return Err(InvalidInput::new("`timeout_ms` is negative; give milliseconds, such as 300000"));
        }
        #[cfg(feature = "web")]
        match (&input.command, &input.ws) {
            (None, Some(ws)) => {
                let is_word = |text: &String| {
                    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
                };
                if !ws.protocols.iter().all(is_word) {
                    return Err(InvalidInput::new("each of `ws.protocols` must be one plain word"));
                }
                web_socket::location(&ws.url, &self.services).map(drop).map_err(InvalidInput::new)?;
                return Ok(());
            }
            (Some(_), Some(_)) | (None, None) => {
                return Err(InvalidInput::new("give exactly one of `command` and `ws`"));
            }
            (Some(_), None) => {}
        }
        match &input.command {
            Some(command) => input::check_text("command", command),
            None => Err(InvalidInput::new("`command` is missing")),
        }
    }

    async fn call(
        &self,
        input: MonitorInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<MonitorOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: MonitorInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<MonitorOutput>, ToolError> {
        let life = life(&input, &ctx);
        let (task, notice) = self.start(&input, life, &grant, &ctx).await?;
        Ok(ToolOutput::new(MonitorOutput {
            task_id: task.id.clone(),
            timeout_ms: life.and_then(|life| u64::try_from(life.as_millis()).ok()).unwrap_or(0),
            persistent: input.persistent,
            output_file: task.view().output.map(|path| path.to_string_lossy().into_owned()),
            notice,
        }))
    }

    fn to_result(&self, output: &MonitorOutput) -> Vec<ResultContent> {
        let MonitorOutput { task_id, timeout_ms, output_file, notice, .. } = output;
        let end = match timeout_ms {
            0 => "It lives as long as the session.".to_owned(),
            ms => format!("It ends after {} s.", Duration::from_millis(*ms).as_secs_f64()),
        };
        let file = output_file.as_ref().map(|path| format!("Everything that it sees is in {path}"));
        let first = format!("Watching with task id {task_id}. You are told what it sees. {end}");
        let parts: Vec<String> = [Some(first), file, notice.clone()].into_iter().flatten().collect();
        vec![ResultContent::Text(parts.join("\n"))]
    }

    fn describe(&self, input: &MonitorInput) -> String {
        short(&input.description)
    }

    fn render_use(&self, input: &MonitorInput, _ctx: &ToolContext) -> Option<String> {
        #[cfg(feature = "web")]
        if let Some(ws) = &input.ws {
            return Some(ws.url.clone());
        }
        input.command.clone()
    }
}

/// How long the watch may live.
fn life(input: &MonitorInput, ctx: &ToolContext) -> Option<Duration> {
    let of_agent = at_limit::life(ctx);
    if input.persistent {
        return of_agent;
    }
    let most = Duration::from_millis(MOST_MS);
    let asked = input.timeout_ms.filter(|asked| *asked > 0.0);
    let asked = asked.map_or(Duration::from_millis(DEFAULT_MS), |asked| {
        Duration::try_from_secs_f64(asked / 1000.0).unwrap_or(most).clamp(Duration::from_millis(1), most)
    });
    Some(of_agent.map_or(asked, |of_agent| of_agent.min(asked)))
}

fn about(input: &MonitorInput, what: &str, life: Option<Duration>, ctx: &ToolContext) -> About {
    About {
        kind: TaskKind::Monitor,
        command: what.to_owned(),
        description: Some(input.description.clone()),
        agent: ctx.agent_id.clone(),
        life,
    }
}

impl Monitor {
    async fn start(
        &self,
        input: &MonitorInput,
        life: Option<Duration>,
        grant: &Grant,
        ctx: &ToolContext,
    ) -> Result<(Arc<Task>, Option<String>), ToolError> {
        #[cfg(feature = "web")]
        if let (None, Some(ws)) = (&input.command, &input.ws) {
            return self.web_socket(ws, input, life, grant, ctx).await.map(|task| (task, None));
        }
        let _of_hosts_only = grant;
        self.command(input.command.as_deref().unwrap_or_default(), input, life, ctx).await
    }

    #[cfg(feature = "web")]
    async fn web_socket(
        &self,
        ws: &WebSocketInput,
        input: &MonitorInput,
        life: Option<Duration>,
        grant: &Grant,
        ctx: &ToolContext,
    ) -> Result<Arc<Task>, ToolError> {
        let place = web_socket::location(&ws.url, &self.services).map_err(ToolError::failed)?;
        let socket = web_socket::open(&place, &ws.protocols, grant, &self.services, ctx).await?;
        let mut collector = Collector::new(Place::of(ctx));
        collector.store().await;
        let tasks = ctx.session.of::<Tasks>();
        let claim = tasks.number(ctx).await;
        let output = Arc::clone(collector.output());
        let mut task = Task::new(claim.number, about(input, &ws.url, life, ctx), output, None);
        task.from = Some(place.host().to_owned());
        let (events, most) = (Arc::clone(tasks.events()), self.most_output());
        Ok(tasks.spawn(claim, task, |task| messages::watch(socket, collector, most, task, events)).await)
    }

    fn most_output(&self) -> u64 {
        self.services.settings.shell.most_output()
    }

    async fn command(
        &self,
        command: &str,
        input: &MonitorInput,
        life: Option<Duration>,
        ctx: &ToolContext,
    ) -> Result<(Arc<Task>, Option<String>), ToolError> {
        let tasks = ctx.session.of::<Tasks>();
        let claim = tasks.number(ctx).await;
        let feed = LineFeed::new(&tasks, TaskKind::Monitor.id(claim.number), &input.description);
        let most = self.most_output();
        let streams = Streams::Watched(Box::new(feed));
        let Prepared { launch, notice } =
            launch::of(command, &self.services.shell, ctx, streams, most).await?;
        let running = engine::start(launch, ctx)?;
        Ok((tasks.adopt_as(claim, running, about(input, command, life, ctx)).await, notice))
    }
}
