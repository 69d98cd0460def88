//! Repl: interpreters of Python, JavaScript and bash whose state stays between calls.
//!
//! The model may expect: variables, functions and imports stay; output and errors come in their true order, followed
//! by the value of a last expression (Python, JavaScript); standard input is empty; code is interrupted at its time
//! limit and the state survives that, unless it does not obey; what is printed between calls is shown by the next one.
//! Limits: 120 s by default, 600 s at most, 256 KiB of code, 512 KiB of unread output (more goes to a file, whose two
//! ends are shown), 6 interpreters an agent.

mod channel;
mod input;
mod interpreter;
mod kept;
mod language;
mod sessions;
mod whereabouts;

pub use input::{ReplAction, ReplAtTimeout, ReplInput, ReplOutput, ReplState};
pub use language::ReplLanguage;
pub(crate) use whereabouts::folder;

use crate::Services;
use crate::confined::{self, LimitWatch};
use crate::input as inputs;
use crate::shell::output_file::Place;
use crate::terminal::owner::Owner;
use crate::terminal::{environment, is_internal};
use interpreter::{AtLimit, GaveUp, Interpreter, Outcome};
use pegboard_tool_core::{
    Availability, ErrorKind, InvalidInput, Progress, ResultContent, SessionState, Tool, ToolContext,
    ToolDefinition, ToolEnv, ToolError, ToolOutput,
};
use sessions::{Interpreters, Key};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

/// Characters of output that stay inline.
const VALID_CHARS: usize = 30_000;
/// Characters of each end of a failure's output.
const FAILURE_END_CHARS: usize = 5_000;
/// Time that the tool needs beyond a limit: to start, to interrupt, to end.
const OVERHEAD: Duration = Duration::from_secs(60);

/// Keeps interpreters.
#[derive(Clone, Debug, Default)]
pub struct Repl {
    services: Services,
}

impl Repl {
    /// The tool. Of the services it uses the limits of command lines and of their output.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Repl {
    type Input = ReplInput;
    type Output = ReplOutput;
    type Progress = ();

    fn name(&self) -> &'static str {
        "Repl"
    }

    fn description(&self) -> String {
        "Runs code in an interpreter that stays between calls: `python` (python3), `node` (JavaScript) or `bash`. \
         Variables, functions, imports and the working directory stay.\n\
         - The result is what was printed, and the value of the last expression (python, node), which may use `await`. \
         Standard input is empty.\n\
         - At `timeout` the code is interrupted and the state is kept; with `at_timeout: \"keep_running\"` it goes on, \
         and `read`, `interrupt` and `restart` reach it later.\n\
         - node: use `require`, or `await importModule(\"name\")` for modules that are only ES modules.\n\
         - For a single command use Bash."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.max_inline_chars = Some(VALID_CHARS);
        definition.examples = vec![
            serde_json::json!({"language": "python", "code": "import math\nmath.sqrt(2)"}),
            serde_json::json!({"language": "python", "action": "restart"}),
        ];
        definition.search_hint = Some("interpreter python node javascript bash state variables".to_owned());
        inputs::with_alias(definition, "repl")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        if !is_internal(env) {
            return Availability::Absent("internal: set PEGBOARD_INTERNAL=1".to_owned());
        }
        if !env.flags.contains("repl") {
            return Availability::Absent("the flag `repl` is off".to_owned());
        }
        let is_there = |language: ReplLanguage| {
            env.path.iter().any(|folder| environment::is_program(&folder.join(language.program())))
        };
        if ReplLanguage::ALL.into_iter().any(is_there) {
            Availability::Here
        } else {
            Availability::Absent("none of python3, node and bash is installed".to_owned())
        }
    }

    fn changes_context(&self, _input: &ReplInput, _ctx: &ToolContext) -> bool {
        false
    }

    fn time_limit(&self, input: &ReplInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(input.limit() + OVERHEAD)
    }

    async fn validate(&self, input: &ReplInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        input.check()
    }

    async fn call(
        &self,
        input: ReplInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<ReplOutput>, ToolError> {
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let interpreters = ctx.session.of::<Interpreters>();
        let key: Key = (Owner::of(&ctx), input.language, input.name().to_owned());
        let slot = match input.action {
            ReplAction::Run | ReplAction::Restart => interpreters.of(&key)?,
            ReplAction::Read | ReplAction::Interrupt | ReplAction::Stop => {
                interpreters.find(&key).ok_or_else(|| not_running(&input))?
            }
        };
        let mut slot = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return Err(ToolError::cancelled()),
            slot = slot.lock() => slot,
        };
        let limits = LimitWatch::new(confined::of_session(&self.services, &ctx));
        act(&input, &self.services, &ctx, limits, &mut slot).await.map(ToolOutput::new)
    }

    fn to_result(&self, output: &ReplOutput) -> Vec<ResultContent> {
        vec![ResultContent::Text(output.text())]
    }

    fn describe(&self, input: &ReplInput) -> String {
        let action = match input.action {
            ReplAction::Run => "",
            ReplAction::Read => " read",
            ReplAction::Interrupt => " interrupt",
            ReplAction::Restart => " restart",
            ReplAction::Stop => " stop",
        };
        let name = input.session.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        let mut lines = input.code.as_deref().unwrap_or_default().trim().lines();
        let first: String = lines.next().unwrap_or_default().chars().take(120).collect();
        let code = match (first.is_empty(), lines.next()) {
            (true, _) => String::new(),
            (false, None) => format!(": {first}"),
            (false, Some(_)) => format!(": {first} ..."),
        };
        format!("{}{name}{action}{code}", input.language.name())
    }

    fn render_use(&self, input: &ReplInput, _ctx: &ToolContext) -> Option<String> {
        input.code.clone()
    }
}

