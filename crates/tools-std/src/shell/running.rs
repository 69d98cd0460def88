//! A command that runs: it is driven until something happens, and then closed or handed over.

use super::engine::unavailable;
use super::output::{Collector, Output};
use super::side::{LastWords, Side};
use super::source::Source;
use crate::confined::LimitWatch;
use pegboard_process::{Child, PIPE_PATIENCE, ProcessTree, Reach};
use pegboard_tool_core::ToolError;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(100);
/// How long what a command left behind may go on printing before it is ended.
const FAREWELL: Duration = Duration::from_millis(250);
/// How long a supervisor lets what is left go on before it ends it, and so waits at least when it has to.
const SUPERVISED_FAREWELL: Duration = Duration::from_millis(100);
/// Bytes read after the program ended from a pipe that is still open.
const LATE_BYTES: usize = 1024 * 1024;

/// Sees standard output as it comes.
pub(crate) trait OutputWatcher: Debug + Send {
    /// More of it. Must not block.
    fn chunk(&mut self, chunk: &[u8]);
    /// No more comes.
    fn end(&mut self);
}

/// What [`Running`] is made of.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) child: Child,
    pub(crate) tree: ProcessTree,
    pub(crate) output: Source,
    pub(crate) errors: Option<Source>,
    pub(crate) watcher: Option<Box<dyn OutputWatcher>>,
    pub(crate) collector: Collector,
    pub(crate) side: Side,
    pub(crate) most_output: u64,
    /// Which limits are hit while it runs.
    pub(crate) limits: LimitWatch,
}

/// A command that runs. Dropping it kills everything that it started.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    tree: Arc<Tree>,
    output: Source,
    errors: Option<Source>,
    watcher: Option<Box<dyn OutputWatcher>>,
    collector: Collector,
    side: Side,
    most_output: u64,
    limits: LimitWatch,
    began: Instant,
}

/// Why [`Running::drive`] came back.
#[derive(Debug)]
pub(crate) enum Step<T> {
    /// What was waited for beside the command came first; the command runs on.
    Other(T),
    /// The program is over; what it started may not be.
    Exited(ExitStatus),
    /// It printed more than it may, and runs on.
    TooMuchOutput,
}

/// What a command left.
#[derive(Debug)]
pub(crate) struct Closed {
    /// Everything that it printed.
    pub(crate) output: Arc<Output>,
    /// Its working directory at its end, when it said so.
    pub(crate) shell_cwd: Option<PathBuf>,
    /// Jobs of its shell that ran at its end and had to be ended.
    pub(crate) ended_jobs: usize,
    /// Processes that could not be ended.
    pub(crate) survivors: usize,
    /// Which limits of the session were hit meanwhile, for the model.
    pub(crate) limit_notices: Vec<String>,
}

impl Closed {
    /// What the model must know of its end beside its output.
    pub(crate) fn notices(&self) -> Vec<String> {
        let survivors = (self.survivors > 0)
            .then(|| format!("{} processes of the command could not be ended", self.survivors));
        self.limit_notices.iter().cloned().chain(survivors).collect()
    }
}

