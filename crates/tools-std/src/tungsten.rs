//! Tungsten: a program in a terminal that stays between calls.
//!
//! The model may expect: `open` starts bash or a command line in a terminal, `send` types into it and answers
//! with the screen, `read` looks at it, each waiting for a text, a pattern, silence or the end of the program;
//! what is printed between calls is on the screen. Limits: 8 terminals an agent, 300 columns, 100 rows, 1000
//! lines above the screen. Nothing that a terminal started outlives its program, its `close`, or the session.

mod input;
mod output;

pub use input::{TungstenAction, TungstenInput};
pub use output::{Cursor, Listed, ScreenView, TungstenOutput};

use crate::Services;
use crate::blocking::blocking;
use crate::confined::{self, LimitWatch};
use crate::input as inputs;
use crate::terminal::emulator::Size;
use crate::terminal::owner::Owner;
use crate::terminal::pty::{Pty, Refused, Start};
use crate::terminal::sessions::{Terminal, Terminals};
use crate::terminal::wait::{From, Wait, Waited};
use crate::terminal::{environment, is_internal, keys};
use pegboard_tool_core::{
    Access, Accesses, Availability, Effects, ErrorKind, InvalidInput, Progress, Resource, ResultContent,
    Tool, ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput,
};
use std::sync::Arc;
use std::time::Duration;

/// Size of a terminal when nothing is said.
const DEFAULT_SIZE: Size = Size { rows: 24, cols: 80 };
/// Time that the tool needs beyond a wait.
const OVERHEAD: Duration = Duration::from_secs(20);

/// Keeps programs in terminals.
#[derive(Clone, Debug, Default)]
pub struct Tungsten {
    services: Services,
}

impl Tungsten {
    /// The tool. Of the services it uses the limits of command lines.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Tungsten {
    type Input = TungstenInput;
    type Output = TungstenOutput;
    type Progress = ();

