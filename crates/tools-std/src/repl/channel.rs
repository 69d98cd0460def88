//! The pipes of an interpreter, each served by a thread: its output is read also while no call waits for it, so that
//! it never stops because nobody reads.

use super::kept::{Kept, Seen};
use crate::shell::output_file::Place;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread, read};
use std::io::{self, BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use tokio::sync::mpsc;

/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Longest line on the control channel; a longer one is none of ours.
const MOST_LINE: u64 = 1024;
/// Answers that may wait.
const MOST_ANSWERS: usize = 16;
/// Requests that may wait to be read.
const MOST_REQUESTS: usize = 8;

/// What an interpreter prints.
#[derive(Debug)]
pub(super) struct Output {
    pipe: PipeReader,
    kept: Mutex<Kept>,
}

impl Output {
    /// Reads `pipe` from now on.
    pub(super) fn new(pipe: PipeReader, kept: Kept) -> io::Result<Arc<Self>> {
        // Two read from it, and neither may wait for what the other took.
        fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        let output = Arc::new(Self { pipe, kept: Mutex::new(kept) });
        let reading = Arc::clone(&output);
        spawn("output", move || reading.read())?;
        Ok(output)
    }

    /// All that was printed before now and not taken yet.
    pub(super) fn take(&self) -> Seen {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // What was printed before an answer on the other channel is in this pipe at the latest.
        let mut waiting = usize::try_from(ioctl_fionread(&self.pipe).unwrap_or(0)).unwrap_or(0);
        let mut buffer = vec![0; CHUNK_BYTES];
        while waiting > 0 {
            match read(&self.pipe, buffer.as_mut_slice()) {
                Ok(0) | Err(_) => break,
                Ok(read) => {
                    kept.push(buffer.get(..read).unwrap_or_default());
                    waiting = waiting.saturating_sub(read);
                }
            }
        }
        kept.take()
    }

    /// Stores what is too much for memory there from now on.
    pub(super) fn store_at(&self, place: Place) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).place = place;
    }

    /// Keeps what comes until nobody can print any more.
    fn read(&self) {
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            let mut waiting = [PollFd::new(&self.pipe, PollFlags::IN)];
            match poll(&mut waiting, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            match read(&self.pipe, buffer.as_mut_slice()) {
                Ok(0) => return,
                Ok(read) => kept.push(buffer.get(..read).unwrap_or_default()),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

/// What comes on the control channel.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Said {
    /// An answer.
    Reply(Reply),
    /// Something else wrote there, and an answer may be lost in it. Nothing comes after it.
    Garbage,
}

/// An answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Reply {
    pub(super) id: u64,
    pub(super) outcome: String,
    /// Process id of a shell.
    pub(super) shell: Option<u32>,
}

/// Answers with `nonce` from `pipe`. The channel closes when the interpreter closes its end.
pub(super) fn replies(pipe: PipeReader, nonce: String) -> io::Result<mpsc::Receiver<Said>> {
    let (sender, receiver) = mpsc::channel(MOST_ANSWERS);
    spawn("control", move || {
        let mut lines = BufReader::new(pipe);
        let mut line = Vec::new();
        loop {
            line.clear();
            match lines.by_ref().take(MOST_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let Some(said) = said(&line, &nonce) else { continue };
            let is_last = said == Said::Garbage;
            if sender.blocking_send(said).is_err() || is_last {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// What a line says. A whole line without the nonce is none of ours and hurts nobody; one that has it elsewhere, or no
/// end, holds an answer or a part of it.
fn said(line: &[u8], nonce: &str) -> Option<Said> {
    if let Some(reply) = reply(line, nonce) {
        return Some(Said::Reply(reply));
    }
    let has_nonce = line.windows(nonce.len()).any(|window| window == nonce.as_bytes());
    (has_nonce || !line.ends_with(b"\n")).then_some(Said::Garbage)
}

/// Reads an answer.
fn reply(line: &[u8], nonce: &str) -> Option<Reply> {
    let mut words = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.split(' ');
    if words.next()? != nonce {
        return None;
    }
    let (id, outcome) = (words.next()?.parse().ok()?, words.next()?.to_owned());
    let reply = Reply { id, outcome, shell: words.next().map(str::parse).transpose().ok()? };
    words.next().is_none().then_some(reply)
}

/// Writes requests to `pipe`. The pipe closes when the sender is dropped.
pub(super) fn requests(mut pipe: PipeWriter) -> io::Result<SyncSender<Vec<u8>>> {
    let (sender, receiver): (_, Receiver<Vec<u8>>) = sync_channel(MOST_REQUESTS);
    spawn("requests", move || {
        while let Ok(request) = receiver.recv() {
            if pipe.write_all(&request).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

fn spawn(what: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().name(format!("repl-{what}")).spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_the_nonce_are_answers() {
        let answer =
            |line: &str| reply(line.as_bytes(), "n1").map(|reply| (reply.id, reply.outcome, reply.shell));
        assert_eq!(answer("n1 7 ok\n"), Some((7, "ok".to_owned(), None)));
        assert_eq!(answer("n1 7 0 12\n"), Some((7, "0".to_owned(), Some(12))));
        for line in [
            "n1 7 ok",
            "n1 7 0 12 3\n",
            "n2 7 ok\n",
            "n1 x ok\n",
            "n1 7\n",
            "n1 7 ok more\n",
            "",
            "\n",
            " n1 7 ok\n",
        ] {
            assert_eq!(answer(line), None, "{line:?}");
        }
    }

    #[test]
    fn an_answer_that_is_lost_in_garbage_is_noticed() {
        let long = "x".repeat(1024);
        for (line, expected) in [
            ("noise\n", None),
            ("\n", None),
            ("noisen1 7 ok\n", Some(Said::Garbage)),
            ("n1 x\n", Some(Said::Garbage)),
            ("noise", Some(Said::Garbage)),
            (&long, Some(Said::Garbage)),
        ] {
            assert_eq!(said(line.as_bytes(), "n1"), expected, "{line:?}");
        }
    }
}
