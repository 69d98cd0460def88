//! A program in a terminal of its own. Three threads serve it, so that it never waits for a call: one reads
//! what it prints, one writes what it is sent, one waits for its end. Dropping the terminal kills everything
//! that the program started.

use super::emulator::{Emulator, PIECE_BYTES, Size};
use pegboard_process::{ConfinedTerminal, Confinement, MARK, ProcessTree, Reach};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;
use tokio::sync::watch;

/// Inputs that may wait for the program to read them.
const MOST_WAITING: usize = 64;
/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(200);
/// How long the last output may take to arrive after the program ended.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// What to start, and how.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) cwd: PathBuf,
    pub(crate) size: Size,
}

/// What is shared with the threads.
#[derive(Debug)]
pub(crate) struct Shared {
    emulator: Mutex<Emulator>,
    /// Counts what happened; the end of the program among it.
    happened: watch::Sender<Happened>,
}

/// A moment in the life of a program.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Happened {
    /// Grows with everything that is printed.
    pub(crate) count: u64,
    /// How the program ended, once it has and all it printed is on the screen.
    pub(crate) end: Option<String>,
}

impl Shared {
    pub(crate) fn emulator(&self) -> MutexGuard<'_, Emulator> {
        self.emulator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Happened> {
        self.happened.subscribe()
    }
}

/// A program and its terminal.
pub(crate) struct Pty {
    pub(crate) shared: Arc<Shared>,
    master: Mutex<Box<dyn MasterPty + Send>>,
    input: SyncSender<Vec<u8>>,
    tree: Arc<Mutex<Option<ProcessTree>>>,
}

impl std::fmt::Debug for Pty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pty").field("shared", &self.shared).finish_non_exhaustive()
    }
}

/// Why input could not be sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Refused {
    /// The program reads nothing, and much is waiting already.
    Full,
    /// It is over.
    Ended,
}

impl Pty {
    /// Starts a program within the limits. Blocks until it runs, or its supervisor does.
    ///
    /// # Errors
    /// When the system has no terminal, process or thread left, or the program or folder is not there.
    pub(crate) fn start(start: &Start, confinement: &Confinement) -> io::Result<Self> {
        let pair = native_pty_system().openpty(pty_size(start.size)).map_err(io::Error::other)?;
        let reader = pair.master.try_clone_reader().map_err(io::Error::other)?;
        let writer = pair.master.take_writer().map_err(io::Error::other)?;
        let confined = confinement.terminal_command(&start.program)?;
        let child = pair.slave.spawn_command(command(start, &confined)).map_err(io::Error::other)?;
        drop(pair.slave);
        let leader = child.process_id().ok_or_else(|| io::Error::other("the child has no id"))?;
        let tree = Arc::new(Mutex::new(Some(confined.tree(leader))));
        let shared = Arc::new(Shared {
            emulator: Mutex::new(Emulator::new(start.size)),
            happened: watch::Sender::new(Happened::default()),
        });
        let (input, waiting) = sync_channel(MOST_WAITING);
        let pty = Self { shared: Arc::clone(&shared), master: Mutex::new(pair.master), input, tree };
        let (all_read, reading_ended) = sync_channel(1);
        // From here on dropping `pty` ends the program, also when a thread cannot be made.
        let (seen, answers) = (Arc::clone(&shared), pty.input.clone());
        spawn("read", move || read(reader, &seen, &answers, &all_read))?;
        spawn("write", move || write(writer, &waiting))?;
        let tree = Arc::clone(&pty.tree);
        spawn("wait", move || wait(child, &tree, &shared, &reading_ended))?;
        Ok(pty)
    }

    /// Queues bytes for the program; never waits.
    pub(crate) fn send(&self, bytes: Vec<u8>) -> Result<(), Refused> {
        if self.end().is_some() {
            return Err(Refused::Ended);
        }
        self.input.try_send(bytes).map_err(|error| match error {
            TrySendError::Full(_) => Refused::Full,
            TrySendError::Disconnected(_) => Refused::Ended,
        })
    }

