//! How command lines are started: with which shell, behind which program, after which file. Values of
//! the host's own environment, so that no file of a project decides what runs before every command.

use super::snapshot::Snapshot;
use pegboard_process::Limits;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// How command lines are started. The default: bash on PATH, nothing before it.
///
/// Whoever gives one to the tools must tell the gate the same: `shell_is_bash` and `shadowed` of its
/// configuration are [`ShellStartup::is_bash`] and [`ShellStartup::shadowed`].
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct ShellStartup {
    /// The shell. `None`: bash on PATH. `CLAUDE_CODE_SHELL`.
    pub program: Option<PathBuf>,
    /// A program, by its path or with words behind it, that gets each command as its last argument and
    /// is to run it, by `eval` or `sh -c`. `CLAUDE_CODE_SHELL_PREFIX`.
    pub prefix: Option<String>,
    /// A script that is read before each command; what it exports reaches the command. `CLAUDE_ENV_FILE`.
    pub env_file: Option<PathBuf>,
    /// What the start-up files of the user define.
    pub snapshot: Option<Arc<Snapshot>>,
    /// What all commands of a session may use together. `CLAUDE_CODE_TOOL_MEMORY_LIMIT`, settings; see
    /// [`CommandLimits`](super::CommandLimits).
    pub limits: Limits,
}

impl ShellStartup {
    /// What the variables say. Give the environment that the program was started with, not one that
    /// settings of a project were mixed into.
    #[must_use]
    pub fn of(vars: &BTreeMap<String, String>) -> Self {
        let value = |name: &str| vars.get(name).filter(|value| !value.trim().is_empty());
        Self {
            program: value("CLAUDE_CODE_SHELL").map(PathBuf::from),
            prefix: value("CLAUDE_CODE_SHELL_PREFIX").cloned(),
            env_file: value("CLAUDE_ENV_FILE").map(PathBuf::from),
            snapshot: None,
            limits: Limits::none(),
        }
    }

    /// The same with what the user's start-up files define. Of no effect with another shell than bash.
    #[must_use]
    pub fn with_snapshot(self, snapshot: Arc<Snapshot>) -> Self {
        Self { snapshot: Some(snapshot), ..self }
    }

    /// The same with limits of all commands together.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Whether the shell is bash; of any other one, no line can be told before it runs.
    #[must_use]
    pub fn is_bash(&self) -> bool {
        let name = self.program.as_ref().and_then(|program| program.file_name());
        self.program.is_none() || name.is_some_and(|name| name == "bash")
    }

    /// Names that mean something else in a command's shell than in a clean one. The env file adds none: it
    /// is read in a shell of its own, only variables come out of it.
    #[must_use]
    pub fn shadowed(&self) -> Arc<BTreeSet<String>> {
        let snapshot = self.snapshot.as_ref().filter(|_| self.is_bash());
        snapshot.map(|snapshot| Arc::clone(snapshot.names())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bash_can_be_told() {
        let of = |shell: &str| {
            ShellStartup::of(&BTreeMap::from([("CLAUDE_CODE_SHELL".to_owned(), shell.to_owned())]))
        };
        for (shell, is_bash) in
            [("", true), ("/opt/bash", true), ("bash", true), ("/bin/zsh", false), ("/bin/bash5", false)]
        {
            assert_eq!(of(shell).is_bash(), is_bash, "{shell}");
        }
    }
}
