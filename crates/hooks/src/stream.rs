//! One output stream of a process, read in bounded memory.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes that are kept from the start of a stream.
const HEAD_BYTES: usize = 8 * 1024 * 1024;
/// Bytes that are kept from the end of a longer one.
const TAIL_BYTES: usize = 64 * 1024;
/// Bytes read after the process ended from a pipe that somebody else still writes to.
const LATE_BYTES: usize = HEAD_BYTES;
/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// A readable end.
pub(crate) type Pipe = Box<dyn AsyncRead + Send + Unpin>;

/// Its start, and its end when it is longer.
pub(crate) struct Stream {
    pipe: Option<Pipe>,
    head: Vec<u8>,
    tail: Vec<u8>,
    total: usize,
}

impl Stream {
    pub(crate) fn new(pipe: Option<Pipe>) -> Self {
        Self { pipe, head: Vec::new(), tail: Vec::new(), total: 0 }
    }

    pub(crate) async fn read_all(&mut self) {
        let Some(mut pipe) = self.pipe.take() else { return };
        let mut buffer = vec![0; CHUNK_BYTES];
        // The pipe is put back before every wait, so that nothing is lost when this is dropped.
        loop {
            let read = {
                let slot = self.pipe.insert(pipe);
                slot.read(&mut buffer).await
            };
            match (read, self.pipe.take()) {
                (Ok(read @ 1..), Some(back)) => {
                    self.keep(buffer.get(..read).unwrap_or_default());
                    pipe = back;
                }
                _ => return,
            }
        }
    }

    /// What still is in the pipe after the process ended.
    pub(crate) async fn read_late(&mut self) {
        let Some(mut pipe) = self.pipe.take() else { return };
        let mut buffer = vec![0; CHUNK_BYTES];
        let mut late = 0;
        while late < LATE_BYTES {
            match pegboard_process::read_soon(&mut pipe, &mut buffer).await {
                Ok(read @ 1..) => {
                    late += read;
                    self.keep(buffer.get(..read).unwrap_or_default());
                }
                _ => return,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len());
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(tail);
        if self.tail.len() > 2 * TAIL_BYTES {
            self.tail.drain(..self.tail.len() - TAIL_BYTES);
        }
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.total > self.head.len() + self.tail.len()
    }

    pub(crate) fn into_text(self) -> String {
        let mut bytes = self.head;
        if self.total > bytes.len() + self.tail.len() {
            bytes.extend_from_slice(b"\n");
        }
        bytes.extend_from_slice(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
