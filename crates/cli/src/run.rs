//! `pegboard run`: the calls of one assistant message, and their results on stdout.

use crate::background;
use crate::exit::{Exit, Fault, chain};
use crate::host;
use crate::print::Printer;
use crate::signals::Signals;
use crate::stack;
use crate::turn::{drive, form, observers, person, print};
use crate::turn_args::RunArgs;
use crate::turn_input;
use pegboard::scheduler::{Siblings, Start};

/// Runs `pegboard run`.
pub(crate) async fn run(args: &RunArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.how.common.cwd.as_deref())?;
    let bytes = turn_input::read(args.turn.as_deref())?;
    let turn = pegboard::wire::decode(&bytes, form(args.how.wire.as_deref())?)
        .map_err(|error| Fault::usage(chain(&error)))?;
    let person = person(&args.how)?;
    let observers = observers(&args.how, printer)?;
    let mut signals = Signals::install();
    let stack = stack::build(&args.how, &cwd, printer, person.clone(), observers, |_| {
        (Start::End, Siblings::Independent)
    })?;
    let stack = stack.resumed(&args.how.common, printer).await;
    let ran = drive(stack, Box::new(turn.events()), &mut signals).await;
    let exit = print(&turn, &ran, person.as_ref(), printer);
    background::finish(&ran.session, ran.after(), &mut signals, printer).await;
    exit
}