impl Running {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { child, tree, output, errors, watcher, collector, side, most_output, limits } = parts;
        let tree = Arc::new(Tree(Mutex::new(Some(tree))));
        let began = Instant::now();
        Self { child, tree, output, errors, watcher, collector, side, most_output, limits, began }
    }

    /// What it printed so far; grows while the command is driven.
    pub(crate) fn output(&self) -> &Arc<Output> {
        self.collector.output()
    }

    /// What kills everything at once.
    pub(crate) fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Which limits are hit while it runs.
    pub(crate) fn limits(&self) -> &LimitWatch {
        &self.limits
    }

    /// Folder of the session that it runs in, when there is one.
    pub(crate) fn session_dir(&self) -> Option<&Path> {
        self.collector.place().session_dir()
    }

    /// When it was started.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// Makes sure that the whole output, now and later, is in a file.
    pub(crate) async fn store(&mut self) {
        self.collector.store().await;
    }

    /// Reads what it prints until it ends or `other` is done. Safe to drop, and to call again.
    pub(crate) async fn drive<T>(&mut self, other: impl Future<Output = T>) -> Result<Step<T>, ToolError> {
        let Self { child, output, errors, watcher, collector, most_output, .. } = self;
        let mut wait = pin!(child.wait());
        let mut other = pin!(other);
        loop {
            if collector.output().bytes() > *most_output {
                return Ok(Step::TooMuchOutput);
            }
            let is_open = output.is_open() || errors.as_ref().is_some_and(Source::is_open);
            tokio::select! {
                biased;
                done = &mut other => return Ok(Step::Other(done)),
                // Before the pipe, which a flood from what is left behind could keep busy for ever.
                status = &mut wait => {
                    return match status {
                        Ok(status) => Ok(Step::Exited(status)),
                        Err(error) => Err(unavailable("the shell could not be waited for", error)),
                    };
                }
                () = read(output, errors.as_mut(), watcher.as_deref_mut(), collector), if is_open => {}
            }
        }
    }

    /// Ends everything that is left of it, and reads what is left in the pipe.
    pub(crate) async fn close(mut self) -> Closed {
        let status = self.child.try_wait().ok().flatten();
        let last_words = status.and_then(|_| self.side.last_words());
        if status.is_some() {
            // Who only needs a moment for its last words, such as `> >(tee log)`, gets it.
            let _patience_ends_it = timeout(FAREWELL, self.drain()).await;
        }
        let mut tree = self.tree.take();
        if let (Some(tree), Some(status)) = (&mut tree, status) {
            tree.leader_ended(status);
        }
        let ended_jobs = last_words.as_ref().map_or(0, |words| self.jobs_to_end(words));
        let survivors = match tree {
            Some(tree) => tokio::join!(tree.end(Reach::Everything, GRACE), self.child.wait()).0,
            None => 0,
        };
        self.drain().await;
        if let Some(watcher) = &mut self.watcher {
            watcher.end();
        }
        self.collector.finish().await;
        Closed {
            output: Arc::clone(self.output()),
            shell_cwd: last_words.or_else(|| self.side.last_words()).map(|words| words.cwd),
            ended_jobs,
            survivors,
            limit_notices: self.limits.notices(),
        }
    }

    /// How many of the jobs that ran at the shell's end did not end by themselves.
    fn jobs_to_end(&self, words: &LastWords) -> usize {
        use rustix::process::{Pid, test_kill_process};
        if words.jobs.is_empty() {
            return 0;
        }
        let jobs = words.jobs.iter().filter_map(|id| Pid::from_raw(*id));
        let living = jobs.filter(|job| test_kill_process(*job).is_ok()).count();
        // A supervisor has ended them before we know of the end of the shell; it waits a while first.
        if living == 0 && words.age >= SUPERVISED_FAREWELL && self.limits.is_supervised() {
            return words.jobs.len();
        }
        living
    }

    /// Reads what was written before the end; whoever else holds the pipe does not hold us.
    async fn drain(&mut self) {
        let before = self.output().bytes();
        while self.output.is_open() || self.errors.as_ref().is_some_and(Source::is_open) {
            let (watcher, errors) = (self.watcher.as_deref_mut(), self.errors.as_mut());
            let read = read(&mut self.output, errors, watcher, &mut self.collector);
            let is_silent = timeout(PIPE_PATIENCE, read).await.is_err();
            if is_silent || self.output().bytes() - before > LATE_BYTES as u64 {
                return;
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.tree.take());
    }
}

/// Reads once from either stream. Safe to drop.
async fn read(
    output: &mut Source,
    errors: Option<&mut Source>,
    watcher: Option<&mut (dyn OutputWatcher + 'static)>,
    collector: &mut Collector,
) {
    // The chunk before must be on disk first: memory stays bounded, a slow disk slows the command.
    collector.settle().await;
    let output_open = output.is_open();
    match errors.filter(|errors| errors.is_open()) {
        Some(errors) => tokio::select! {
            chunk = output.read(), if output_open => {
                collector.take(chunk);
                watcher.into_iter().for_each(|watcher| watcher.chunk(chunk));
            }
            chunk = errors.read() => collector.take(chunk),
        },
        None => {
            let chunk = output.read().await;
            collector.take(chunk);
            watcher.into_iter().for_each(|watcher| watcher.chunk(chunk));
        }
    }
}

/// The processes of a command: whoever takes them ends them, and only one does.
#[derive(Debug)]
pub(crate) struct Tree(Mutex<Option<ProcessTree>>);

impl Tree {
    /// Takes the tree; dropping it kills everything in it before the drop is over.
    pub(crate) fn take(&self) -> Option<ProcessTree> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
