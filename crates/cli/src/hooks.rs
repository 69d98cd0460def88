//! `pegboard hooks`: what would run for an event and why, and firing one.

use crate::args::Format;
use crate::exit::{Exit, Fault, chain, one_line};
use crate::hooks_args::{FireArgs, HooksAction, ListArgs};
use crate::host;
use crate::print::Printer;
use crate::signals::Signals;
use crate::stack;
use pegboard::hooks::events::{Event, EventError};
use pegboard::hooks::{EventOutcome, Hooks, Listed};
use pegboard::ports::HookCall;
use pegboard::session::{SessionDir, session_id};
use pegboard::{CancellationToken, DynTool, Loaded, ToolContext, ToolName};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Most bytes of an input on standard input.
const MOST_INPUT: u64 = 64 * 1024 * 1024;

/// Runs `pegboard hooks`.
pub(crate) async fn hooks(action: &HooksAction, printer: &Printer) -> Result<Exit, Fault> {
    match action {
        HooksAction::List(args) => list(args, printer),
        HooksAction::Fire(args) => fire(args, printer).await,
    }
}

fn list(args: &ListArgs, printer: &Printer) -> Result<Exit, Fault> {
    if let Some(event) = &args.event
        && !Event::names().any(|name| name == event)
    {
        return Err(Fault::usage(EventError::Unknown { name: event.clone() }));
    }
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    let settings = host::settings(&args.common, &cwd, printer)?;
    let loaded = load(settings, &cwd, printer)?;
    let ctx = ToolContext::new(host::context(&loaded.settings, &cwd, "list", None));
    let config = loaded.hooks.config();
    let listed = match &args.tool {
        None => config.list(args.event.as_deref(), None, &ctx),
        Some(tool) => {
            let input = args.input.as_deref().map(json_of).transpose()?.unwrap_or_else(|| json!({}));
            let seen = Seen::new(&loaded, tool, input, &ctx)?;
            let call = HookCall::new(&seen.tool, &seen.aliases, "toolu_list", &seen.input, &ctx);
            config.list(args.event.as_deref(), Some(&call), &ctx)
        }
    };
    printer.out(&match args.format {
        Format::Json => format!("{}\n", listed.iter().map(Listed::to_json).collect::<Value>()),
        Format::Text => page(&listed),
    })?;
    Ok(Exit::Done)
}

async fn fire(args: &FireArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    let mut input = json_of(&args.input)?;
    Event::read(&args.event, &input).map_err(Fault::usage)?;
    let settings = host::settings(&args.common, &cwd, printer)?;
    let loaded = load(settings, &cwd, printer)?;
    let id = session_id(SystemTime::now());
    let folder = match &args.session_dir {
        Some(folder) => cwd.join(folder),
        None => host::locations(&cwd).state_directory.join("sessions").join(&id),
    };
    let session = SessionDir::create(folder).map_err(|error| Fault::usage(chain(&error)))?;
    let cancel = CancellationToken::new();
    let context = host::context(&loaded.settings, &cwd, &id, Some(session.path()));
    let ctx = ToolContext::new(context).with_cancel(cancel.clone());
    let mut aliases = Vec::new();
    if let (Some(tool), Some(given)) = (input["tool_name"].as_str(), input.get("tool_input")) {
        let seen = Seen::new(&loaded, tool, given.clone(), &ctx)?;
        aliases = seen.aliases;
        input["tool_name"] = json!(seen.tool);
        input["tool_input"] = seen.input;
        let wants_id = !matches!(args.event.as_str(), "PermissionRequest" | "PostToolBatch");
        if wants_id && input.get("tool_use_id").is_none() {
            input["tool_use_id"] = json!("toolu_fired");
        }
    }
    let mut signals = Signals::install();
    let outcome = {
        let hooks: &Hooks = &loaded.hooks;
        let firing = hooks.fire_json(&args.event, input, &aliases, &ctx);
        tokio::pin!(firing);
        loop {
            tokio::select! {
                outcome = &mut firing => break outcome.map_err(Fault::usage)?,
                () = signals.told_to_end(), if !cancel.is_cancelled() => cancel.cancel(),
            }
        }
    };
    loaded.hooks.end_background().await;
    report(&outcome, printer);
    printer.out(&match args.format {
        Format::Json => format!("{}\n", outcome.to_json()),
        Format::Text => format!("{}\n", serde_json::to_string_pretty(&outcome.to_json()).unwrap_or_default()),
    })?;
    Ok(match &outcome.stop {
        _ if cancel.is_cancelled() => Exit::Interrupted,
        Some(_) => Exit::HookStopped,
        None => Exit::Done,
    })
}

