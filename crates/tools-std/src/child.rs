//! The standard streams of a started child, the same on every system.

use pegboard_process::Child;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// Streams that were piped and not taken yet.
#[derive(Debug)]
pub(crate) struct Streams {
    #[cfg_attr(
        not(any(feature = "lsp", feature = "web")),
        expect(dead_code, reason = "only language servers and search programs are written to")
    )]
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

/// Takes the streams.
#[cfg(unix)]
pub(crate) fn streams(child: &mut Child) -> Streams {
    Streams { stdin: child.stdin().take(), stdout: child.stdout().take(), stderr: child.stderr().take() }
}

/// Takes the streams.
#[cfg(not(unix))]
pub(crate) fn streams(child: &mut Child) -> Streams {
    Streams { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() }
}