    fn name(&self) -> &'static str {
        "Tungsten"
    }

    fn description(&self) -> String {
        "Runs programs in a terminal that stays open between calls: shells, editors, debuggers, anything that wants a \
         keyboard and a screen.\n\
         - `open` starts an interactive bash, or `command` in one; `send` types `text` as it is or `keys` such as \
         `ls -l<Enter>`, `<C-c>`, `<Up>`; `read` looks again. Each answers with the screen and the cursor.\n\
         - Without a wait the answer comes when the program falls silent. Wait for what you expect with `wait_for`, \
         `wait_for_regex`, `wait_idle` or `wait_end`, and `timeout` in milliseconds.\n\
         - The screen holds only its rows: `scrollback` shows lines above it.\n\
         - `close` ends the program and everything that it started. For a command that needs no keyboard use Bash."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.examples = vec![
            serde_json::json!({"action": "open", "session": "py", "command": "python3", "wait_for": ">>>"}),
            serde_json::json!({"action": "send", "session": "py", "keys": "1 + 1<Enter>"}),
        ];
        definition.search_hint = Some("terminal pty interactive keys screen vim top".to_owned());
        inputs::with_alias(inputs::with_alias(definition, "terminal"), "tungsten")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        if !is_internal(env) {
            return Availability::Absent("internal: set PEGBOARD_INTERNAL=1".to_owned());
        }
        if !env.flags.contains("tungsten") {
            return Availability::Absent("the flag `tungsten` is off".to_owned());
        }
        let found = env.path.iter().any(|folder| environment::is_program(&folder.join("bash")));
        let standard = crate::shell::environment::STANDARD_SHELLS;
        if found || standard.iter().any(|shell| environment::is_program(shell.as_ref())) {
            Availability::Here
        } else {
            Availability::Absent("bash is not installed".to_owned())
        }
    }

    fn effects(&self, input: &TungstenInput, _ctx: &ToolContext) -> Effects {
        match input.action {
            TungstenAction::Read | TungstenAction::List => Effects::ReadOnly,
            TungstenAction::Open | TungstenAction::Send | TungstenAction::Resize | TungstenAction::Close => {
                Effects::Destructive
            }
        }
    }

    fn accesses(&self, input: &TungstenInput, _ctx: &ToolContext) -> Accesses {
        match input.action {
            TungstenAction::Read | TungstenAction::List => {
                Accesses::Only(Arc::from([Access::read(Resource::State(Arc::from("terminals")))]))
            }
            TungstenAction::Open | TungstenAction::Send | TungstenAction::Resize | TungstenAction::Close => {
                Accesses::Everything
            }
        }
    }

    fn changes_context(&self, _input: &TungstenInput, _ctx: &ToolContext) -> bool {
        false
    }

    fn time_limit(&self, input: &TungstenInput, _ctx: &ToolContext) -> Option<Duration> {
        Some(input.most_wait() + OVERHEAD)
    }

    async fn validate(&self, input: &TungstenInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        input.check()
    }

    async fn call(
        &self,
        input: TungstenInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<TungstenOutput>, ToolError> {
        let terminals = ctx.session.of::<Terminals>();
        let owner = Owner::of(&ctx);
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let output = match input.action {
            TungstenAction::Open => open(&input, &self.services, &ctx, &terminals, owner).await,
            TungstenAction::Send => {
                let terminal = terminals.find(&owner, input.session.as_deref())?;
                send(&input, &ctx, &terminal).await
            }
            TungstenAction::Read => {
                let terminal = terminals.find(&owner, input.session.as_deref())?;
                let wait = Wait::new(&terminal.pty.shared);
                shown(&input, &ctx, &terminal, wait, From::Now).await
            }
            TungstenAction::Resize => {
                let terminal = terminals.find(&owner, input.session.as_deref())?;
                let size = input.size(terminal.pty.shared.emulator().size());
                let wait = Wait::new(&terminal.pty.shared);
                terminal
                    .pty
                    .resize(size)
                    .map_err(|error| unavailable("the size could not be changed", error))?;
                shown(&input, &ctx, &terminal, wait, From::NextOutput).await
            }
            TungstenAction::Close => {
                let terminal = terminals.find(&owner, input.session.as_deref())?;
                close(&input, &terminals, &owner, &terminal).await
            }
            TungstenAction::List => Ok(list(&terminals, &owner)),
        };
        output.map(ToolOutput::new)
    }

    fn to_result(&self, output: &TungstenOutput) -> Vec<ResultContent> {
        vec![ResultContent::Text(output.text())]
    }

    fn describe(&self, input: &TungstenInput) -> String {
        let name = input.session.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let what = match input.action {
            TungstenAction::Open => Some(input.command.as_deref().unwrap_or("bash").to_owned()),
            TungstenAction::Send => Some([&input.text, &input.keys].into_iter().flatten().cloned().collect()),
            _ => None,
        };
        let what = what.map(|what| format!(": {}", one_line(&what))).unwrap_or_default();
        format!("{} terminal{name}{what}", input.verb())
    }

    fn render_use(&self, input: &TungstenInput, _ctx: &ToolContext) -> Option<String> {
        match input.action {
            TungstenAction::Open => input.command.clone(),
            TungstenAction::Send => {
                Some([&input.text, &input.keys].into_iter().flatten().cloned().collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        }
    }

    fn render_result(&self, output: &TungstenOutput) -> Option<String> {
        let (view, session) = (output.view.as_ref()?, output.session.as_ref()?);
        Some(format!("{}\n{}", view.heading(session), view.screen))
    }
}

async fn open(
    input: &TungstenInput,
    services: &Services,
    ctx: &ToolContext,
    terminals: &Terminals,
    owner: Owner,
) -> Result<TungstenOutput, ToolError> {
    let name = terminals.name_for_new(&owner, input.session.as_deref())?;
    let shell = environment::shell(ctx)
        .ok_or_else(|| ToolError::new(ErrorKind::Unavailable, "bash is not installed"))?;
    if !ctx.cwd.is_dir() {
        let text = "the working directory is gone; nothing was run";
        return Err(ToolError::new(ErrorKind::NotFound, text));
    }
    let mut args = vec!["--noprofile".into(), "--norc".into()];
    match &input.command {
        Some(command) => args.extend(["-c".into(), command.into()]),
        None => args.push("-i".into()),
    }
    let start = Start {
        program: shell,
        args,
        environment: environment::of_terminal(ctx),
        cwd: ctx.cwd.clone(),
        size: input.size(DEFAULT_SIZE),
    };
    let confinement = confined::of_session(services, ctx);
    let limits = LimitWatch::new(Arc::clone(&confinement));
    let pty = blocking(move || {
        let started = Pty::start(&start, &confinement);
        started.map_err(|error| unavailable("the terminal could not be started", error))
    })
    .await?;
    let command = input.command.clone().unwrap_or_else(|| "bash".to_owned());
    let terminal = Arc::new(Terminal::new(name, command, pty, limits));
    terminals.add(owner.clone(), Arc::clone(&terminal))?;
    // A model that never heard of the terminal cannot close it.
    let mut opening = Opening { terminals, owner, terminal, state: Told::NotYet };
    let wait = Wait::new(&opening.terminal.pty.shared);
    let output = shown(input, ctx, &opening.terminal, wait, From::Now).await?;
    opening.state = Told::Yes;
    Ok(output)
}

/// A terminal that is forgotten, and with that ended, unless the call comes to its end.
struct Opening<'t> {
    terminals: &'t Terminals,
    owner: Owner,
    terminal: Arc<Terminal>,
    state: Told,
}

/// Whether the model hears of a terminal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Told {
    NotYet,
    Yes,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if self.state == Told::NotYet {
            self.terminals.remove(&self.owner, &self.terminal);
        }
    }
}