/// Says on stderr what a person should know; an answer is on stdout.
fn report(outcome: &EventOutcome, printer: &Printer) {
    for message in &outcome.system_messages {
        printer.note(message);
    }
    for report in &outcome.reports {
        // A failure without a notice was told when the configuration was read.
        if let Some(notice) = &report.notice {
            printer.note(&format!("hook `{}` {notice}", report.handler));
        }
    }
}

/// The layers, and what is wrong with them on stderr.
fn load(settings: pegboard::settings::Settings, cwd: &Path, printer: &Printer) -> Result<Loaded, Fault> {
    let loaded = stack::load(settings, cwd, host::locations(cwd).home)?;
    for problem in &loaded.problems {
        printer.error(problem);
    }
    Ok(loaded)
}

/// A call as hooks see it: the tool's own name, its aliases, and the input with absolute paths.
struct Seen {
    tool: String,
    aliases: Vec<ToolName>,
    input: Value,
}

impl Seen {
    fn new(loaded: &Loaded, tool: &str, input: Value, ctx: &ToolContext) -> Result<Self, Fault> {
        let tools: Vec<Arc<dyn DynTool>> = stack::std_tools(loaded, &ctx.project_dir)?;
        let found = tools.iter().find(|known| {
            let definition = known.definition();
            definition.name.as_str() == tool || definition.aliases.iter().any(|alias| alias.as_str() == tool)
        });
        let Some(found) = found else {
            return Ok(Self { tool: tool.to_owned(), aliases: Vec::new(), input });
        };
        let definition = found.definition();
        let view = found.prepare(Arc::new(input.clone()), ctx).map(|invocation| invocation.view().clone());
        // An input that the tool would not take reaches no hook in a run; here it is shown as it was given.
        let input = view.unwrap_or(input);
        Ok(Self { tool: definition.name.as_str().to_owned(), aliases: definition.aliases.clone(), input })
    }
}

/// JSON of an argument, or of standard input.
fn json_of(argument: &str) -> Result<Value, Fault> {
    let mut text = String::new();
    let text = if argument == "-" {
        let read = std::io::stdin().take(MOST_INPUT).read_to_string(&mut text);
        read.map_err(|error| Fault::usage(format!("standard input cannot be read: {error}")))?;
        text.as_str()
    } else {
        argument
    };
    serde_json::from_str(text).map_err(|error| {
        Fault::usage(format!("`--input` is not JSON ({error}); write it as '{{\"key\": ...}}'"))
    })
}

fn page(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return "no hooks are configured\n".to_owned();
    }
    let mut text = String::new();
    let mut event = "";
    for one in listed {
        if one.event != event {
            event = one.event;
            let _ = writeln!(text, "{event}");
        }
        let _ = writeln!(
            text,
            "  {} {}: {}",
            if one.off.is_none() { "+" } else { "-" },
            one.kind,
            one_line(&one.label)
        );
        let mut facts = Vec::new();
        if let Some(matcher) = &one.matcher {
            facts.push(format!("matcher {}", one_line(matcher)));
        }
        if let Some(condition) = &one.condition {
            facts.push(format!("if {}", one_line(condition)));
        }
        facts.push(format!("at most {} s", one.time_limit.as_secs_f64()));
        if one.on_failure == pegboard::hooks::OnFailure::Block {
            facts.push("blocks when it fails".to_owned());
        }
        if one.is_async {
            facts.push("nobody waits for it".to_owned());
        }
        let _ = writeln!(text, "      {}", facts.join(", "));
        if let Some(why) = &one.off {
            let _ = writeln!(text, "      does not run: {}", one_line(why));
        }
    }
    text
}
