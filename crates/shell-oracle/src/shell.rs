//! The door to the private root: gives a line, gets what it did.

use crate::environment::World;
use crate::ran::Ran;
use std::io;

/// Why there is no oracle, or no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The machine does not let us make a private root.
    #[error("real bash cannot be asked on this machine: {reason}")]
    Unavailable {
        /// What is missing.
        reason: String,
    },
    /// A file could not be read or written, or the private root ended by itself.
    #[error("the private root failed")]
    Io(#[from] io::Error),
    /// What was said is not what is spoken here.
    #[error("the private root is not understood")]
    Answer(#[from] serde_json::Error),
}

impl OracleError {
    /// The machine does not let us make a private root.
    pub(crate) fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { reason: reason.into() }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{OracleError, Ran, World};
    use crate::root::{Root, find};
    use crate::runner::Request;
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::path::Path;
    use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
    use std::sync::Arc;
    use std::time::Duration;

    /// What is mounted before the root is changed. `$1` is the root, `$2` what `chroot` is told.
    const SETUP: &str = r#"
set -e
PATH=/usr/sbin:/sbin:/usr/bin:/bin
mount -t tmpfs -o mode=1777,size=64m,nosuid,nodev none "$1/work"
mount --bind /dev/null "$1/dev/null"
exec chroot $2 "$1" /oracle/runner --runner
"#;

    /// The private root, built once. Any number of shells can be started in it.
    #[derive(Clone, Debug)]
    #[non_exhaustive]
    pub struct Oracle {
        root: Arc<Root>,
    }

    impl Oracle {
        /// Builds the root below `parent`. `own` is the oracle's program and `stub` the stub's.
        ///
        /// # Errors
        ///
        /// [`OracleError::Unavailable`] where the machine forbids it.
        pub fn build(parent: &Path, own: &Path, stub: &Path) -> Result<Self, OracleError> {
            Ok(Self { root: Arc::new(Root::build(parent, own, stub)?) })
        }

        /// Starts a shell in namespaces of its own.
        ///
        /// # Errors
        ///
        /// [`OracleError::Unavailable`] where the machine forbids it.
        pub fn shell(&self) -> Result<Shell, OracleError> {
            let unshare =
                find("unshare").ok_or_else(|| OracleError::unavailable("`unshare` is not installed"))?;
            let mut reasons = Vec::new();
            // With all rights: as nobody. Without: as root of a user namespace, which is nobody outside.
            let ways: [(&[&str], &str); 2] =
                [(&[], "--userspec=65534:65534 --groups="), (&["--user", "--map-root-user"], "")];
            for (more, how) in ways {
                match self.start(&unshare, more, how) {
                    Ok(shell) => return Ok(shell),
                    Err(reason) => reasons.push(reason),
                }
            }
            Err(OracleError::unavailable(reasons.join("; ")))
        }

        fn start(&self, unshare: &Path, more: &[&str], how: &str) -> Result<Shell, String> {
            let root = self.root.path();
            let mut command = Command::new(unshare);
            command.args(more).args([
                "--mount",
                "--pid",
                "--net",
                "--ipc",
                "--uts",
                "--fork",
                "--kill-child",
            ]);
            command.arg(format!("--mount-proc={}", root.join("proc").display()));
            command.args(["/bin/sh", "-c", SETUP, "sh"]).arg(root).arg(how);
            command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().map_err(|error| error.to_string())?;
            let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
            let (Some(input), Some(mut output)) = (input, output) else { return Err("no pipes".to_owned()) };
            let mut first = String::new();
            let read = output.read_line(&mut first).map_err(|error| error.to_string());
            if read.is_ok() && first == "ready\n" {
                return Ok(Shell { child, input, output, _root: self.root.clone() });
            }
            let mut said = String::new();
            if let Some(mut errors) = child.stderr.take() {
                let _ = errors.read_to_string(&mut said);
            }
            let _ = child.kill();
            let _ = child.wait();
            Err(said.trim().replace('\n', ", "))
        }
    }

    /// A shell in the private root: runs one line after the other, each in a fresh folder.
    #[derive(Debug)]
    #[non_exhaustive]
    pub struct Shell {
        child: Child,
        input: ChildStdin,
        output: BufReader<ChildStdout>,
        /// Stays as long as a shell lives in it.
        _root: Arc<Root>,
    }

    impl Shell {
        /// Runs `line` and everything it starts to the end, or for at most `limit`.
        ///
        /// # Errors
        ///
        /// When the private root ended by itself; the shell is of no more use then.
        pub fn run(&mut self, line: &str, world: World, limit: Duration) -> Result<Ran, OracleError> {
            let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            let request = Request { line: line.to_owned(), world, limit };
            let mut text = serde_json::to_string(&request)?;
            text.push('\n');
            self.input.write_all(text.as_bytes())?;
            self.input.flush()?;
            let mut answer = String::new();
            self.output.read_line(&mut answer)?;
            if answer.is_empty() {
                let mut said = String::new();
                if let Some(mut errors) = self.child.stderr.take() {
                    let _ = errors.read_to_string(&mut said);
                }
                return Err(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, said).into());
            }
            Ok(serde_json::from_str(&answer)?)
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            // `unshare --kill-child` takes the whole namespace with it.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::{Oracle, Shell};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{OracleError, Ran, World};
    use std::path::Path;
    use std::time::Duration;

    /// The private root. There is none on this system.
    #[derive(Clone, Debug)]
    #[non_exhaustive]
    pub struct Oracle;

    impl Oracle {
        /// Says that it is for Linux.
        ///
        /// # Errors
        ///
        /// Always.
        pub fn build(_parent: &Path, _own: &Path, _stub: &Path) -> Result<Self, OracleError> {
            Err(OracleError::unavailable("it needs the namespaces of Linux"))
        }

        /// Says that it is for Linux.
        ///
        /// # Errors
        ///
        /// Always.
        pub fn shell(&self) -> Result<Shell, OracleError> {
            Err(OracleError::unavailable("it needs the namespaces of Linux"))
        }
    }

    /// A shell in the private root.
    #[derive(Debug)]
    #[non_exhaustive]
    pub struct Shell;

    impl Shell {
        /// Says that it is for Linux.
        ///
        /// # Errors
        ///
        /// Always.
        pub fn run(&mut self, _line: &str, _world: World, _limit: Duration) -> Result<Ran, OracleError> {
            Err(OracleError::unavailable("it needs the namespaces of Linux"))
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Oracle, Shell};