    /// Gives the terminal another size, of which the program is told.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn resize(&self, size: Size) -> io::Result<()> {
        // The screen first: what the program draws for the new size must find it.
        self.shared.emulator().resize(size);
        let master = self.master.lock().unwrap_or_else(PoisonError::into_inner);
        master.resize(pty_size(size)).map_err(io::Error::other)
    }

    /// How the program ended, when it has.
    pub(crate) fn end(&self) -> Option<String> {
        self.shared.happened.borrow().end.clone()
    }

    /// Ends everything that the program started; gives how many processes could not be ended.
    pub(crate) async fn close(&self) -> usize {
        let tree = take(&self.tree);
        let left = match tree {
            Some(tree) => tree.end(Reach::Everything, GRACE).await,
            None => 0,
        };
        let mut watch = self.shared.watch();
        // The thread that waits for the program tells how it ended.
        let _told = tokio::time::timeout(2 * LAST_OUTPUT, watch.wait_for(|now| now.end.is_some())).await;
        left
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        drop(take(&self.tree));
    }
}

fn take(tree: &Mutex<Option<ProcessTree>>) -> Option<ProcessTree> {
    tree.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn spawn(what: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().name(format!("terminal-{what}")).spawn(work).map(drop)
}

fn pty_size(size: Size) -> PtySize {
    PtySize { rows: size.rows, cols: size.cols, pixel_width: 0, pixel_height: 0 }
}

fn command(start: &Start, confined: &ConfinedTerminal) -> CommandBuilder {
    let mut command = CommandBuilder::from_argv(confined.words().to_vec());
    command.args(&start.args);
    command.set_controlling_tty(confined.is_controlled());
    command.cwd(&start.cwd);
    command.env_clear();
    let mut outer = None;
    for (name, value) in &start.environment {
        if name == MARK {
            outer = Some(value.as_str());
        }
        command.env(name, value);
    }
    command.env(MARK, confined.mark(outer.map(str::as_ref)));
    command
}

/// Puts what the program prints on the screen until there is no more, and answers its questions.
fn read(
    mut reader: Box<dyn Read + Send>,
    shared: &Shared,
    answers: &SyncSender<Vec<u8>>,
    ended: &SyncSender<()>,
) {
    let mut buffer = vec![0; 16 * PIECE_BYTES];
    loop {
        let read = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for piece in buffer.get(..read).unwrap_or_default().chunks(PIECE_BYTES) {
            let answer = shared.emulator().feed(piece);
            if !answer.is_empty() {
                // A program that asks and does not read gets no answer.
                let _sent = answers.try_send(answer);
            }
        }
        shared.happened.send_modify(|happened| happened.count += 1);
    }
    let _told = ended.try_send(());
}

/// Writes what is sent to the program. Ends when nobody can send any more, or the program's side is gone.
fn write(mut writer: Box<dyn Write + Send>, waiting: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = waiting.recv() {
        if writer.write_all(&bytes).and_then(|()| writer.flush()).is_err() {
            break;
        }
    }
}

/// Waits for the end of the program, ends what it left, and says how it was.
fn wait(
    mut child: Box<dyn Child + Send + Sync>,
    tree: &Mutex<Option<ProcessTree>>,
    shared: &Shared,
    reading_ended: &Receiver<()>,
) {
    let end = match child.wait() {
        Ok(status) => match status.signal() {
            Some(signal) => format!("ended by a signal: {signal}"),
            None => format!("ended with exit code {}", status.exit_code()),
        },
        Err(error) => format!("ended, and how cannot be told: {}", error.kind()),
    };
    drop(take(tree));
    if let Err(RecvTimeoutError::Timeout) = reading_ended.recv_timeout(LAST_OUTPUT) {
        // Something holds the terminal that could not be ended; what it prints still arrives.
    }
    shared.happened.send_modify(|happened| {
        happened.count += 1;
        happened.end = Some(end);
    });
}
