//! One thing that goes on after its call, and what can be told of it.

use super::output::{Output, Stored};
use super::running::Tree;
use super::status::Status;
use crate::confined::LimitWatch;
use crate::foreign::quoted;
use pegboard_tool_core::CancellationToken;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Which tool started a task.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskKind {
    /// A command line of Bash.
    Bash,
    /// A command line of PowerShell.
    #[serde(rename = "powershell")]
    PowerShell,
    /// A watch of Monitor.
    Monitor,
}

impl TaskKind {
    /// The id of such a task with this number.
    pub(crate) fn id(self, number: u64) -> String {
        let stem = match self {
            Self::Bash => "bash",
            Self::PowerShell => "powershell",
            Self::Monitor => "monitor",
        };
        format!("{stem}_{number}")
    }
}

/// How a task ended.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "how")]
#[non_exhaustive]
pub enum TaskEnd {
    /// Its program is over.
    Exited {
        /// Its exit code, 128 and the number of the signal for one that was ended by it.
        code: Option<i32>,
        /// The name of that signal.
        signal: Option<String>,
    },
    /// It was stopped by a call, or with its session or agent.
    Stopped,
    /// It reached the end of its time.
    TimedOut,
    /// It printed more than it may.
    TooMuchOutput,
    /// The other side of a connection closed it.
    Closed {
        /// The code of the protocol, when it gave one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<u16>,
        /// Why, in its words, on one line.
        reason: Option<String>,
    },
    /// It can no longer be watched.
    Lost {
        /// Why.
        problem: String,
    },
}

impl TaskEnd {
    pub(crate) fn of(status: Status) -> Self {
        let signal = status.signal.and_then(super::status::signal_name).map(str::to_owned);
        Self::Exited { code: status.code, signal }
    }

    /// In words, such as `exited with code 1`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Exited { code: Some(code), signal: Some(signal) } => {
                format!("exited with code {code} ({signal})")
            }
            Self::Exited { code: Some(code), signal: None } => format!("exited with code {code}"),
            Self::Exited { code: None, .. } => "exited".to_owned(),
            Self::Stopped => "was stopped".to_owned(),
            Self::TimedOut => "was killed at the end of its time".to_owned(),
            Self::TooMuchOutput => "was killed because it printed too much".to_owned(),
            Self::Closed { code, reason } => {
                let code = code.map(|code| format!("code {code}"));
                let reason = reason.as_ref().filter(|reason| !reason.is_empty());
                let reason = reason.map(|reason| format!("its words: {}", quoted(reason)));
                match [code, reason].into_iter().flatten().collect::<Vec<_>>() {
                    none if none.is_empty() => "was closed by the other side".to_owned(),
                    said => format!("was closed by the other side ({})", said.join(", ")),
                }
            }
            Self::Lost { problem } => format!("was lost: {problem}"),
        }
    }
}

/// A task at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskView {
    /// Its id, unique in the session.
    pub id: String,
    /// Which tool started it.
    pub kind: TaskKind,
    /// The command line, or the address that is watched.
    pub command: String,
    /// What it is for, in the model's words.
    pub description: Option<String>,
    /// The subagent that started it.
    pub agent: Option<Arc<str>>,
    /// How it ended; `None` while it runs.
    pub end: Option<TaskEnd>,
    /// File that holds its output and grows.
    pub output: Option<PathBuf>,
    /// Bytes that it printed.
    pub bytes: u64,
    /// How long it has run, or ran.
    pub lasted: Duration,
    /// What else is to know: limits that were hit, processes that could not be ended.
    pub notices: Vec<String>,
}

/// What is said about a task when it is handed over.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) kind: TaskKind,
    pub(crate) command: String,
    pub(crate) description: Option<String>,
    pub(crate) agent: Option<Arc<str>>,
    /// How long it may live, from now; `None` as long as the session.
    pub(crate) life: Option<Duration>,
}

