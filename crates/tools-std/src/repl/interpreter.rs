//! One running interpreter: it is given code, interrupted, and ended with everything that it started.

use super::channel::{Output, Said, replies, requests};
use super::kept::{Kept, Seen};
use super::language::ReplLanguage;
use crate::shell::output_file::Place;
use crate::shell::status::Status;
use crate::{Services, confined};
use pegboard_process::{Child, Confined, Interrupter, PIPE_PATIENCE, ProcessTree, Reach};
use pegboard_tool_core::{CancellationToken, ErrorKind, ToolContext, ToolError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep_until, timeout};

/// How long an interpreter may take to start.
const STARTS: Duration = Duration::from_secs(30);
/// How often code is interrupted before the interpreter is killed: once may come too early for the code to notice.
const INTERRUPTS: u32 = 4;
/// How long code may take to obey each time.
const OBEYS: Duration = Duration::from_secs(1);
/// How long an interpreter may take to end after it said goodbye.
const ENDS: Duration = Duration::from_secs(5);
/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(200);

/// An interpreter with its state.
#[derive(Debug)]
pub(super) struct Interpreter {
    language: ReplLanguage,
    child: Child,
    tree: Option<ProcessTree>,
    requests: SyncSender<Vec<u8>>,
    replies: mpsc::Receiver<Said>,
    output: Arc<Output>,
    nonce: String,
    /// Process id of a shell, from its first answer, before any code could have a say.
    shell: Option<u32>,
    /// The last request.
    last_id: u64,
    /// Whether its answer is still to come.
    is_running: bool,
    /// Whether its code was left running on purpose.
    is_left: bool,
}

/// How a wait for code ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    /// The code ran to its end.
    Done,
    /// The code failed; the reason is in the output.
    Failed,
    /// The code was interrupted; the state is kept.
    Interrupted,
    /// The last command of a shell had this status.
    Status(String),
    /// It still runs.
    Running,
    /// The interpreter is over, and how.
    Over(String),
}

/// Why a wait for code was given up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum GaveUp {
    Not,
    TimedOut,
    Cancelled,
}

/// What happens at the time limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum AtLimit {
    Interrupt,
    Leave,
}

