//! A file of JSON lines that only grows, where each line tells its own length and checksum: what a killed
//! process or a full disk left of a last line is found and cut, damage anywhere else is refused.

use pegboard_tool_core::ports::JournalError;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const HEAD: &str = "{\"len\":";
const SUM: &str = ",\"sum\":\"";
const RECORD: &str = "\",\"record\":";
/// Hex digits of the checksum: the first eight bytes of SHA-256.
const SUM_DIGITS: usize = 16;
/// How often a lock that is taken is tried.
const LOCK_TRIES: u32 = 20;
/// Pause between two tries.
const LOCK_PAUSE: std::time::Duration = std::time::Duration::from_millis(10);

/// Where a record stands in the file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Span {
    offset: u64,
    len: usize,
}

/// When a written line reaches the disk.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sync {
    /// When the system likes: it survives the end of the process.
    Later,
    /// Before the call returns: it survives a loss of power.
    Now,
}

/// The file, open and locked: no other process can open it meanwhile.
#[derive(Debug)]
pub(crate) struct LineLog {
    path: PathBuf,
    file: File,
    end: u64,
    is_broken: bool,
}

impl LineLog {
    /// Opens or makes the file, cuts a torn last line, and gives each record to `each`.
    pub(crate) fn open(path: &Path, mut each: impl FnMut(&str, Span)) -> Result<Self, JournalError> {
        let io = |source| JournalError::Io { path: path.to_path_buf(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let file = options.open(path).map_err(io)?;
        if !file.metadata().map_err(io)?.is_file() {
            return Err(io(io::Error::other("it is no plain file")));
        }
        lock(&file, path)?;
        let sound = read_lines(&file, path, |record, span| {
            each(record, span);
            ControlFlow::Continue(())
        })?;
        file.set_len(sound).map_err(io)?;
        Ok(Self { path: path.to_path_buf(), file, end: sound, is_broken: false })
    }

    /// Writes a record, whole or not at all.
    pub(crate) fn append(&mut self, record: &str, sync: Sync) -> Result<Span, JournalError> {
        if self.is_broken {
            let error = io::Error::other("an earlier write failed and could not be taken back");
            return Err(JournalError::Io { path: self.path.clone(), source: error });
        }
        let line = line(record);
        let span = Span { offset: self.end + (line.len() - record.len() - 2) as u64, len: record.len() };
        let written = self
            .file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.file.write_all(line.as_bytes()))
            .and_then(|()| if sync == Sync::Now { self.file.sync_data() } else { Ok(()) });
        match written {
            Ok(()) => {
                self.end += line.len() as u64;
                Ok(span)
            }
            Err(source) => {
                // Half a line must not stand before a whole one.
                self.is_broken = self.file.set_len(self.end).is_err();
                Err(JournalError::Io { path: self.path.clone(), source })
            }
        }
    }

    /// Reads a record again.
    pub(crate) fn read(&mut self, span: Span) -> Result<String, JournalError> {
        let mut bytes = vec![0; span.len];
        self.file
            .seek(SeekFrom::Start(span.offset))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .and_then(|()| String::from_utf8(bytes).map_err(io::Error::other))
            .map_err(|source| JournalError::Io { path: self.path.clone(), source })
    }
}

/// Locks the file. A process that was killed while it started a child leaves the lock to that child for a moment,
/// so one that is taken is tried again for a short while.
fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(source)) => {
                return Err(JournalError::Io { path: path.to_path_buf(), source });
            }
        }
    }
    Err(JournalError::InUse { path: path.to_path_buf() })
}

/// Reads the records of a file that another process may be writing: up to the first line that is not whole.
pub(crate) fn read_records(path: &Path, mut each: impl FnMut(&str)) -> Result<(), JournalError> {
    let file = File::open(path).map_err(|source| JournalError::Io { path: path.to_path_buf(), source })?;
    read_lines(&file, path, |record, _| {
        each(record);
        ControlFlow::Continue(())
    })
    .map(|_| ())
}