async fn send(
    input: &TungstenInput,
    ctx: &ToolContext,
    terminal: &Terminal,
) -> Result<TungstenOutput, ToolError> {
    let cursor_keys = terminal.pty.shared.emulator().cursor_keys();
    let mut bytes = keys::of_text(input.text.as_deref().unwrap_or_default());
    let typed = keys::of_keys(input.keys.as_deref().unwrap_or_default(), cursor_keys);
    bytes.extend(typed.map_err(|text| ToolError::new(ErrorKind::InvalidInput, text))?);
    let wait = Wait::new(&terminal.pty.shared);
    terminal.pty.send(bytes).map_err(|refused| match refused {
        Refused::Ended => {
            let end = terminal.pty.end().unwrap_or_else(|| "is over".to_owned());
            let text = format!("nothing was typed: the program {end}; `read` shows its last screen, `open` starts another");
            ToolError::new(ErrorKind::Conflict, text)
        }
        Refused::Full => {
            let text = "nothing was typed: the program does not read what was typed before; wait, or close the terminal";
            ToolError::new(ErrorKind::Conflict, text)
        }
    })?;
    shown(input, ctx, terminal, wait, From::NextOutput).await
}

/// The screen after the wait that was asked for.
async fn shown(
    input: &TungstenInput,
    ctx: &ToolContext,
    terminal: &Terminal,
    wait: Wait<'_>,
    from: From,
) -> Result<TungstenOutput, ToolError> {
    let until = input.until().map_err(|text| ToolError::new(ErrorKind::InvalidInput, text))?;
    let waited = wait.run(&until, from, input.most_wait(), &ctx.cancel).await;
    if waited == Waited::Cancelled {
        return Err(ToolError::cancelled());
    }
    let mut view = ScreenView::of(terminal, input.scrollback());
    let note = match waited {
        Waited::TimedOut => {
            let seconds = input.most_wait().as_secs_f64();
            Some(format!("waited {seconds}s, and what was waited for did not come; this is the screen now"))
        }
        Waited::Ended if view.ended.is_some() && has_wait(input) => {
            Some("the program ended before what was waited for came".to_owned())
        }
        Waited::Ended | Waited::Met | Waited::Cancelled => None,
    };
    view.notes.extend(note);
    view.notes.extend(terminal.hit_limits());
    Ok(TungstenOutput { session: Some(terminal.name.clone()), view: Some(view), sessions: None })
}

fn has_wait(input: &TungstenInput) -> bool {
    input.wait_for.is_some() || input.wait_for_regex.is_some()
}

async fn close(
    input: &TungstenInput,
    terminals: &Terminals,
    owner: &Owner,
    terminal: &Arc<Terminal>,
) -> Result<TungstenOutput, ToolError> {
    // Forgotten first: also when this call is dropped, the terminal ends with its last holder.
    terminals.remove(owner, terminal);
    let was_over = terminal.pty.end().is_some();
    let left = terminal.pty.close().await;
    let mut view = ScreenView::of(terminal, input.scrollback());
    view.notes.push(if was_over {
        "closed".to_owned()
    } else {
        "closed, and the program with it".to_owned()
    });
    if left > 0 {
        view.notes.push(format!("{left} processes of the terminal could not be ended"));
    }
    Ok(TungstenOutput { session: Some(terminal.name.clone()), view: Some(view), sessions: None })
}

fn list(terminals: &Terminals, owner: &Owner) -> TungstenOutput {
    let listed = terminals.of(owner).into_iter().map(|terminal| {
        let emulator = terminal.pty.shared.emulator();
        Listed {
            session: terminal.name.clone(),
            command: one_line(&terminal.command),
            rows: emulator.size().rows,
            cols: emulator.size().cols,
            title: emulator.said().title.clone(),
            ended: terminal.pty.end(),
        }
    });
    TungstenOutput { session: None, view: None, sessions: Some(listed.collect()) }
}

fn unavailable(text: &'static str, error: std::io::Error) -> ToolError {
    ToolError::new(ErrorKind::Unavailable, text)
        .with_operator_text(format!("{text}: {error}"))
        .with_source(error)
}

/// A text for one line of a log.
fn one_line(text: &str) -> String {
    let line = text.trim().replace(char::is_control, " ");
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{} ...", line.get(..at).unwrap_or_default()),
        None => line,
    }
}
