//! Runs git, found on the call's PATH, so that the repository cannot make it run programs: no hooks, no file
//! system monitor, no pager, no remotes; and in a folder that is not trusted none of the filters that the
//! repository's own settings name.

use crate::child::{Streams, streams};
use crate::program;
use pegboard_process::{PIPE_PATIENCE, Reach, start};
use pegboard_tool_core::{CancellationToken, ErrorKind, ToolContext, ToolError};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::time::timeout;

/// Longest run of one git command: a checkout of a large repository takes its time.
const LIMIT: Duration = Duration::from_secs(300);
/// Most bytes of an output that are kept.
const MOST_OUTPUT: usize = 8 * 1024 * 1024;
/// Most bytes of what git complains that are kept.
const MOST_COMPLAINT: usize = 16 * 1024;
/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_secs(2);

/// Settings that win over the repository's.
const SETTINGS: [(&str, &str); 8] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("protocol.ext.allow", "never"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.detachedHead", "false"),
];

/// git, for one call.
#[derive(Clone, Debug)]
pub(super) struct Git {
    program: PathBuf,
    environment: Vec<(String, String)>,
    settings: Vec<(String, String)>,
    cancel: CancellationToken,
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) succeeded: bool,
    pub(super) output: Vec<u8>,
    pub(super) complaint: String,
}

impl Ran {
    /// The output's lines as text.
    pub(super) fn lines(&self) -> Vec<String> {
        String::from_utf8_lossy(&self.output).lines().map(str::to_owned).collect()
    }

    /// What git complains, in a line or two.
    pub(super) fn why(&self) -> String {
        let lines: Vec<&str> =
            self.complaint.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let fatal = lines.iter().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let line = fatal.or(lines.last()).copied().unwrap_or("it gave no reason");
        line.chars().take(300).collect()
    }
}

impl Git {
    /// git as `ctx` finds it.
    ///
    /// # Errors
    /// When it is not installed.
    pub(super) fn new(ctx: &ToolContext) -> Result<Self, ToolError> {
        let program = program::find("git", program::path_of(ctx))
            .ok_or_else(|| ToolError::new(ErrorKind::Unavailable, "git is not installed"))?;
        // A variable such as GIT_DIR would lead to another repository than the folder's.
        let mut environment = program::environment(ctx);
        environment.retain(|(name, _)| !name.starts_with("GIT_"));
        for (name, value) in
            [("GIT_TERMINAL_PROMPT", "0"), ("GIT_OPTIONAL_LOCKS", "0"), ("GIT_PAGER", "cat"), ("LC_ALL", "C")]
        {
            environment.retain(|(other, _)| other != name);
            environment.push((name.to_owned(), value.to_owned()));
        }
        if !ctx.trusted {
            // Missing objects would be fetched by a program that the repository may name.
            environment.push(("GIT_NO_LAZY_FETCH".to_owned(), "1".to_owned()));
        }
        let settings = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Ok(Self { program, environment, settings, cancel: ctx.cancel.clone() })
    }

    /// The same, deaf to the call's cancellation: for tidying up.
    pub(super) fn to_the_end(&self) -> Self {
        Self { cancel: CancellationToken::new(), ..self.clone() }
    }

    /// Switches off the filters that the settings of the repository at `folder` name. Gives their names.
    ///
    /// # Errors
    /// When git cannot be run.
    pub(super) async fn without_filters(&mut self, folder: &Path) -> Result<Vec<String>, ToolError> {
        let pattern = r"^filter\..*\.(clean|smudge|process)$";
        let ran = self
            .run(folder, ["config", "-z", "--show-scope", "--name-only", "--get-regexp", pattern])
            .await?;
        let text = String::from_utf8_lossy(&ran.output).into_owned();
        let mut parts = text.split('\0');
        let mut names = Vec::new();
        while let (Some(scope), Some(key)) = (parts.next(), parts.next()) {
            let name = key.strip_prefix("filter.").and_then(|rest| Some(rest.rsplit_once('.')?.0.to_owned()));
            // Settings of the user and of the machine are not the repository's.
            if let Some(name) = name.filter(|_| !matches!(scope, "system" | "global"))
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        for name in &names {
            for (key, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                self.settings.push((format!("filter.{name}.{key}"), value.to_owned()));
            }
        }
        Ok(names)
    }

    /// Runs git in `folder`.
    ///
    /// # Errors
    /// When it cannot be started, takes too long, or the call is cancelled. That git says no is no error here.
    pub(super) async fn run<I: AsRef<OsStr>>(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = I>,
    ) -> Result<Ran, ToolError> {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(folder).env_clear().envs(self.environment.iter().cloned());
        command.env("GIT_CONFIG_COUNT", self.settings.len().to_string());
        for (index, (name, value)) in self.settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), name);
            command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, tree) = start(command).map_err(unavailable)?;
        let Streams { stdout, stderr, .. } = streams(&mut child);
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        let ended = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ToolError::cancelled()),
            ended = timeout(LIMIT, async {
                tokio::join!(
                    child.wait(),
                    keep(stdout, &mut output, MOST_OUTPUT),
                    keep(stderr, &mut complaint, MOST_COMPLAINT),
                ).0
            }) => match ended {
                Ok(status) => status.map_err(unavailable),
                Err(_) => Err(ToolError::new(ErrorKind::TimedOut, "git took longer than 300 s and was ended")),
            },
        };
        match &ended {
            Ok(_) => tree.end(Reach::Everything, PIPE_PATIENCE).await,
            // git tidies up what it began when it is told politely.
            Err(_) => tokio::join!(tree.end(Reach::Everything, GRACE), child.wait()).0,
        };
        let complaint = String::from_utf8_lossy(&complaint).into_owned();
        Ok(Ran { succeeded: ended?.success(), output, complaint })
    }

    /// Runs git in `folder`, where a no is a failure.
    ///
    /// # Errors
    /// As [`Git::run`], and when git says no; `what` says what did not work.
    pub(super) async fn must<I: AsRef<OsStr>>(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = I>,
        what: &str,
    ) -> Result<Ran, ToolError> {
        let ran = self.run(folder, arguments).await?;
        if ran.succeeded {
            return Ok(ran);
        }
        Err(ToolError::failed(format!("{what}: git says: {}", ran.why())))
    }
}

/// Words of a command line, some of which are paths.
pub(super) fn words<const N: usize>(words: [&dyn AsRef<OsStr>; N]) -> Vec<OsString> {
    words.iter().map(|word| word.as_ref().to_owned()).collect()
}

/// Reads to the end; keeps the first `most` bytes.
async fn keep(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>, most: usize) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        let room = most.saturating_sub(kept.len()).min(read);
        kept.extend_from_slice(buffer.get(..room).unwrap_or_default());
    }
}

fn unavailable(error: std::io::Error) -> ToolError {
    ToolError::new(ErrorKind::Unavailable, "git could not be run")
        .with_operator_text(format!("git could not be run: {error}"))
        .with_source(error)
}
