//! One running server: its process, the handshake, and questions to it.

use super::connection::{AskError, Connection};
use super::documents::Documents;
use super::heard::Heard;
use super::languages::Server;
use super::position::Encoding;
use super::uri;
use crate::child::{Streams, streams};
use crate::program::{self, NoProgram};
use crate::settings::LspSettings;
use crate::settings::number::{self, Number};
use pegboard_process::{Child, Confinement, ProcessTree};
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Pause before an empty answer of a server that has just started is doubted.
const PAUSE: Duration = Duration::from_millis(400);
/// How often it is doubted.
const MOST_DOUBTS: u32 = 3;
/// How long a server is waited for that was waited for in vain.
const SHORT: Duration = Duration::from_secs(2);
/// Questions in a row without an answer in time after which a server is ended, although it says something.
const MOST_TIMEOUTS: u32 = 2;
/// Time for a server to end by itself.
const FAREWELL: Duration = Duration::from_secs(2);

/// Time limits of a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) start: Duration,
    pub(super) request: Duration,
    pub(super) indexing: Duration,
}

impl Limits {
    /// The limits of the settings; none is above ten minutes.
    pub(super) fn of(settings: &LspSettings) -> Self {
        let seconds = |number: Number, given: Option<u64>| Duration::from_secs(number.of(given));
        Self {
            start: seconds(number::LSP_START_SECONDS, settings.start_timeout_seconds),
            request: seconds(number::LSP_REQUEST_SECONDS, settings.request_timeout_seconds),
            indexing: seconds(number::LSP_INDEXING_SECONDS, settings.indexing_timeout_seconds),
        }
    }
}

/// Which empty answers are doubted while the server may still be reading the project.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Doubt {
    /// Those of a server that has never known anything.
    UntilItKnows,
    /// None: the answer needs no more than the file itself.
    Never,
}

/// A server that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) name: String,
    pub(super) encoding: Encoding,
    pub(super) documents: tokio::sync::Mutex<Documents>,
    capabilities: Value,
    connection: Connection,
    limits: Limits,
    /// Whether it ever knew anything about the project.
    is_settled: AtomicBool,
    /// Whether it was waited for in vain: it will not be for long again.
    is_lost_cause: AtomicBool,
    /// Questions in a row without an answer in time.
    timeouts: AtomicU32,
    process: Mutex<Option<Process>>,
}

/// Ends with the server.
#[derive(Debug)]
struct Process {
    // Dropped first: everything that the server started goes with it.
    _tree: ProcessTree,
    _child: Child,
}

