//! What the model has read, kept in the folder of the session: the next process of the same session knows it too.
//! One small file with a line a reading, the last of a file counts. It is a convenience: what is wrong with it costs a
//! second reading.

use super::{ContentHash, Extent, LineRanges, Seen};
use crate::safe_name::hex;
use crate::session_file;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file, in the folder of the session.
const FILE: &str = "reads.jsonl";
/// Files that are kept, those that were read last.
const MOST_FILES: usize = 2_000;
/// Lines beyond which only the last of each file are kept.
const MOST_LINES: usize = 2 * MOST_FILES;
/// Bytes of the file that are read; beyond half of them it is made anew.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Files with what was seen of them, oldest first.
type Readings = Vec<(PathBuf, Seen)>;

/// The file with what was read.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    /// Whether what earlier processes left cannot be used.
    pub is_damaged: bool,
    /// How much is in the file; nothing when it must be made anew.
    size: Mutex<Option<Size>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Size {
    lines: usize,
    bytes: usize,
}

impl Size {
    fn and(self, line: &str) -> Self {
        Self { lines: self.lines + 1, bytes: self.bytes + line.len() }
    }

    fn is_too_much(self) -> bool {
        self.lines > MOST_LINES || self.bytes > MOST_BYTES / 2
    }
}

#[derive(Deserialize, Serialize)]
struct Record {
    path: String,
    /// SHA-256 of the content, in hex.
    hash: String,
    extent: Extent,
    #[serde(default, skip_serializing_if = "LineRanges::is_empty")]
    lines: LineRanges,
}

impl Kept {
    /// What earlier processes of the session kept.
    pub(super) fn open(folder: &Path) -> (Self, Readings) {
        let kept =
            |is_damaged, size| Self { folder: folder.to_path_buf(), is_damaged, size: Mutex::new(size) };
        match load(folder) {
            Ok((size, reads)) => (kept(false, size), reads),
            Err(_) => (kept(true, None), Vec::new()),
        }
    }

    /// Keeps one reading, the newest of `all`, which are oldest first. When that fails the next process asks for a new
    /// reading.
    pub(super) fn note<'s>(&self, (path, seen): (&Path, &Seen), all: impl FnOnce() -> Vec<(&'s Path, Seen)>) {
        let mut size = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        // A name that is no text is read again.
        let Some(line) = line_of(path, seen) else { return };
        let appended = size
            .map(|size| size.and(&line))
            .filter(|size| !size.is_too_much())
            .filter(|_| self.append(&line).is_ok());
        *size = appended.or_else(|| self.put(&all()).ok());
    }

    /// Processes that share the session add to the same file.
    fn append(&self, line: &str) -> io::Result<()> {
        let path = self.folder.join(FILE);
        let mut options = OpenOptions::new();
        options.append(true);
        #[cfg(unix)]
        {
            use rustix::fs::OFlags;
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
            let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
        }
        let mut file = options.open(&path)?;
        // What grew to be more than one process may know of is made anew.
        let found = file.metadata()?;
        if !found.is_file() || found.len() > MOST_BYTES as u64 / 2 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        file.write_all(line.as_bytes())
    }

    /// Makes the file anew, in one step.
    fn put(&self, all: &[(&Path, Seen)]) -> io::Result<Size> {
        let mut size = Size::default();
        let mut lines = Vec::new();
        for line in all.iter().rev().take(MOST_FILES).filter_map(|(path, seen)| line_of(path, seen)) {
            let with = size.and(&line);
            // The next ones are to be appended.
            if with.bytes > MOST_BYTES / 4 {
                break;
            }
            size = with;
            lines.push(line);
        }
        lines.reverse();
        session_file::put(&self.folder, FILE, lines.concat().as_bytes()).map(|()| size)
    }
}

fn line_of(path: &Path, seen: &Seen) -> Option<String> {
    let record = Record {
        path: path.to_str()?.to_owned(),
        hash: hex(&seen.hash),
        extent: seen.extent,
        lines: seen.lines.clone(),
    };
    serde_json::to_string(&record).ok().map(|line| line + "\n")
}

