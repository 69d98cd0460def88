//! The reading end of a pipe that a command prints into.

use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;

/// Bytes read at once, and asked of the system for its side of the pipe.
const CHUNK_BYTES: usize = 256 * 1024;

/// The reading end of a pipe.
#[derive(Debug)]
pub(crate) struct Source {
    pipe: Receiver,
    buffer: Vec<u8>,
    is_open: bool,
}

impl Source {
    /// A pipe: this end, and the one for the command.
    pub(crate) fn new() -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        #[cfg(target_os = "linux")]
        let _smaller_works_too = rustix::pipe::fcntl_setpipe_size(&reader, CHUNK_BYTES);
        let pipe = Receiver::from_owned_fd(OwnedFd::from(reader))?;
        Ok((Self { pipe, buffer: Vec::new(), is_open: true }, writer))
    }

    /// Whether somebody may still write.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Reads once; nothing when everybody closed the other end. Safe to drop: nothing is lost.
    pub(crate) async fn read(&mut self) -> &[u8] {
        if self.buffer.is_empty() {
            self.buffer = vec![0; CHUNK_BYTES];
        }
        // A pipe that cannot be read is as good as closed.
        let read = self.pipe.read(&mut self.buffer).await.unwrap_or(0);
        self.is_open = read > 0;
        self.buffer.get(..read).unwrap_or_default()
    }
}
