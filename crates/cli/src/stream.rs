//! `pegboard stream`: the calls of a message that still arrives on stdin, begun before it ends.

use crate::background;
use crate::exit::{Exit, Fault, chain};
use crate::host;
use crate::print::Printer;
use crate::prompt::Person;
use crate::signals::Signals;
use crate::stack;
use crate::turn::{Ran, drive, form, observers, person, print};
use crate::turn_args::StreamArgs;
use async_trait::async_trait;
use pegboard::ports::{TurnEvent, TurnEvents};
use pegboard::scheduler::Siblings;
use pegboard::settings::Settings;
use pegboard::wire::{IncomingTurn, StreamDecoder, StreamError};
use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks that wait to be decoded before reading pauses.
const MOST_CHUNKS: usize = 16;

/// Runs `pegboard stream`.
pub(crate) async fn stream(args: &StreamArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.how.common.cwd.as_deref())?;
    if io::stdin().is_terminal() {
        return Err(Fault::usage("no stream; pipe the body of a streaming response to standard input"));
    }
    let decoder = Arc::new(Mutex::new(StreamDecoder::new(form(args.how.wire.as_deref())?)));
    // Opened before anything runs: a result must not be lost because a file cannot be written.
    let message_file = args.message.as_deref().map(|path| open_message(path, &cwd)).transpose()?;
    let person = person(&args.how)?;
    let observers = observers(&args.how, printer)?;
    let mut signals = Signals::install();
    let start = args.start.into();
    let stack = stack::build(&args.how, &cwd, printer, person.clone(), observers, |settings| {
        (start, siblings(settings))
    })?;
    let stack = stack.resumed(&args.how.common, printer).await;
    let events = Incoming { chunks: read_stdin(), decoder: Arc::clone(&decoder), ready: VecDeque::new() };
    let ran = drive(stack, Box::new(events), &mut signals).await;
    let exit = conclude(&ran, &decoder, message_file, person.as_ref(), printer);
    background::finish(&ran.session, ran.after(), &mut signals, printer).await;
    exit
}

/// Writes the message and prints the results.
fn conclude(
    ran: &Ran,
    decoder: &Mutex<StreamDecoder>,
    message_file: Option<(PathBuf, File)>,
    person: Option<&Arc<Person>>,
    printer: &Printer,
) -> Result<Exit, Fault> {
    let decoder = decoder.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(error @ (StreamError::UnknownForm { .. } | StreamError::WholeMessage { .. })) =
        decoder.error()
    {
        return Err(Fault::usage(chain(error)));
    }
    let written = message_file.map_or(Ok(()), |(path, file)| write_message(&path, file, &decoder));
    for id in decoder.repeats() {
        printer.note(&format!("two calls of the message have the id `{id}`; the first stands"));
    }
    match decoder.turn() {
        Some(turn) if turn.calls.is_empty() && decoder.error().is_none() && !ran.was_interrupted => {
            written?;
            Err(Fault::usage(match decoder.stop_reason() {
                Some(reason) => format!("the message has no complete tool call; it ended with `{reason}`"),
                None => "the message has no complete tool call".to_owned(),
            }))
        }
        Some(turn) => {
            let turn = answered(turn, &ran.outcome.calls);
            let exit = print(&turn, ran, person, printer)?;
            written?;
            Ok(exit)
        }
        None if ran.was_interrupted => Ok(Exit::Interrupted),
        None => {
            Err(Fault::failed(decoder.error().map_or("the stream is empty".to_owned(), |error| chain(error))))
        }
    }
}

/// The message with the calls that were taken: an interrupted turn may not have taken all that are decoded.
fn answered(mut turn: IncomingTurn, finished: &[pegboard::ports::Finished]) -> IncomingTurn {
    let ids: HashSet<&str> = finished.iter().map(|finished| &*finished.result.tool_use_id).collect();
    turn.calls.retain(|call| ids.contains(&*call.id));
    turn
}

fn siblings(settings: &Settings) -> Siblings {
    match settings.value("scheduler.bashFailureCancelsSiblings").and_then(serde_json::Value::as_bool) {
        Some(false) => Siblings::Independent,
        Some(true) | None => Siblings::Cancelled,
    }
}

fn open_message(path: &Path, cwd: &Path) -> Result<(PathBuf, File), Fault> {
    let path = cwd.join(path);
    match File::create(&path) {
        Ok(file) => Ok((path, file)),
        Err(error) => {
            Err(Fault::usage(format!("the message file `{}` cannot be written: {error}", path.display())))
        }
    }
}

fn write_message(path: &Path, mut file: File, decoder: &StreamDecoder) -> Result<(), Fault> {
    let Some(message) = decoder.message() else { return Ok(()) };
    file.write_all(format!("{message}\n").as_bytes()).map_err(|error| {
        Fault::failed(format!("the message cannot be written to `{}`: {error}", path.display()))
    })
}

/// The events of the bytes that arrive.
#[derive(Debug)]
struct Incoming {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    decoder: Arc<Mutex<StreamDecoder>>,
    ready: VecDeque<TurnEvent>,
}

#[async_trait]
impl TurnEvents for Incoming {
    async fn next(&mut self) -> Option<TurnEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let chunk = self.chunks.recv().await;
            let mut decoder = self.decoder.lock().unwrap_or_else(PoisonError::into_inner);
            match chunk {
                Some(Ok(bytes)) => self.ready.extend(decoder.push(&bytes)),
                Some(Err(error)) => {
                    return Some(TurnEvent::Failed(format!("standard input failed: {error}")));
                }
                None => {
                    let last = decoder.finish();
                    if last.is_empty() {
                        return None;
                    }
                    self.ready.extend(last);
                }
            }
        }
    }
}

/// Reads stdin on a thread of its own: it ends with the process when nobody needs more.
fn read_stdin() -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(MOST_CHUNKS);
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            let chunk = match stdin.read(&mut buffer) {
                Ok(0) => return,
                Ok(read) => Ok(buffer.get(..read).unwrap_or_default().to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_over = chunk.is_err();
            if sender.blocking_send(chunk).is_err() || is_over {
                return;
            }
        }
    });
    receiver
}
