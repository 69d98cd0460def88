//! What a command prints: its two ends in memory, and all of it on disk once it is long or goes on in
//! the background.

use super::output_file::Place;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Bytes of the start that stay in memory: the longest inline text, if each character takes four.
const HEAD_BYTES: usize = 4 * super::result::VALID_CHARS;
/// Bytes of the end that stay in memory.
const TAIL_BYTES: usize = 64 * 1024;
/// How long a disk may take for the last bytes.
const DISK_PATIENCE: Duration = Duration::from_secs(10);

/// Output so far. Read by everybody, written by its [`Collector`].
#[derive(Debug, Default)]
pub(crate) struct Output {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
    stored: Stored,
    /// The file, for who reads again.
    file: Option<Arc<File>>,
}

/// Where the whole output is.
#[derive(Clone, Debug, Default)]
pub(crate) enum Stored {
    /// In memory: it is short.
    #[default]
    Memory,
    /// In this file, which grows.
    File(PathBuf),
    /// Nowhere: the disk failed. A file may hold the first bytes.
    Lost { path: Option<PathBuf>, kept: u64, problem: String },
}

/// A look at an output.
#[derive(Clone, Debug)]
pub(crate) struct Glance {
    /// The start; everything while [`Stored::Memory`].
    pub(crate) head: Vec<u8>,
    /// The end, as far as it is not in `head`.
    pub(crate) tail: Vec<u8>,
    pub(crate) bytes: u64,
    pub(crate) stored: Stored,
}

impl Output {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    pub(crate) fn stored(&self) -> Stored {
        self.lock().stored.clone()
    }

    /// Both ends and where the whole is.
    pub(crate) fn glance(&self) -> Glance {
        let state = self.lock();
        Glance {
            head: state.head.clone(),
            tail: state.tail.clone(),
            bytes: state.bytes,
            stored: state.stored.clone(),
        }
    }

    /// The bytes from `from` on, at most `most` of them, from the file when there is one, else as far as
    /// they are in memory. Waits for the disk.
    pub(crate) fn read(&self, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let file = self.lock().file.clone();
        let glance = self.glance();
        match (file, &glance.stored) {
            (Some(file), Stored::File(_)) => read_at(&file, from, most),
            (None, Stored::File(path)) => read_at(&reopen(path)?, from, most),
            _ => {
                let start = glance.bytes - (glance.head.len() + glance.tail.len()) as u64;
                // Without a gap the two are all of it; with one, what is asked of the middle is gone.
                let kept: Vec<u8> =
                    if start == 0 { [glance.head, glance.tail].concat() } else { glance.tail };
                let at =
                    if start == 0 { from } else { from.saturating_sub(glance.bytes - kept.len() as u64) };
                let rest = kept.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
                Ok(rest.get(..most.min(rest.len())).unwrap_or_default().to_vec())
            }
        }
    }

    /// Gives memory and the open file back, for an output that is complete and stays known. What is in a
    /// file is read from there again.
    pub(crate) fn release(&self) {
        let mut state = self.lock();
        if matches!(state.stored, Stored::File(_)) {
            (state.head, state.tail, state.file) = (Vec::new(), Vec::new(), None);
        }
    }

    /// The last bytes, at most so many.
    pub(crate) fn last(&self, most: usize) -> Vec<u8> {
        let state = self.lock();
        let from_tail = state.tail.len().saturating_sub(most);
        let tail = state.tail.get(from_tail..).unwrap_or_default();
        let from_head = state.head.len().saturating_sub(most - tail.len());
        [state.head.get(from_head..).unwrap_or_default(), tail].concat()
    }
}

/// Takes an output chunk by chunk.
#[derive(Debug)]
pub(crate) struct Collector {
    output: Arc<Output>,
    place: Place,
    disk: Disk,
}

#[derive(Debug)]
enum Disk {
    /// No file was needed yet.
    Unused,
    /// The file, between writes.
    Idle(Arc<File>),
    /// Bytes are on their way.
    Busy(JoinHandle<Written>),
    /// The disk failed.
    Broken,
}

/// What a write came to.
type Written = Result<(Arc<File>, PathBuf), (io::Error, Option<PathBuf>)>;

impl Collector {
    pub(crate) fn new(place: Place) -> Self {
        Self { output: Arc::default(), place, disk: Disk::Unused }
    }

    pub(crate) fn output(&self) -> &Arc<Output> {
        &self.output
    }

    /// Where files may be made.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Waits for the write that is on its way. Safe to drop.
    pub(crate) async fn settle(&mut self) {
        let Disk::Busy(write) = &mut self.disk else { return };
        let written = write.await;
        let written = written.unwrap_or_else(|_| Err((io::Error::other("the writer ended"), None)));
        self.written(written);
    }

    fn written(&mut self, written: Written) {
        match written {
            Ok((file, path)) => {
                let mut state = self.output.lock();
                state.file = Some(Arc::clone(&file));
                state.stored = Stored::File(path);
                drop(state);
                self.disk = Disk::Idle(file);
            }
            Err((error, path)) => self.lose(&error, path),
        }
    }

