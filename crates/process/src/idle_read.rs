//! Reading what is left in a pipe whose writers may live on.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How long an open pipe may be silent after its owner ended, before it counts as read to the end.
pub const PIPE_PATIENCE: Duration = Duration::from_millis(50);

/// Reads what is there or comes within [`PIPE_PATIENCE`]; 0 when nothing did.
///
/// # Errors
/// When reading fails.
pub async fn read_soon(pipe: &mut (impl AsyncRead + Unpin), buffer: &mut [u8]) -> io::Result<usize> {
    tokio::time::timeout(PIPE_PATIENCE, pipe.read(buffer)).await.unwrap_or(Ok(0))
}