impl Interpreter {
    /// Starts an interpreter, and waits until it takes code.
    ///
    /// # Errors
    /// When it is not installed or cannot be started.
    pub(super) async fn start(
        language: ReplLanguage,
        services: &Services,
        ctx: &ToolContext,
    ) -> Result<Self, ToolError> {
        let program = language.find(ctx).ok_or_else(|| {
            let others = ReplLanguage::ALL.into_iter().filter(|other| other.find(ctx).is_some());
            let others: Vec<&str> = others.map(ReplLanguage::name).collect();
            let there = if others.is_empty() { "none is".to_owned() } else { others.join(", ") };
            let text = format!("{} is not installed; there: {there}", language.program());
            ToolError::new(ErrorKind::Unavailable, text)
        })?;
        if !ctx.cwd.is_dir() {
            let text = "the working directory is gone; nothing was run";
            return Err(ToolError::new(ErrorKind::NotFound, text));
        }
        let failed = |error: io::Error| {
            let text = "the interpreter could not be started";
            ToolError::new(ErrorKind::Unavailable, text)
                .with_operator_text(format!("{text}: {error}"))
                .with_source(error)
        };
        let confinement = confined::of_session(services, ctx);
        let mut confined = confinement.command(Path::new("/bin/sh")).map_err(failed)?;
        let command = confined.command();
        command.args(language.arguments(program)).current_dir(&ctx.cwd);
        command.env_clear().envs(language.environment(ctx));
        let most = services.settings.shell.most_output();
        let kept = Kept::new(Place::of(ctx), most);
        let mut interpreter = Self::spawn(language, confined, kept).map_err(failed)?;
        interpreter.request(language.first_code())?;
        let ready = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return Err(ToolError::cancelled()),
            ready = timeout(STARTS, interpreter.reply()) => ready,
        };
        let said = interpreter.output.take().text;
        match ready {
            Ok(Outcome::Done | Outcome::Status(_)) => Ok(interpreter),
            _ => {
                let said: String = said.trim().chars().take(2000).collect();
                let text = format!("{} started and did not take code; it said: {said}", language.program());
                Err(ToolError::new(ErrorKind::Unavailable, text))
            }
        }
    }

    fn spawn(language: ReplLanguage, mut confined: Confined, kept: Kept) -> io::Result<Self> {
        let (request_end, request_pipe) = io::pipe()?;
        let (reply_pipe, reply_end) = io::pipe()?;
        let (output_pipe, output_end) = io::pipe()?;
        confined
            .command()
            .stdin(Stdio::from(request_end))
            .stdout(Stdio::from(reply_end))
            .stderr(Stdio::from(output_end));
        let (child, tree) = confined.start()?;
        let nonce = nonce();
        Ok(Self {
            language,
            child,
            tree: Some(tree),
            requests: requests(request_pipe)?,
            replies: replies(reply_pipe, nonce.clone())?,
            output: Output::new(output_pipe, kept)?,
            nonce,
            shell: None,
            last_id: 0,
            is_running: false,
            is_left: false,
        })
    }

    pub(super) fn is_running(&self) -> bool {
        self.is_running
    }

    /// Whether the call of the code that runs was dropped, and its code interrupted.
    pub(super) fn is_abandoned(&self) -> bool {
        self.is_running && !self.is_left
    }

    /// The folder in which a shell is that waits for code; `None` when that cannot be told.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        // A table of processes that is not ours shows others under our numbers.
        let own: u32 = std::fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()?;
        let shell = self.shell.filter(|_| own == std::process::id() && !self.is_running)?;
        std::fs::read_link(format!("/proc/{shell}/cwd")).ok()
    }

    /// What it printed since the last look.
    pub(super) fn output(&self) -> Seen {
        self.output.take()
    }

    /// Stores output that is too long for memory there from now on.
    pub(super) fn store_at(&self, place: Place) {
        self.output.store_at(place);
    }

    /// Gives it code, whose answer is then to come.
    ///
    /// # Errors
    /// When it takes none.
    pub(super) fn request(&mut self, code: &str) -> Result<(), ToolError> {
        self.last_id += 1;
        let request = self.language.request(&self.nonce, self.last_id, code);
        self.requests.try_send(request).map_err(|_| {
            ToolError::new(ErrorKind::Conflict, "the interpreter takes no code; use the action `restart`")
        })?;
        (self.is_running, self.is_left) = (true, false);
        Ok(())
    }

    /// Waits for the answer to the last request. Safe to drop.
    async fn reply(&mut self) -> Outcome {
        while self.is_running {
            let said = tokio::select! {
                biased;
                said = self.replies.recv() => said,
                // Its last answer may be on its way; what it left may hold the channel open.
                _ended = self.child.wait() => timeout(PIPE_PATIENCE, self.replies.recv()).await.ok().flatten(),
            };
            let reply = match said {
                Some(Said::Reply(reply)) => reply,
                Some(Said::Garbage) => {
                    self.end().await;
                    let how =
                        "was killed: something wrote into the channel by which it answers, which is broken";
                    return Outcome::Over(how.to_owned());
                }
                None => return Outcome::Over(self.ended().await),
            };
            if reply.id == self.last_id {
                self.is_running = false;
                self.shell = self.shell.or(reply.shell);
                return match reply.outcome.as_str() {
                    "ok" | "0" => Outcome::Done,
                    "error" => Outcome::Failed,
                    // As a shell says that an interrupt ended its command.
                    "interrupted" => Outcome::Interrupted,
                    status => Outcome::Status(status.to_owned()),
                };
            }
        }
        Outcome::Done
    }

    /// Waits until the code is done, or the limit. Whatever comes, the interpreter takes code again or is over after
    /// it, unless it may go on.
    pub(super) async fn finish(
        &mut self,
        limit: Duration,
        at_limit: AtLimit,
        cancel: &CancellationToken,
    ) -> (Outcome, GaveUp) {
        let deadline = tokio::time::Instant::now() + limit;
        // Dropped before it is done, the call takes its code with it.
        let mut dropped = Dropped { interrupter: self.interrupter(), state: Unfinished::Yes };
        if at_limit == AtLimit::Leave && self.is_left {
            dropped.state = Unfinished::No;
        }
        let gave_up = tokio::select! {
            biased;
            outcome = self.reply() => {
                dropped.state = Unfinished::No;
                return (outcome, GaveUp::Not);
            }
            () = cancel.cancelled() => GaveUp::Cancelled,
            () = sleep_until(deadline) => GaveUp::TimedOut,
        };
        if at_limit == AtLimit::Leave && (gave_up == GaveUp::TimedOut || self.is_left) {
            dropped.state = Unfinished::No;
            self.is_left = true;
            return (Outcome::Running, gave_up);
        }
        let outcome = self.interrupt().await;
        dropped.state = Unfinished::No;
        (outcome, gave_up)
    }

    /// Interrupts the code as Ctrl-C does, and ends the interpreter when that does not help.
    pub(super) async fn interrupt(&mut self) -> Outcome {
        if !self.is_running {
            return Outcome::Done;
        }
        for _ in 0..INTERRUPTS {
            self.interrupter().into_iter().for_each(Interrupter::interrupt);
            if let Some(more) = self.language.after_interrupt(&self.nonce, self.last_id) {
                let _full_is_fine = self.requests.try_send(more);
            }
            match timeout(OBEYS, self.reply()).await {
                Ok(outcome @ Outcome::Over(_)) => return outcome,
                // Some code catches the interrupt and ends in its own way.
                Ok(_) => return self.checked().await,
                Err(_) => {}
            }
        }
        self.end().await;
        let seconds = (OBEYS * INTERRUPTS).as_secs();
        Outcome::Over(format!("did not obey the interrupt within {seconds}s and was killed"))
    }

    /// Whether the interpreter still takes code after an interrupt, which may have hit more than the code.
    async fn checked(&mut self) -> Outcome {
        let answer = match self.request("") {
            Ok(()) => timeout(OBEYS * INTERRUPTS, self.reply()).await,
            Err(_) => Ok(Outcome::Over("takes no code after the interrupt and was killed".to_owned())),
        };
        match answer {
            Ok(Outcome::Over(how)) => {
                self.end().await;
                Outcome::Over(how)
            }
            Ok(_) => Outcome::Interrupted,
            Err(_) => {
                self.end().await;
                Outcome::Over("did not answer after the interrupt and was killed".to_owned())
            }
        }
    }

    fn interrupter(&self) -> Option<Interrupter> {
        self.tree.as_ref().map(ProcessTree::interrupter)
    }

    /// Waits for the end of an interpreter that closed its channel, and says how it was.
    async fn ended(&mut self) -> String {
        let status = timeout(ENDS, self.child.wait()).await;
        self.end().await;
        match status {
            Ok(Ok(status)) => format!("ended: {}", Status::of(status).heading()),
            Ok(Err(error)) => format!("ended, and how cannot be told ({})", error.kind()),
            Err(_) => "closed its control channel and was killed".to_owned(),
        }
    }

    /// Ends it and everything that it started; gives how many processes could not be ended.
    pub(super) async fn end(&mut self) -> usize {
        self.is_running = false;
        match self.tree.take() {
            Some(tree) => {
                tokio::join!(tree.end(Reach::Everything, GRACE), timeout(ENDS, self.child.wait())).0
            }
            None => 0,
        }
    }
}

/// Interrupts code whose call was dropped.
struct Dropped {
    interrupter: Option<Interrupter>,
    state: Unfinished,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Unfinished {
    Yes,
    No,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        if self.state == Unfinished::Yes {
            self.interrupter.into_iter().for_each(Interrupter::interrupt);
        }
    }
}

/// A word that no code guesses.
fn nonce() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    let word = || RandomState::new().hash_one(std::time::SystemTime::now());
    format!("{:016x}{:016x}", word(), word())
}