/// What is kept, and how much is in the file, which can be appended to.
fn load(folder: &Path) -> io::Result<(Option<Size>, Readings)> {
    let Some(bytes) = session_file::read(folder, FILE, MOST_BYTES)? else { return Ok((None, Vec::new())) };
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    // A process that was killed may have left a part of a line, to which nothing can be appended.
    let whole = text.rfind('\n').map_or("", |end| text.get(..=end).unwrap_or_default());
    let mut size = Size::default();
    let mut reads = Vec::new();
    for line in whole.split_inclusive('\n') {
        size = size.and(line);
        let record: Record = serde_json::from_str(line)?;
        let hash = hash_of(&record.hash).ok_or(io::ErrorKind::InvalidData)?;
        reads.push((PathBuf::from(record.path), Seen { hash, extent: record.extent, lines: record.lines }));
    }
    let mut known = HashSet::new();
    let mut last: Vec<_> = reads.into_iter().rev().filter(|(path, _)| known.insert(path.clone())).collect();
    last.truncate(MOST_FILES);
    last.reverse();
    Ok(((whole.len() == text.len()).then_some(size), last))
}

fn hash_of(hex: &str) -> Option<ContentHash> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect();
    if digits.len().is_multiple_of(2) { bytes.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::hash;
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn seen(text: &str, extent: Extent) -> Seen {
        Seen::of(hash(text.as_bytes()), extent)
    }

    /// Notes all of them, one after the other.
    fn note(kept: &Kept, reads: &[(PathBuf, Seen)]) {
        for (last, (path, seen)) in reads.iter().enumerate() {
            let all = || reads[..=last].iter().map(|(path, seen)| (path.as_path(), seen.clone())).collect();
            kept.note((path, seen), all);
        }
    }

    #[test]
    fn what_was_kept_is_there_again_the_newest_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, reads) = Kept::open(dir.path());
        assert!(reads.is_empty() && !kept.is_damaged);
        let extents = [Extent::Partial, Extent::Range, Extent::Whole];
        let all: Vec<(PathBuf, Seen)> = (0..MOST_FILES + 10)
            .map(|n| (format!("/w/{n}\n").into(), seen(&n.to_string(), extents[n % 3])))
            .collect();
        note(&kept, &all);
        let (kept, reads) = Kept::open(dir.path());
        assert_eq!((reads.as_slice(), kept.is_damaged), (&all[10..], false));
        // Nothing else is left.
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        // The last reading of a file counts.
        let again = [(all[10].0.clone(), seen("new", Extent::Whole))];
        note(&kept, &again);
        assert_eq!(Kept::open(dir.path()).1.last(), again.last());
        // A folder that is not there costs nothing.
        let (kept, reads) = Kept::open(&dir.path().join("gone"));
        note(&kept, &again);
        assert!(reads.is_empty() && !dir.path().join("gone").exists());
    }

    #[test]
    fn a_file_that_is_read_again_and_again_does_not_fill_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, _) = Kept::open(dir.path());
        let long = "x".repeat(4_000);
        for n in 0..3_000 {
            let (path, seen) = (format!("/w/{}{long}", n % 3), seen(&n.to_string(), Extent::Whole));
            kept.note((Path::new(&path), &seen), || vec![(Path::new(&path), seen.clone())]);
            let size = fs::metadata(dir.path().join(FILE)).unwrap().len();
            assert!(size <= MOST_BYTES as u64 / 2 + 5_000, "{size}");
        }
        assert_eq!(Kept::open(dir.path()).1.last().unwrap().1, seen("2999", Extent::Whole));
    }

    #[test]
    fn the_lines_that_were_seen_are_kept_and_may_be_missing() {
        let dir = tempfile::tempdir().unwrap();
        let lines = LineRanges::from(vec![(1, 2_000), (2_500, 2_600)]);
        let a = (PathBuf::from("/w/a"), Seen { lines, ..seen("a", Extent::Range) });
        note(&Kept::open(dir.path()).0, std::slice::from_ref(&a));
        assert_eq!(Kept::open(dir.path()).1, std::slice::from_ref(&a));
        // As it was written before lines were kept, and with something that comes later.
        let at = dir.path().join(FILE);
        let text = fs::read_to_string(&at).unwrap();
        let (record, _) = text.split_once(",\"lines\"").unwrap();
        fs::write(&at, format!("{record},\"later\":1}}\n")).unwrap();
        let (kept, reads) = Kept::open(dir.path());
        assert_eq!((reads, kept.is_damaged), (vec![(a.0, seen("a", Extent::Range))], false));
    }

    #[test]
    fn processes_of_a_session_add_to_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let a = (PathBuf::from("/w/a"), seen("a", Extent::Whole));
        let b = (PathBuf::from("/w/b"), seen("b", Extent::Range));
        let c = (PathBuf::from("/w/c"), seen("c", Extent::Range));
        note(&Kept::open(dir.path()).0, std::slice::from_ref(&c));
        let (one, other) = (Kept::open(dir.path()).0, Kept::open(dir.path()).0);
        note(&one, std::slice::from_ref(&a));
        note(&other, std::slice::from_ref(&b));
        assert_eq!(Kept::open(dir.path()).1, [c, a, b]);
    }

    #[test]
    fn a_line_that_a_killed_process_began_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join(FILE);
        let a = (PathBuf::from("/w/a"), seen("a", Extent::Whole));
        let b = (PathBuf::from("/w/b"), seen("b", Extent::Whole));
        note(&Kept::open(dir.path()).0, std::slice::from_ref(&a));
        let whole = fs::read_to_string(&at).unwrap();
        fs::write(&at, format!("{whole}{}", &whole[..whole.len() / 2])).unwrap();
        let (kept, reads) = Kept::open(dir.path());
        assert_eq!((reads.as_slice(), kept.is_damaged), (std::slice::from_ref(&a), false));
        note(&kept, &[a.clone(), b.clone()]);
        assert_eq!(Kept::open(dir.path()).1, [a, b]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_pipe_in_its_place_is_neither_read_nor_written() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join(FILE);
        let read = [(PathBuf::from("/w/a"), seen("a", Extent::Whole))];
        let link = || std::os::unix::fs::symlink("other", &at).unwrap();
        fs::write(dir.path().join("other"), "").unwrap();
        link();
        assert!(Kept::open(dir.path()).0.is_damaged);
        fs::remove_file(&at).unwrap();
        // Put there while a process runs.
        let (kept, _) = Kept::open(dir.path());
        note(&kept, &read);
        fs::remove_file(&at).unwrap();
        link();
        note(&kept, &read);
        assert_eq!(fs::read(dir.path().join("other")).unwrap(), b"");
        assert_eq!(Kept::open(dir.path()).1, read);
        fs::remove_file(&at).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &at, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .unwrap();
        assert!(Kept::open(dir.path()).0.is_damaged);
        note(&kept, &read);
        assert_eq!(Kept::open(dir.path()).1, read);
        fs::File::create(&at).unwrap().set_len(MOST_BYTES as u64 + 1).unwrap();
        assert!(Kept::open(dir.path()).0.is_damaged);
        note(&kept, &read);
        assert_eq!(Kept::open(dir.path()).1, read);
    }

    proptest! {
        #[test]
        fn garbage_is_no_reading(mut bytes in proptest::collection::vec(any::<u8>(), 1..200)) {
            bytes.push(b'\n');
            prop_assume!(bytes.split(|byte| *byte == b'\n').any(|line| serde_json::from_slice::<Record>(line).is_err()));
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(FILE), &bytes).unwrap();
            let (kept, reads) = Kept::open(dir.path());
            prop_assert!(kept.is_damaged && reads.is_empty());
            let read = [(PathBuf::from("/w/a"), seen("a", Extent::Whole))];
            note(&kept, &read);
            prop_assert_eq!(Kept::open(dir.path()).1, read);
        }
    }
}