/// Ends the interpreters of an agent, or all of the session.
pub(crate) async fn close(session: &SessionState, owner: Option<&Owner>) {
    for slot in session.of::<Interpreters>().take(owner) {
        // One that a call has is ended by that call's end.
        if let Ok(mut slot) = slot.try_lock()
            && let Some(mut interpreter) = slot.take()
        {
            interpreter.end().await;
        }
    }
}

fn not_running(input: &ReplInput) -> ToolError {
    let text = format!("no {} interpreter `{}` runs; `run` starts one", input.language.name(), input.name());
    ToolError::new(ErrorKind::NotFound, text)
}

async fn act(
    input: &ReplInput,
    services: &Services,
    ctx: &ToolContext,
    limits: LimitWatch,
    slot: &mut Option<Interpreter>,
) -> Result<ReplOutput, ToolError> {
    let mut output =
        ReplOutput { language: input.language, session: input.name().to_owned(), ..ReplOutput::default() };
    match input.action {
        ReplAction::Stop | ReplAction::Restart => {
            let old = slot.take();
            if let Some(mut old) = old {
                output.see_earlier(old.output());
                let left = old.end().await;
                if left > 0 {
                    output.notes.push(format!("{left} processes of the old interpreter could not be ended"));
                }
            } else if input.action == ReplAction::Stop {
                return Err(not_running(input));
            }
            if input.action == ReplAction::Stop {
                output.state = ReplState::Over;
                output.notes.push("stopped".to_owned());
                return Ok(output);
            }
            *slot = Some(Interpreter::start(input.language, services, ctx).await?);
            output.notes.push("restarted; the state is empty".to_owned());
        }
        ReplAction::Run => {}
        ReplAction::Read | ReplAction::Interrupt => {
            let Some(interpreter) = slot.as_mut() else { return Err(not_running(input)) };
            let was_running = interpreter.is_running();
            let (outcome, gave_up) = match input.action {
                ReplAction::Read => interpreter.finish(input.limit(), AtLimit::Leave, &ctx.cancel).await,
                _ => (interpreter.interrupt().await, GaveUp::Not),
            };
            if !was_running {
                output.notes.push("no code was running".to_owned());
            }
            return conclude(input, output, ctx, &limits, slot, (outcome, gave_up)).await;
        }
    }
    let Some(code) = &input.code else { return Ok(output) };
    if slot.is_none() {
        *slot = Some(Interpreter::start(input.language, services, ctx).await?);
    }
    let Some(interpreter) = slot.as_mut() else { return Ok(output) };
    if interpreter.is_abandoned() {
        // A dropped call has interrupted its code, which may need a moment.
        if let Outcome::Over(how) = interpreter.interrupt().await {
            output.see_earlier(interpreter.output());
            output.notes.push(format!("earlier code {how}; this is a new interpreter with an empty state"));
            *interpreter = Interpreter::start(input.language, services, ctx).await?;
        }
    }
    if interpreter.is_running() {
        let text = "the interpreter still runs earlier code; use the action `read`, `interrupt` or `restart`";
        return Err(ToolError::new(ErrorKind::Conflict, text));
    }
    output.see_earlier(interpreter.output());
    interpreter.store_at(Place::of(ctx));
    interpreter.request(code)?;
    let at_limit = match input.at_timeout {
        ReplAtTimeout::Interrupt => AtLimit::Interrupt,
        ReplAtTimeout::KeepRunning => AtLimit::Leave,
    };
    let (outcome, gave_up) = interpreter.finish(input.limit(), at_limit, &ctx.cancel).await;
    conclude(input, output, ctx, &limits, slot, (outcome, gave_up)).await
}