/// A task of the registry.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) about: About,
    /// The host that writes what it sees, when it listens to one.
    pub(crate) from: Option<String>,
    pub(crate) output: Arc<Output>,
    /// Its processes, when it has any.
    pub(crate) tree: Option<Arc<Tree>>,
    /// Which limits are hit while it runs.
    pub(crate) limits: Option<LimitWatch>,
    /// What its end left to say; empty before.
    pub(crate) last_words: Mutex<Vec<String>>,
    /// Ends it in good order.
    pub(crate) stop: CancellationToken,
    pub(crate) began: Instant,
    /// When its life is over.
    pub(crate) until: Option<tokio::time::Instant>,
    pub(crate) state: watch::Sender<Option<(TaskEnd, Duration)>>,
    /// Bytes of the output that were given to the model. Whoever shows more of it holds the lock meanwhile.
    pub(crate) read: Mutex<u64>,
    /// Calls that wait for the end to show the output, in the order in which they came.
    pub(crate) waiting: tokio::sync::Mutex<()>,
    /// Whether the model was told that it ended.
    pub(crate) told: AtomicBool,
    /// What drives it.
    pub(crate) driver: Mutex<Option<AbortHandle>>,
}

impl Task {
    /// A task that starts now.
    pub(crate) fn new(number: u64, about: About, output: Arc<Output>, tree: Option<Arc<Tree>>) -> Self {
        Self {
            id: about.kind.id(number),
            from: None,
            output,
            tree,
            limits: None,
            last_words: Mutex::default(),
            stop: CancellationToken::new(),
            began: Instant::now(),
            until: about.life.and_then(|life| tokio::time::Instant::now().checked_add(life)),
            state: watch::Sender::new(None),
            read: Mutex::default(),
            waiting: tokio::sync::Mutex::default(),
            told: AtomicBool::new(false),
            driver: Mutex::default(),
            about,
        }
    }

    pub(crate) fn view(&self) -> TaskView {
        let state = self.state.borrow().clone();
        let lasted = state.as_ref().map_or_else(|| self.began.elapsed(), |(_, lasted)| *lasted);
        TaskView {
            id: self.id.clone(),
            kind: self.about.kind,
            command: self.about.command.clone(),
            description: self.about.description.clone(),
            agent: self.about.agent.clone(),
            end: state.map(|(end, _)| end),
            output: match self.output.stored() {
                Stored::File(path) => Some(path),
                Stored::Lost { path, .. } => path,
                Stored::Memory => None,
            },
            bytes: self.output.bytes(),
            lasted,
            notices: self.notices(),
        }
    }

    /// Limits that were hit so far, or what was to say at its end.
    fn notices(&self) -> Vec<String> {
        if !self.runs() {
            return self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
        }
        self.limits.as_ref().map(LimitWatch::notices).unwrap_or_default()
    }

    /// Its id and what it is for, on one line.
    pub(crate) fn in_short(&self) -> String {
        format!("{} ({})", self.id, short(self.about.description.as_ref().unwrap_or(&self.about.command)))
    }

    pub(crate) fn runs(&self) -> bool {
        self.state.borrow().is_none()
    }

    /// Waits until it is told to stop or its life is over, and says which. Safe to drop and to ask again.
    pub(crate) async fn over(&self) -> TaskEnd {
        let end_of_life = async {
            match self.until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => TaskEnd::Stopped,
            () = end_of_life => TaskEnd::TimedOut,
        }
    }

    /// Waits until it ended. Safe to drop.
    pub(crate) async fn ended(&self) {
        // An error says that the sender is gone; it is part of the task.
        let mut state = self.state.subscribe();
        let _ended = state.wait_for(Option::is_some).await;
    }

    /// Kills it now, and returns when nothing of it is left. (One that is being ended already is left
    /// to whoever does it, who is hurried.)
    pub(crate) fn kill(&self) {
        // The processes first: who is told to stop would take them to end them politely.
        drop(self.tree.as_ref().and_then(|tree| tree.take()));
        if let Some(driver) = self.driver.lock().unwrap_or_else(PoisonError::into_inner).take() {
            driver.abort();
        }
        self.stop.cancel();
    }
}

/// The first line of a text, at most 100 characters of it.
pub(crate) fn short(text: &str) -> String {
    let first = text.trim().lines().next().unwrap_or_default();
    let cut: String = first.chars().take(100).collect();
    if cut.len() < text.trim().len() { format!("{cut} ...") } else { cut }
}
