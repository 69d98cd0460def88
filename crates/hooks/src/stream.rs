//! One output stream of a process, read in bounded memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes that are kept from the start of standard output: an answer of any sensible size is read as a whole.
pub(crate) const ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of it that all answers together may have above what any stream may keep.
const MOST_LONG_BYTES: usize = 4 * ANSWER_BYTES;
/// How many they have now.
static LONG_BYTES: AtomicUsize = AtomicUsize::new(0);
/// Bytes that are kept from the start of any stream. Only what begins as JSON may be longer.
pub(crate) const ERROR_BYTES: usize = 8 * 1024 * 1024;
/// Bytes that are kept from the end of a longer one.
const TAIL_BYTES: usize = 64 * 1024;
/// Bytes read after the process ended from a pipe that somebody else still writes to.
const LATE_BYTES: usize = ERROR_BYTES;
/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// A readable end.
pub(crate) type Pipe = Box<dyn AsyncRead + Send + Unpin>;

/// Its start, and its end when it is longer.
pub(crate) struct Stream {
    pipe: Option<Pipe>,
    most: usize,
    /// Bytes of the head that count as long.
    long: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
    total: usize,
}

impl Stream {
    /// Keeps `most` bytes of the start.
    pub(crate) fn new(pipe: Option<Pipe>, most: usize) -> Self {
        Self { pipe, most, long: 0, head: Vec::new(), tail: Vec::new(), total: 0 }
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
        let room = self.room(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(tail);
        if self.tail.len() > 2 * TAIL_BYTES {
            self.tail.drain(..self.tail.len() - TAIL_BYTES);
        }
    }

    /// How many of the next bytes may be kept in the head.
    fn room(&mut self, wanted: usize) -> usize {
        let plain = ERROR_BYTES.min(self.most).saturating_sub(self.head.len());
        if wanted <= plain {
            return wanted;
        }
        // What is no answer is not read to its end; once something was left out, nothing joins the head.
        let more = self.most.saturating_sub(self.head.len()).min(wanted);
        if self.most <= ERROR_BYTES || !self.tail.is_empty() || !begins_as_json(&self.head) {
            return plain.min(wanted);
        }
        let long = more - plain.min(more);
        let is_free = |taken: usize| taken.checked_add(long).filter(|sum| *sum <= MOST_LONG_BYTES);
        match LONG_BYTES.fetch_update(Ordering::AcqRel, Ordering::Acquire, is_free) {
            Ok(_) => {
                self.long += long;
                more
            }
            Err(_) => plain.min(wanted),
        }
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.total > self.head.len() + self.tail.len()
    }

    pub(crate) fn into_text(mut self) -> String {
        let mut bytes = std::mem::take(&mut self.head);
        if self.total > bytes.len() + self.tail.len() {
            bytes.extend_from_slice(b"\n");
        }
        bytes.extend_from_slice(&self.tail);
        // Taken over as it is where that goes: it may be long.
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        LONG_BYTES.fetch_sub(self.long, Ordering::AcqRel);
    }
}

/// Whether a text begins with an opening brace, white space and the mark of a byte order aside.
fn begins_as_json(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start().starts_with(b"{")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(start: &'static [u8], length: usize) -> Stream {
        use tokio::io::AsyncReadExt as _;
        let rest = tokio::io::repeat(b'x').take(u64::try_from(length - start.len()).unwrap());
        let mut stream = Stream::new(Some(Box::new(start.chain(rest))), ANSWER_BYTES);
        stream.read_all().await;
        stream
    }

    #[tokio::test]
    async fn only_what_begins_as_an_answer_is_kept_when_it_is_long() {
        let twenty = 20 * 1024 * 1024;
        let answer = read(b"\xef\xbb\xbf {\"a\":\"", twenty).await;
        assert!(!answer.is_cut());
        assert_eq!(answer.into_text().len(), twenty);
        let log = read(b"log", twenty).await;
        assert!(log.is_cut());
        assert!(log.into_text().len() < 9 * 1024 * 1024);
        let more = read(b"{", ANSWER_BYTES + twenty).await;
        assert!(more.is_cut());
        assert!(more.into_text().len() < ANSWER_BYTES + 1024 * 1024);
    }
}