/// From how the code ended to what the model reads.
async fn conclude(
    input: &ReplInput,
    mut output: ReplOutput,
    ctx: &ToolContext,
    limits: &LimitWatch,
    slot: &mut Option<Interpreter>,
    (outcome, gave_up): (Outcome, GaveUp),
) -> Result<ReplOutput, ToolError> {
    output.see(slot.as_ref().map(Interpreter::output).unwrap_or_default());
    output.notes.extend(limits.notices());
    let seconds = input.limit().as_secs_f64();
    let is_shell = input.language == ReplLanguage::Bash;
    let mut error = None;
    match outcome {
        Outcome::Done => {}
        Outcome::Failed => error = Some(ErrorKind::Failed),
        Outcome::Status(status) => output.status = Some(status),
        Outcome::Running => {
            output.state = ReplState::Running;
            output
                .notes
                .push(format!("still running after {seconds}s; `read` waits for more, `interrupt` stops it"));
        }
        Outcome::Interrupted => {
            output.state = ReplState::Interrupted;
            output.notes.push(match gave_up {
                GaveUp::TimedOut => format!("interrupted after {seconds}s; the state is kept"),
                GaveUp::Cancelled | GaveUp::Not => "interrupted; the state is kept".to_owned(),
            });
            error = (gave_up == GaveUp::TimedOut).then_some(ErrorKind::TimedOut);
        }
        Outcome::Over(how) => {
            *slot = None;
            output.state = ReplState::Over;
            let after =
                if gave_up == GaveUp::TimedOut { format!("after {seconds}s ") } else { String::new() };
            output.notes.push(format!(
                "{after}the interpreter {how}; its state is gone, and the next code starts a new one"
            ));
            let is_plain_exit =
                is_shell && how == "ended: Exit code 0" || input.code.as_deref().is_some_and(is_exit);
            error = match (gave_up, is_plain_exit) {
                (GaveUp::TimedOut, _) => Some(ErrorKind::TimedOut),
                (_, true) => None,
                (_, false) => Some(ErrorKind::Failed),
            };
        }
    }
    if gave_up == GaveUp::Cancelled {
        error = Some(ErrorKind::Cancelled);
    }
    match error {
        None => Ok(output),
        Some(kind) => Err(ToolError::new(kind, shortened(output.text(), Place::of(ctx)).await)),
    }
}

/// Whether code asks for nothing but the end.
fn is_exit(code: &str) -> bool {
    matches!(code.trim().trim_end_matches(';'), "exit" | "exit()" | "quit()" | "process.exit()" | "exit 0")
}

/// The two ends of a long text, and the file that holds all of it.
async fn shortened(text: String, place: Place) -> String {
    let count = text.chars().count();
    let Some(left_out) = count.checked_sub(2 * FAILURE_END_CHARS + 100) else { return text };
    let head: String = text.chars().take(FAILURE_END_CHARS).collect();
    let tail: String = text.chars().skip(count - FAILURE_END_CHARS).collect();
    let stored = tokio::task::spawn_blocking(move || store(&text, &place)).await;
    let whole = match stored {
        Ok(Ok(path)) => format!("all of it is in {}", path.display()),
        Ok(Err(error)) => format!("what is left out could not be stored ({}) and is lost", error.kind()),
        Err(_) => "what is left out could not be stored and is lost".to_owned(),
    };
    format!("{head}\n... [{} characters left out here] ...\n{tail}\n[{whole}]", left_out + 100)
}

fn store(text: &str, place: &Place) -> io::Result<PathBuf> {
    let (mut file, path) = place.create()?;
    file.write_all(text.as_bytes())?;
    Ok(path)
}