impl Running {
    /// Starts a server for the project at `root` and shakes hands.
    ///
    /// # Errors
    /// When it is not installed, cannot be started, or does not answer.
    pub(super) async fn start(
        server: &Server,
        root: &Path,
        confinement: &Confinement,
        ctx: &ToolContext,
        limits: Limits,
    ) -> Result<Self, ToolError> {
        let name = &server.name;
        let program = server.program(std::env::split_paths(program::path_of(ctx))).map_err(|why| {
            let text = match why {
                NoProgram::NotFound if Path::new(&server.command).is_absolute() => {
                    format!("the language server {name} is not installed: `{}` {why}", server.command)
                }
                NoProgram::NotFound => format!(
                    "the language server {name} is not installed: there is no `{}` on PATH",
                    server.command
                ),
                _ => format!("the language server {name} cannot be started: `{}` {why}", server.command),
            };
            ToolError::new(ErrorKind::Unavailable, text)
        })?;
        let failed = |error: std::io::Error| {
            ToolError::new(ErrorKind::Unavailable, format!("the language server {name} could not be started"))
                .with_operator_text(format!("the language server {name} could not be started: {error}"))
                .with_source(error)
        };
        let mut confined = confinement.command(&program).map_err(failed)?;
        let command = confined.command();
        command.args(&server.args).current_dir(root).env_clear().envs(program::environment(ctx));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, tree) = confined.start().map_err(failed)?;
        let Streams { stdin: Some(stdin), stdout: Some(stdout), stderr: Some(stderr) } = streams(&mut child)
        else {
            return Err(failed(std::io::Error::other("it has no standard streams")));
        };
        let process = Process { _tree: tree, _child: child };
        let folder = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folders = json!([{"uri": uri::of(root), "name": folder}]);
        let heard = Arc::new(Heard::new(server.settings.clone(), folders.clone()));
        let connection = Connection::new(stdout, stdin, stderr, heard);
        let greeting = greeting(root, &folders, &server.options);
        let no = |error: AskError| {
            let text = format!("the language server {name} did not start: {}", in_words(&error, &connection));
            ToolError::new(ErrorKind::Unavailable, text)
        };
        let answer = connection.request("initialize", greeting, limits.start).await.map_err(no)?;
        connection.notify("initialized", json!({}), limits.start).await.map_err(no)?;
        if !server.settings.is_null() {
            let changed = json!({"settings": server.settings});
            connection.notify("workspace/didChangeConfiguration", changed, limits.start).await.map_err(no)?;
        }
        let capabilities = answer.get("capabilities").cloned().unwrap_or_default();
        Ok(Self {
            name: name.clone(),
            encoding: Encoding::of(&capabilities),
            documents: tokio::sync::Mutex::default(),
            capabilities,
            connection,
            limits,
            is_settled: AtomicBool::new(false),
            is_lost_cause: AtomicBool::new(false),
            timeouts: AtomicU32::new(0),
            process: Mutex::new(Some(process)),
        })
    }

    /// Whether it can be asked.
    pub(super) fn is_there(&self) -> bool {
        self.heard().is_there()
    }

    /// What was heard of it.
    pub(super) fn heard(&self) -> &Heard {
        self.connection.heard()
    }

    /// The way to it.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether the server says that it can do `capability`, such as `hoverProvider`.
    pub(super) fn can(&self, capability: &str) -> bool {
        !matches!(self.capabilities.get(capability), None | Some(Value::Null | Value::Bool(false)))
    }

    /// When waiting for the server to have read the project ends.
    pub(super) fn patience(&self) -> Instant {
        Instant::now() + self.limits.indexing
    }

    /// Waits until the server has read the project, at most until `deadline`.
    pub(super) async fn until_quiet(&self, deadline: Instant) {
        let was_lost = self.is_lost_cause.load(Ordering::Relaxed);
        let deadline = if was_lost { deadline.min(Instant::now() + SHORT) } else { deadline };
        let quiet = self.heard().wait(deadline, |heard| heard.busy().is_none().then_some(()));
        self.is_lost_cause.store(quiet.await.is_none(), Ordering::Relaxed);
    }

    /// Asks when the server has read the project, as far as it says so.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) async fn ask(&self, method: &str, params: Value, doubt: Doubt) -> Result<Value, AskError> {
        let deadline = self.patience();
        let mut doubts = 0;
        loop {
            if doubt == Doubt::UntilItKnows {
                self.until_quiet(deadline).await;
            }
            let before = (self.heard().messages(), self.heard().begun());
            let answer = self.connection.request(method, params.clone(), self.limits.request).await;
            let is_settled = self.is_settled.load(Ordering::Relaxed) || doubt == Doubt::Never;
            let may_doubt = doubts < MOST_DOUBTS && Instant::now() < deadline;
            match answer {
                Ok(answer) if is_empty(&answer) && !is_settled && may_doubt => {}
                // It began to read something while it answered.
                Ok(_) if doubt == Doubt::UntilItKnows && may_doubt && self.heard().begun() != before.1 => {}
                Ok(answer) => {
                    self.timeouts.store(0, Ordering::Relaxed);
                    if doubt == Doubt::UntilItKnows {
                        self.is_settled.store(true, Ordering::Relaxed);
                    }
                    return Ok(answer);
                }
                Err(AskError::Refused(refusal)) if may_doubt && (!is_settled || is_passing(refusal.code)) => {
                }
                Err(AskError::TimedOut) => {
                    let count = self.timeouts.fetch_add(1, Ordering::Relaxed) + 1;
                    if self.heard().messages() == before.0 || count >= MOST_TIMEOUTS {
                        self.stop("it did not answer");
                    }
                    return Err(AskError::TimedOut);
                }
                Err(error) => return Err(error),
            }
            doubts += 1;
            sleep(PAUSE).await;
        }
    }

    /// Ends it and everything it started, at once.
    pub(super) fn stop(&self, why: &str) {
        self.heard().is_gone(why.to_owned());
        drop(self.process.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Says farewell, then ends it.
    pub(super) async fn farewell(&self) {
        if self.is_there() && self.connection.request("shutdown", Value::Null, FAREWELL).await.is_ok() {
            let _gone_is_fine = self.connection.notify("exit", Value::Null, FAREWELL).await;
            self.heard().wait(Instant::now() + FAREWELL, |heard| (!heard.is_there()).then_some(())).await;
        }
        self.stop("it was stopped");
    }

    /// The failure of a question, for the model.
    pub(super) fn failed(&self, error: &AskError) -> ToolError {
        let kind = match error {
            AskError::Gone(_) => ErrorKind::Unavailable,
            AskError::TimedOut => ErrorKind::TimedOut,
            AskError::Refused(_) => ErrorKind::Failed,
        };
        let text = format!("{}: {}", self.name, in_words(error, &self.connection));
        ToolError::new(kind, text)
    }
}

fn in_words(error: &AskError, connection: &Connection) -> String {
    match error {
        AskError::TimedOut => match connection.heard().busy() {
            Some(busy) => format!("{error}; it is busy ({busy}). Try again later"),
            None => format!("{error}. {}", connection.heard().why_gone()),
        },
        other => other.to_string(),
    }
}

/// Refusals that may be over in a moment: the content changed, the server cancelled, it is not ready.
fn is_passing(code: i64) -> bool {
    matches!(code, -32801 | -32802 | -32002)
}

fn is_empty(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn greeting(root: &Path, folders: &Value, options: &Value) -> Value {
    json!({
        "processId": std::process::id(),
        "clientInfo": {"name": "pegboard", "version": env!("CARGO_PKG_VERSION")},
        "rootUri": uri::of(root),
        "rootPath": root.to_string_lossy(),
        "workspaceFolders": folders,
        "initializationOptions": options,
        "trace": "off",
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "window": {"workDoneProgress": true},
            "workspace": {
                "configuration": true,
                "workspaceFolders": true,
                "applyEdit": false,
                "symbol": {"symbolKind": {"valueSet": (1..=26).collect::<Vec<_>>()}},
            },
            "textDocument": {
                "synchronization": {"didSave": true},
                "definition": {"linkSupport": true},
                "implementation": {"linkSupport": true},
                "references": {},
                "hover": {"contentFormat": ["markdown", "plaintext"]},
                "documentSymbol": {
                    "hierarchicalDocumentSymbolSupport": true,
                    "symbolKind": {"valueSet": (1..=26).collect::<Vec<_>>()},
                },
                "callHierarchy": {},
                "publishDiagnostics": {"relatedInformation": false, "versionSupport": true},
                "diagnostic": {},
            },
            "experimental": {"serverStatusNotification": true},
        },
    })
}
