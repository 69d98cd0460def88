//! A turn of `run` or `stream`: runs its events until they are over or a signal comes, and prints the results.

use crate::args::ApproveBy;
use crate::background::{self, After};
use crate::events::EventLines;
use crate::exit::{Exit, Fault, chain};
use crate::print::Printer;
use crate::progress::{self, Spinners};
use crate::prompt::Person;
use crate::signals::Signals;
use crate::stack::Stack;
use crate::terminal::Terminal;
use crate::turn_args::TurnArgs;
use crate::watch::Notices;
use pegboard::ports::{Approver, Observer, TurnEnd, TurnEvents, TurnOutcome};
use pegboard::tool_core::SessionState;
use pegboard::wire::{IncomingTurn, WireForm, encode_results};
use pegboard::{CancellationToken, ToolContext};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

/// How a turn went.
pub(crate) struct Ran {
    pub(crate) outcome: TurnOutcome,
    pub(crate) was_interrupted: bool,
    /// State of the session: what still runs in the background is in it.
    pub(crate) session: Arc<SessionState>,
}

impl Ran {
    pub(crate) fn after(&self) -> After {
        if self.was_interrupted { After::Interrupt } else { After::Turn }
    }
}

/// Runs the events. Signals are caught from before the first call.
pub(crate) async fn drive(stack: Stack, events: Box<dyn TurnEvents>, signals: &mut Signals) -> Ran {
    let cancel = CancellationToken::new();
    let session = Arc::clone(&stack.context.session);
    let ctx = ToolContext::new(stack.context).with_cancel(cancel.clone());
    let running = stack.pegboard.run_events(events, ctx);
    tokio::pin!(running);
    let outcome = loop {
        tokio::select! {
            outcome = &mut running => break outcome,
            () = signals.told_to_end(), if !cancel.is_cancelled() => cancel.cancel(),
        }
    };
    Ran { outcome, was_interrupted: cancel.is_cancelled(), session }
}

/// Prints the results of `turn` in its form, and says how the command ends.
pub(crate) fn print(
    turn: &IncomingTurn,
    ran: &Ran,
    person: Option<&Arc<Person>>,
    printer: &Printer,
) -> Result<Exit, Fault> {
    let outcome = &ran.outcome;
    if let TurnEnd::Deferred(call) = &outcome.end {
        let input = match &call.input {
            pegboard::tool_core::RawInput::Json(input) => (**input).clone(),
            pegboard::tool_core::RawInput::Unreadable(text) => Value::String(text.to_string()),
        };
        let deferred = json!({"id": &*call.id, "name": &*call.name, "input": input});
        printer
            .out(&format!("{}\n", json!({"stop_reason": "tool_deferred", "deferred_tool_use": deferred})))?;
        return Ok(Exit::HookStopped);
    }
    let results: Vec<_> = outcome.calls.iter().map(|call| call.result.clone()).collect();
    let mut messages = outcome.messages.clone();
    messages.extend(background::news(&ran.session, printer));
    let answer = encode_results(turn, &results, &messages);
    for text in &answer.held_back {
        printer.note(&format!("not sent, because a tool of the provider is still open: {text}"));
    }
    printer.out(&format!("{answer}\n"))?;
    Ok(match &outcome.end {
        _ if ran.was_interrupted => Exit::Interrupted,
        TurnEnd::Stopped(why) if !person.is_some_and(|person| person.stopped()) => {
            printer.note(&format!("the turn was stopped: {why}"));
            Exit::HookStopped
        }
        TurnEnd::Failed(why) => {
            printer.error(why);
            Exit::Failed
        }
        TurnEnd::Completed | TurnEnd::Stopped(_) | TurnEnd::Cancelled | TurnEnd::Deferred(_) => Exit::Done,
    })
}

/// The form that was named.
pub(crate) fn form(named: Option<&str>) -> Result<Option<WireForm>, Fault> {
    named.map(|name| name.parse::<WireForm>().map_err(|error| Fault::usage(chain(&error)))).transpose()
}

/// The person who answers questions, unless nobody is to be asked.
pub(crate) fn person(args: &TurnArgs) -> Result<Option<Arc<Person>>, Fault> {
    let wanted = match args.approve {
        Some(ApproveBy::Never) => return Ok(None),
        Some(ApproveBy::Prompt) => true,
        None => false,
    };
    if !wanted && !io::stderr().is_terminal() {
        return Ok(None);
    }
    match Terminal::open() {
        Ok(terminal) => Ok(Some(Arc::new(Person::new(terminal, progress::suspend)))),
        Err(_) if !wanted => Ok(None),
        Err(error) => {
            Err(Fault::usage(format!("`--approve prompt` needs a terminal, and there is none ({error})")))
        }
    }
}

pub(crate) fn observers(args: &TurnArgs, printer: &Printer) -> Result<Vec<Arc<dyn Observer>>, Fault> {
    let mut observers: Vec<Arc<dyn Observer>> = Vec::new();
    if let Some(path) = &args.events {
        let out: Box<dyn io::Write + Send> = if path == Path::new("-") {
            Box::new(io::stderr())
        } else {
            let file = OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
                Fault::usage(format!("the events file `{}` cannot be written: {error}", path.display()))
            })?;
            Box::new(file)
        };
        observers.push(Arc::new(EventLines::new(out, *printer)));
    }
    if !printer.quiet {
        observers.push(Arc::new(Notices::new(*printer)));
        if io::stderr().is_terminal() {
            observers.push(Arc::new(Spinners::default()));
        }
    }
    Ok(observers)
}

/// A person as an approver, or nobody.
pub(crate) fn approver(person: Option<Arc<Person>>) -> Arc<dyn Approver> {
    match person {
        Some(person) => person,
        None => Arc::new(()),
    }
}