/// Gives each record to `each`, and the end of the last sound line.
fn read_lines(
    file: &File,
    path: &Path,
    mut each: impl FnMut(&str, Span) -> ControlFlow<()>,
) -> Result<u64, JournalError> {
    let io = |source| JournalError::Io { path: path.to_path_buf(), source };
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(0)).map_err(io)?;
    let (mut offset, mut sound, mut number, mut torn) = (0_u64, 0_u64, 0_u64, None);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(io)? == 0 {
            return Ok(sound);
        }
        number += 1;
        match std::str::from_utf8(&bytes).ok().and_then(record_of) {
            Some((at, record)) => {
                if let Some(line) = torn {
                    return Err(JournalError::Damaged { path: path.to_path_buf(), line });
                }
                let span = Span { offset: offset + at as u64, len: record.len() };
                if each(record, span).is_break() {
                    return Ok(sound);
                }
                sound = offset + bytes.len() as u64;
            }
            None => torn = torn.or(Some(number)),
        }
        offset += bytes.len() as u64;
    }
}

fn line(record: &str) -> String {
    format!("{HEAD}{}{SUM}{}{RECORD}{record}}}\n", record.len(), checksum(record))
}

/// The record of a line and where it begins, when the line is whole.
fn record_of(line: &str) -> Option<(usize, &str)> {
    let (len, rest) = line.strip_prefix(HEAD)?.split_once(SUM)?;
    let (sum, rest) = rest.split_at_checked(SUM_DIGITS)?;
    let record = rest.strip_prefix(RECORD)?.strip_suffix("}\n")?;
    let is_whole = len.parse() == Ok(record.len()) && sum == checksum(record);
    is_whole.then_some((line.len() - record.len() - 2, record))
}

fn checksum(record: &str) -> String {
    hex(&Sha256::digest(record.as_bytes()))[..SUM_DIGITS].to_owned()
}

/// Lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// New files are readable by their owner only, and no link is followed.
pub(crate) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = options;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(path: &Path) -> Result<Vec<String>, JournalError> {
        let mut found = Vec::new();
        LineLog::open(path, |record, _| found.push(record.to_owned())).map(|_| found)
    }

    fn three(path: &Path) -> Vec<u8> {
        let mut log = LineLog::open(path, |_, _| {}).unwrap();
        for record in ["{\"a\":1}", "{\"b\":\"é\"}", "{}"] {
            let span = log.append(record, Sync::Now).unwrap();
            assert_eq!(log.read(span).unwrap(), record);
        }
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_file_cut_anywhere_gives_the_whole_lines_before_the_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let whole = three(&path);
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(records(&path).unwrap().len(), lines, "cut at {cut}");
            // What was cut stays cut, and the file goes on.
            LineLog::open(&path, |_, _| {}).unwrap().append("{\"c\":2}", Sync::Later).unwrap();
            assert_eq!(records(&path).unwrap().last().map(String::as_str), Some("{\"c\":2}"));
        }
    }

    #[test]
    fn every_line_is_json() {
        let dir = tempfile::tempdir().unwrap();
        let text = String::from_utf8(three(&dir.path().join("log"))).unwrap();
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value["record"].is_object(), "{line}");
        }
    }

    #[test]
    fn damage_before_the_last_line_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut bytes = three(&path);
        let at = bytes.iter().position(|byte| *byte == b'1').unwrap();
        bytes[at + 60] ^= 1;
        bytes[45] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(records(&path), Err(JournalError::Damaged { line: 1, .. })));
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "it is left for whoever looks into it");
    }

    #[test]
    fn two_cannot_write_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let first = LineLog::open(&path, |_, _| {}).unwrap();
        assert!(matches!(LineLog::open(&path, |_, _| {}), Err(JournalError::InUse { .. })));
        drop(first);
        assert!(LineLog::open(&path, |_, _| {}).is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_written_is_an_error_and_leaves_no_half_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        three(&path);
        let mut log = LineLog::open(&path, |_, _| {}).unwrap();
        log.file = OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        assert!(matches!(log.append("{}", Sync::Later), Err(JournalError::Io { .. })));
        assert!(matches!(log.append("{}", Sync::Later), Err(JournalError::Io { .. })));
        drop(log);
        assert_eq!(records(&path).unwrap().len(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_the_file_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("other"), "mine").unwrap();
        std::os::unix::fs::symlink("other", dir.path().join("log")).unwrap();
        assert!(LineLog::open(&dir.path().join("log"), |_, _| {}).is_err());
        assert_eq!(std::fs::read(dir.path().join("other")).unwrap(), b"mine");
    }
}