    fn lose(&mut self, error: &io::Error, path: Option<PathBuf>) {
        self.disk = Disk::Broken;
        let known = match self.output.stored() {
            Stored::File(path) => Some(path),
            Stored::Memory | Stored::Lost { .. } => path,
        };
        let kept = known.as_ref().and_then(|path| path.metadata().ok()).map_or(0, |file| file.len());
        let problem = error.kind().to_string();
        self.output.lock().stored = Stored::Lost { path: known, kept, problem };
    }

    /// Takes a chunk. The one before must be settled.
    pub(crate) fn take(&mut self, chunk: &[u8]) {
        if chunk.is_empty() {
            return;
        }
        let before = {
            let mut state = self.output.lock();
            state.bytes += chunk.len() as u64;
            let room = HEAD_BYTES - state.head.len();
            let fits = state.tail.is_empty() && chunk.len() <= room;
            let before = (!fits && matches!(self.disk, Disk::Unused)).then(|| state.head.clone());
            let (head, tail) = chunk.split_at(room.min(chunk.len()));
            state.head.extend_from_slice(head);
            state.tail.extend_from_slice(tail);
            if state.tail.len() > 2 * TAIL_BYTES {
                let surplus = state.tail.len() - TAIL_BYTES;
                state.tail.drain(..surplus);
            }
            if fits && matches!(self.disk, Disk::Unused) {
                return;
            }
            before
        };
        let mut bytes = before.unwrap_or_default();
        bytes.extend_from_slice(chunk);
        self.write(bytes);
    }

    /// Sends bytes to the file, off the runtime; creates it first.
    fn write(&mut self, bytes: Vec<u8>) {
        match std::mem::replace(&mut self.disk, Disk::Broken) {
            Disk::Unused => {
                let place = self.place.clone();
                self.disk = Disk::Busy(tokio::task::spawn_blocking(move || {
                    let (file, path) = place.create().map_err(|error| (error, None))?;
                    append(Arc::new(file), path, &bytes)
                }));
            }
            Disk::Idle(file) => {
                let Stored::File(path) = self.output.stored() else { return };
                self.disk = Disk::Busy(tokio::task::spawn_blocking(move || append(file, path, &bytes)));
            }
            Disk::Busy(_) => {
                self.lose(&io::Error::other("two writes at once"), None);
            }
            Disk::Broken => {}
        }
    }

    /// Puts everything into a file, if that is not so already.
    pub(crate) async fn store(&mut self) {
        self.settle().await;
        if matches!(self.disk, Disk::Unused) {
            let all = self.output.lock().head.clone();
            self.write(all);
            self.settle().await;
        }
    }

    /// Waits for the last write, but not for ever.
    pub(crate) async fn finish(&mut self) {
        if timeout(DISK_PATIENCE, self.settle()).await.is_err() {
            self.lose(&io::ErrorKind::TimedOut.into(), None);
        }
    }
}

/// Opens a stored output, but nothing that was put in its place as a link.
fn reopen(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Reads a part of a file, up to its end.
fn read_at(file: &File, from: u64, most: usize) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    let mut bytes = vec![0; most];
    let mut read = 0;
    while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, from + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

fn append(file: Arc<File>, path: PathBuf, bytes: &[u8]) -> Written {
    match (&*file).write_all(bytes) {
        Ok(()) => Ok((file, path)),
        Err(error) => Err((error, Some(path))),
    }
}

/// Puts a finished output that is still in memory into a file.
pub(crate) async fn store_finished(output: &Arc<Output>, place: Place) {
    let mut collector = Collector { output: Arc::clone(output), place, disk: Disk::Unused };
    if matches!(output.stored(), Stored::Memory) {
        collector.store().await;
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use pegboard_tool_core::{ContextSnapshot, ToolContext};

    fn collector(dir: &Path) -> Collector {
        let mut snapshot = ContextSnapshot::new(dir, "session");
        snapshot.session_dir = Some(dir.to_owned());
        Collector::new(Place::of(&ToolContext::new(Arc::new(snapshot))))
    }

    #[tokio::test]
    async fn a_full_disk_loses_the_middle_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let mut collector = collector(dir.path());
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        collector.disk = Disk::Idle(Arc::new(full));
        collector.output.lock().stored = Stored::File("/dev/full".into());
        for _ in 0..10 {
            collector.take(&[b'x'; 100_000]);
            collector.settle().await;
        }
        collector.take(b"the end");
        collector.finish().await;
        let glance = collector.output.glance();
        let Stored::Lost { problem, .. } = glance.stored else { panic!("{:?}", glance.stored) };
        assert_eq!(problem, "no storage space");
        assert_eq!(glance.bytes, 1_000_007);
        assert!(glance.head.len() == HEAD_BYTES && glance.tail.ends_with(b"xthe end"));
        assert!(collector.output.read(1_000_000, 100).unwrap() == b"the end");
    }

    #[tokio::test]
    async fn a_released_output_is_read_from_its_file_and_through_no_link() {
        let dir = tempfile::tempdir().unwrap();
        let mut collector = collector(dir.path());
        collector.take(b"hello");
        collector.store().await;
        let output = Arc::clone(collector.output());
        assert_eq!(output.read(1, 3).unwrap(), b"ell");
        output.release();
        assert_eq!(output.read(1, 3).unwrap(), b"ell");
        let Stored::File(path) = output.stored() else { panic!("not stored") };
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
        assert!(output.read(0, 3).is_err());
    }
}
