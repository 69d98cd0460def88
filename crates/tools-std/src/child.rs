//! The standard streams of a started child, the same on every system, and reading all that it prints.

use pegboard_process::{Child, read_soon};
use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// What a child printed until it ended, and how it ended; no status when there was more than wanted.
#[derive(Debug)]
#[cfg_attr(not(any(unix, feature = "web")), expect(dead_code, reason = "only they read to an end"))]
pub(crate) struct Printed {
    pub(crate) bytes: Vec<u8>,
    pub(crate) status: Option<ExitStatus>,
}

/// Reads what `child` prints into `pipe` until it ended, and what was printed by then. Whoever else holds the pipe
/// does not hold us. Gives up after `most` bytes.
#[cfg_attr(not(any(unix, feature = "web")), expect(dead_code, reason = "only they read to an end"))]
pub(crate) async fn read_to_its_end(
    child: &mut Child,
    mut pipe: impl AsyncRead + Unpin,
    most: usize,
) -> io::Result<Printed> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; CHUNK_BYTES]);
    let mut is_open = true;
    let status = {
        let mut ended = pin!(child.wait());
        loop {
            let read = tokio::select! {
                biased;
                // Before the pipe, which a flood from what is left behind could keep busy for ever.
                status = &mut ended => break status?,
                read = pipe.read(&mut buffer), if is_open => read?,
            };
            is_open = read > 0;
            bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
            if bytes.len() > most {
                return Ok(Printed { bytes, status: None });
            }
        }
    };
    while is_open && bytes.len() <= most {
        let read = read_soon(&mut pipe, &mut buffer).await?;
        is_open = read > 0;
        bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
    let status = (bytes.len() <= most).then_some(status);
    Ok(Printed { bytes, status })
}

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
